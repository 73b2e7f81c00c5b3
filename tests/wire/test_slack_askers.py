"""Several people in one thread: each is answered, in order, and tools run for who asked."""

from __future__ import annotations

import asyncio
import json

from bot.settings import Settings
from memory.messages import ToolCall
from tests.fakes import ScriptedModel, asks, says
from tests.wire.slack_house import said, working
from tests.wire.slack_scene import open_scene

CALL = ToolCall("call-1", "who_asks", "{}")


async def test_two_at_the_same_moment_are_answered_in_order(sqlite_url: str) -> None:
    model = ScriptedModel(says("Yes?"), asks(CALL), says("First."), asks(CALL), says("Second."))
    settings = Settings(database_url=sqlite_url, tools=("tests.wire.asker_tool",))
    async with open_scene(sqlite_url) as scene:
        async with working(scene.slack, sqlite_url, model=model, settings=settings):
            thread = await scene.asks(scene.ann, "Listen", "Yes?")
            await asyncio.gather(
                scene.ann.says(scene.channel, "<@bot> I am Ann", thread=thread),
                scene.bob.says(scene.channel, "<@bot> I am Bob", thread=thread),
            )
            await scene.answered("Second.", thread)

        askers = [
            json.loads(message.results[0].text)["person"]
            for message in (model.requests[number].messages[-1] for number in (2, 4))
        ]
        assert [asker.rpartition(":")[2] for asker in askers] == [scene.ann.id, scene.bob.id]
        assert said(scene.home, scene.channel, thread) == ["Yes?", "First.", "Second."]
    await model.close()
