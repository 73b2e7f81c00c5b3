"""The support desk, speaking Chat Completions and Responses."""

from __future__ import annotations

import json

from bot.model import ModelRequest
from tests.servers import desk as brain
from tests.servers.openai import events
from tests.servers.openai.wire import Answer, calls, says


def desk(request: ModelRequest) -> Answer:
    """By Chat Completions."""
    answer = brain.desk(request)
    if isinstance(answer, brain.Said):
        return says(*answer.pieces)
    return calls(*_wanted(request, answer))


def reasoning_desk(request: ModelRequest) -> Answer:
    """By Responses, as a model that thinks first."""
    answer = brain.desk(request)
    if isinstance(answer, brain.Said):
        final = events.message("".join(answer.pieces), phase="final_answer")
        return events.whole(events.reasoning(), final, pieces=answer.pieces)
    wanted = (events.call(*each) for each in _wanted(request, answer))
    return events.whole(events.reasoning(), *wanted)


def _wanted(request: ModelRequest, answer: brain.Asked) -> list[tuple[str, str, str]]:
    step = len(request.messages)
    wanted = enumerate(answer.calls)
    return [(f"call_{step}_{i}", name, json.dumps(arguments)) for i, (name, arguments) in wanted]
