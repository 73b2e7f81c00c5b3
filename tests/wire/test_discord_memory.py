"""What is noted about somebody is shown to nobody else."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot import note_words, wording
from memory.messages import ToolCall
from tests.fakes import ScriptedModel, asks, says
from tests.wire.discord_house import answered, working
from tests.wire.discord_scene import Scene, open_scene

NOTE = asks(ToolCall("c1", "remember", '{"topic": "fact", "text": "has two cats"}'))
SHOWN = "1. fact: has two cats (said in public)"


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with open_scene() as scene:
        yield scene


async def test_notes_are_shown_to_who_asks_and_by_a_message_in_their_direct_messages(
    scene: Scene, sqlite_url: str
) -> None:
    thread = await scene.ann.starts_thread(scene.channel, "lunch")
    model = ScriptedModel(NOTE, says("Noted."))
    async with working(scene.discord, sqlite_url, model=model):
        await scene.ann.says(thread, "<@nimbus> I have two cats")
        await answered(scene.discord, thread, "Noted.")
        await scene.ann.says(thread, "<@nimbus> memory")
        await answered(scene.discord, thread, wording.TOLD_ALONE)
        await scene.ann.commands(scene.channel, "/nimbus memory", action="delete 1")
        told = await scene.whispered(scene.ann)

    [direct] = scene.bot.own(scene.bot.direct(scene.ann))
    assert direct.content.startswith(SHOWN)
    assert told.content.startswith("Note 1 is deleted: has two cats.")


async def test_who_takes_no_direct_messages_is_told_how_to_see_them(
    scene: Scene, sqlite_url: str
) -> None:
    thread = await scene.ann.starts_thread(scene.channel, "lunch")
    direct = scene.bot.direct(scene.ann)
    async with working(scene.discord, sqlite_url, model=ScriptedModel()):
        await scene.ann.says(direct, "<@nimbus> memory off")
        await answered(scene.discord, direct, note_words.notes_switched_off(0))
        scene.ann.user.blocked.add(scene.bot.id)
        await scene.ann.says(thread, "<@nimbus> memory")
        await answered(scene.discord, thread, wording.NOT_TOLD_ALONE)
