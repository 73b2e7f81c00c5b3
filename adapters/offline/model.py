"""The model without a key: it answers from the request alone, the same every time."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import AsyncIterator

from adapters.offline import replies, summing
from adapters.offline.desk import Call
from adapters.offline.dialogue import wanted
from adapters.offline.facts import read
from adapters.offline.keeping import beside, confirmed, to_note
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
    """Notes are made beside what else is looked up, and before anything is said."""
    if summing.is_asked(request):
        return summing.sum_up(request)
    facts = read(request)
    asks = beside(wanted(facts), facts)
    step = answer(asks, facts) if asks else ""
    calls = to_note(facts) if facts.may_call else ()
    if isinstance(step, tuple) or calls:
        return (*calls, *(step if isinstance(step, tuple) else ()))
    return " ".join(text for text in (confirmed(facts), step) if text) or replies.noted()


def _calls(calls: tuple[Call, ...], request: ModelRequest) -> tuple[ToolCall, ...]:
    """Their ids come from the whole request, so none repeats one of the history."""
    digest = hashlib.sha256(repr(request.messages).encode("utf-8", "replace")).hexdigest()
    return tuple(
        ToolCall(f"call_{digest[:20]}_{index}", call.tool, json.dumps(dict(call.arguments)))
        for index, call in enumerate(calls)
    )
