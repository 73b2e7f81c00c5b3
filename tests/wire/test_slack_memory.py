"""What is noted about somebody is whispered to them alone, in threads and by the slash command."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from memory.messages import ToolCall
from tests.fakes import ScriptedModel, asks, says
from tests.wire.slack_house import working
from tests.wire.slack_scene import Scene, open_scene

NOTE = asks(ToolCall("c1", "remember", '{"topic": "fact", "text": "has two cats"}'))


@pytest.fixture
async def scene(sqlite_url: str) -> AsyncIterator[Scene]:
    async with open_scene(sqlite_url) as scene:
        yield scene


async def test_notes_are_whispered_and_deleted(scene: Scene) -> None:
    model = ScriptedModel(NOTE, says("Noted."))
    async with working(scene.slack, scene.url, model=model):
        said = await scene.asks(scene.ann, "I have two cats", "Noted.")
        await scene.ann.says(scene.channel, "<@bot> memory", thread=said)
        await scene.whispered(scene.ann, "1. fact: has two cats (said in ")
        await scene.ann.commands(scene.channel, "/nimbus memory delete 1")
        await scene.whispered(scene.ann, "Note 1 is deleted: has two cats.")
        await scene.ann.commands(scene.channel, "/nimbus memory")
        await scene.whispered(scene.ann, "I have noted nothing about you.")

    assert scene.bob.whispers == []
    await model.close()
