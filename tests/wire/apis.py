"""The APIs of the matrices, and how each says what a provider may answer."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from adapters.openai.chat import OpenAIChat
from adapters.openai.responses import OpenAIResponses
from adapters.openai.service import OpenAIModel
from bot.patience import Patience
from tests.servers.openai import events
from tests.servers.openai import wire as chat
from tests.servers.openai.wire import Failure, Stream
from tests.wire.api_gemini import GEMINI
from tests.wire.asking import asked
from tests.wire.matrix import Api, Name, Wire
from tests.wire.pauses import Pauses


@asynccontextmanager
async def _serve(
    api: type[OpenAIModel], answers: Sequence[Any], pauses: Pauses, patience: Patience
) -> AsyncIterator[Wire]:
    async with asked(*answers, api=api, pauses=pauses, patience=patience) as (server, model):
        yield Wire(model, server.requests, server.refused)


def _busy(seconds: int | None = None) -> Failure:
    headers = {} if seconds is None else {"retry-after": str(seconds)}
    return Failure(429, "rate_limit_exceeded", "requests", headers=headers)


ONE, TWO = '{"order_id": 1}', '{"order_id": 2}'
_ERROR = {"error": {"message": "Oh.", "type": "server_error", "code": None}}
_FAILURES: dict[Name, Failure] = {
    "busy for 7 s": _busy(7),
    "busy for 90 s": _busy(90),
    "busy": _busy(),
    "down": Failure(503, None, "server_error"),
    "bad key": Failure(401, "invalid_api_key"),
    "no quota": Failure(429, "insufficient_quota", "insufficient_quota"),
    "unknown model": Failure(404, "model_not_found"),
    "too long": Failure(400, "context_length_exceeded"),
    "blocked": Failure(400, "content_policy_violation"),
}

_CHAT_USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 30,
    "prompt_tokens_details": {"cached_tokens": 80},
    "completion_tokens_details": {"reasoning_tokens": 12},
}
_HEL = {"content": "Hel"}
_BARE = [{"function": {"name": "act", "arguments": arguments}} for arguments in (ONE, TWO)]
_CHAT_ERROR = f"data: {json.dumps(_ERROR)}\n\n"

CHAT = Api(
    "chat",
    partial(_serve, OpenAIChat),
    {
        **_FAILURES,
        "text": chat.says("Hel", "lo."),
        "text, counted": chat.says("Hello.", usage=_CHAT_USAGE),
        "call": chat.calls(("call_1", "act", ONE)),
        "two calls": chat.calls(("call_1", "act", ONE), ("call_2", "act", TWO)),
        "two calls in pieces": chat.whole(
            chat.call(0, "call_1", "act", ONE[:5]),
            chat.call(1, "call_2", "act"),
            chat.more(1, TWO[:7]),
            chat.more(0, ONE[5:]),
            chat.more(1, TWO[7:]),
            finish="tool_calls",
        ),
        "two calls without ids": chat.whole(
            *({"tool_calls": [bare]} for bare in _BARE), finish="tool_calls"
        ),
        "a call with broken arguments": chat.calls(("call_1", "act", '{"order_id": ')),
        "reset": chat.broken(end="cut"),
        "stall": chat.broken(end="hang"),
        "refusal": chat.whole({"refusal": "No."}, finish="stop"),
        "only thought": chat.says(finish="length", usage=_CHAT_USAGE),
        "cut off": chat.broken(_HEL, end="cut"),
        "ends without a reason": chat.broken(_HEL, end="done"),
        "ends in silence": chat.broken(end="eof"),
        "error event": Stream((_CHAT_ERROR,)),
        "error event after text": Stream((chat.chunk(_HEL), _CHAT_ERROR)),
        "empty": chat.says(),
    },
)

_RESPONSES_USAGE = {
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 80, "cache_write_tokens": 0},
    "output_tokens": 30,
    "output_tokens_details": {"reasoning_tokens": 12},
    "total_tokens": 130,
}
_OH = {"type": "error", "code": "server_error", "message": "Oh.", "param": None}

RESPONSES = Api(
    "responses",
    partial(_serve, OpenAIResponses),
    {
        **_FAILURES,
        "text": events.whole(
            events.reasoning(),
            events.message("Hello.", phase="final_answer"),
            pieces=("Hel", "lo."),
        ),
        "text, counted": events.says("Hello.", usage=_RESPONSES_USAGE),
        "call": events.whole(events.reasoning(), events.call("call_1", "act", ONE)),
        "two calls": events.whole(
            events.reasoning(),
            events.call("call_1", "act", ONE),
            events.call("call_2", "act", TWO),
        ),
        "two calls in pieces": events.interleaved(
            events.call("call_1", "act", ONE), events.call("call_2", "act", TWO)
        ),
        "two calls without ids": events.whole(
            events.call("", "act", ONE), events.call("", "act", TWO)
        ),
        "a call with broken arguments": events.whole(events.call("call_1", "act", '{"order_id": ')),
        "reset": events.broken(end="cut"),
        "stall": events.broken(end="hang"),
        "refusal": events.whole(events.refusal("No.")),
        "only thought": events.whole(
            events.reasoning(), usage=_RESPONSES_USAGE, reason="max_output_tokens"
        ),
        "cut off": events.broken("Hel", end="cut"),
        "ends without a reason": events.broken("Hel", end="eof"),
        "ends in silence": events.broken(end="eof"),
        "error event": events.error("server_error"),
        "error event after text": events.broken("Hel", end="eof", last=_OH),
        "empty": events.whole(),
    },
)

APIS = (CHAT, RESPONSES, GEMINI)
