"""The support desk, speaking Chat Completions."""

from __future__ import annotations

import json

from bot.model import ModelRequest
from tests.servers import desk as brain
from tests.servers.openai.wire import Answer, calls, says


def desk(request: ModelRequest) -> Answer:
    answer = brain.desk(request)
    if isinstance(answer, brain.Said):
        return says(*answer.pieces)
    step = len(request.messages)
    wanted = enumerate(answer.calls)
    return calls(*((f"call_{step}_{i}", name, json.dumps(args)) for i, (name, args) in wanted))
