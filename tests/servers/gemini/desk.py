"""The support desk, speaking as Gemini."""

from __future__ import annotations

from bot.model import ModelRequest
from tests.servers import desk as brain
from tests.servers.gemini.wire import Answer, call, calls, says


def desk(request: ModelRequest) -> Answer:
    answer = brain.desk(request)
    if isinstance(answer, brain.Said):
        return says(*answer.pieces)
    return calls(*(call(name, args) for name, args in answer.calls))
