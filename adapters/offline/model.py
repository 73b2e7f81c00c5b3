"""The model without a key: it answers from the request alone, the same every time."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import AsyncIterator

from adapters.offline.desk import Call
from adapters.offline.dialogue import wanted
from adapters.offline.facts import read
from adapters.offline.skills import answer
from adapters.offline.steps import Step
from bot.model import ModelRequest, ModelResponse
from memory.messages import ToolCall, assistant


class OfflineModel:
    """Keeps nothing between calls. It has no tokens to count."""

    name = "offline"

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        step = _step(request)
        text = step if isinstance(step, str) else ""
        for piece in re.findall(r"\S*\s*", text):
            if piece:
                yield piece
        calls = () if isinstance(step, str) else _calls(step, request)
        yield ModelResponse(assistant(text, *calls), "stop", model=self.name)

    async def close(self) -> None:
        """There is nothing to close."""


def _step(request: ModelRequest) -> Step:
    facts = read(request)
    return answer(wanted(facts), facts)


def _calls(calls: tuple[Call, ...], request: ModelRequest) -> tuple[ToolCall, ...]:
    """Their ids come from the whole request, so none repeats one of the history."""
    digest = hashlib.sha256(repr(request.messages).encode("utf-8", "replace")).hexdigest()
    return tuple(
        ToolCall(f"call_{digest[:20]}_{index}", call.tool, json.dumps(dict(call.arguments)))
        for index, call in enumerate(calls)
    )
