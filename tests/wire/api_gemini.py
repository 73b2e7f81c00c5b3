"""Gemini in the matrices."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from bot.patience import Patience
from tests.servers.gemini.server import BAD_KEY
from tests.servers.gemini.wire import (
    SIGN,
    Failure,
    Stream,
    blocked,
    broken,
    call,
    calls,
    chunk,
    says,
    whole,
)
from tests.wire.asking_gemini import asked
from tests.wire.matrix import Api, Wire
from tests.wire.pauses import Pauses


@asynccontextmanager
async def _serve(answers: Sequence[Any], pauses: Pauses, patience: Patience) -> AsyncIterator[Wire]:
    async with asked(*answers, pauses=pauses, patience=patience) as (server, model):
        yield Wire(model, server.requests, server.refused)


def _busy(seconds: int | None = None) -> Failure:
    headers = {} if seconds is None else {"retry-after": str(seconds)}
    return Failure(429, "RESOURCE_EXHAUSTED", headers=headers)


_USAGE = {
    "promptTokenCount": 100,
    "cachedContentTokenCount": 80,
    "candidatesTokenCount": 18,
    "thoughtsTokenCount": 12,
    "totalTokenCount": 130,
}
_NO_QUOTA = {"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}
_TOO_LONG = "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576)"
_DOWN = Failure(503, "UNAVAILABLE", "The model is overloaded.")
_ERROR = f"data: {json.dumps(Failure(500, 'INTERNAL').body)}\n\n"
_HEL = {"text": "Hel"}
_ONE, _TWO = call("act", {"order_id": 1}), call("act", {"order_id": 2})

GEMINI = Api(
    "gemini",
    _serve,
    {
        "text": says("Hel", "lo."),
        "text, counted": says("Hello.", usage=_USAGE),
        "call": calls({**_ONE, "id": "fc_1"}),
        "two calls": calls({**_ONE, "id": "fc_1"}, {**_TWO, "id": "fc_2"}),
        "two calls in pieces": whole(  # a call comes whole, but in a chunk of its own
            {"functionCall": _ONE, "thoughtSignature": SIGN}, {"functionCall": _TWO}
        ),
        "two calls without ids": calls(_ONE, _TWO),
        "a call with broken arguments": calls(call("act", {"order": "one"})),
        "busy for 7 s": _busy(7),
        "busy for 90 s": _busy(90),
        "busy": _busy(),
        "down": _DOWN,
        "reset": broken(end="cut"),
        "stall": broken(end="hang"),
        "bad key": BAD_KEY,
        "no quota": Failure(429, "RESOURCE_EXHAUSTED", details=(_NO_QUOTA,)),
        "unknown model": Failure(404, "NOT_FOUND"),
        "too long": Failure(400, message=_TOO_LONG),
        "refusal": whole({"text": "No."}, {}, finish="SAFETY"),
        "blocked": blocked(),
        "only thought": whole(finish="MAX_TOKENS", usage=_USAGE),
        "cut off": broken(_HEL, end="cut"),
        "ends without a reason": broken(_HEL, end="done"),
        "ends in silence": broken(end="done"),
        "error event": Stream((_ERROR,)),
        "error event after text": Stream((chunk(_HEL), _ERROR)),
        "empty": whole(),
    },
)
