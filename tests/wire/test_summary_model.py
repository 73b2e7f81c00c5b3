"""A model of its own sums up, over the wire."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.model import ModelRequest
from tests.servers.openai.server import serving
from tests.servers.openai.wire import Answer, says
from tests.wire.house import chatting

pytestmark = pytest.mark.slow

SENTENCE = "They greeted each other at length."
SUMMARY = json.dumps({"summary": SENTENCE, "notes": []})


def brain(request: ModelRequest) -> Answer:
    return says(SUMMARY if "keep the memory" in request.system else "x" * 300)


async def test_the_summary_goes_to_it_and_nothing_else(tmp_path: Path) -> None:
    async with (
        serving(brain) as server,
        chatting(
            tmp_path,
            model="openai:large",
            summary_model="openai:small",
            openai_base_url=server.base_url,
            context_budget="1000",
        ) as chat,
    ):
        for number in range(4):
            await chat.say(f"{number} and {'y' * 100}")

    asked = [(each["model"], "tools" in each) for each in server.requests]
    assert asked.count(("large", True)) == 4
    assert asked.count(("small", False)) == len(asked) - 4 >= 1
    assert any(SENTENCE in str(each) for each in server.requests if each["model"] == "large")
