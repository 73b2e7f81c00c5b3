"""What is kept of a person comes to them as a file that nobody else sees."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot import wording
from tests.fakes import ScriptedModel, says
from tests.servers.discord.world import Message
from tests.wire.discord_house import answered, working
from tests.wire.discord_scene import Scene, open_scene
from tests.wire.recorded import recorded


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with open_scene() as scene:
        yield scene


def read(scene: Scene, message: Message) -> list[dict[str, Any]]:
    """The files of a message."""
    files = scene.discord.realm.files
    base = scene.discord.realm.files_url
    return [json.loads(files[each["url"].removeprefix(base)]) for each in message.attachments]


def texts(file: dict[str, Any]) -> list[str]:
    return [each["text"] for one in file["conversations"] for each in one["messages"]]


async def test_it_comes_with_the_answer_and_asked_for_in_a_message_as_a_direct_message(
    scene: Scene, sqlite_url: str
) -> None:
    thread = await scene.ann.starts_thread(scene.channel, "lunch")
    model = ScriptedModel(says("Noted."), says("Noted, too."))
    async with working(scene.discord, sqlite_url, model=model):
        await scene.ann.says(thread, "<@nimbus> my word is xylophone")
        await answered(scene.discord, thread, "Noted.")
        await scene.bob.says(thread, "<@nimbus> mine is marimba")
        await answered(scene.discord, thread, "Noted, too.")
        await recorded(sqlite_url, 2)
        await scene.ann.commands(scene.channel, "/nimbus export")
        told = await scene.whispered(scene.ann)
        await scene.ann.says(thread, "<@nimbus> export")
        await answered(scene.discord, thread, wording.EXPORT_SENT)

    [by_command] = read(scene, told)
    [by_message] = read(scene, scene.bot.own(scene.bot.direct(scene.ann))[0])
    assert texts(by_command) == ["my word is xylophone", "Noted."]
    assert by_message == by_command
    assert told.content.startswith("This is what I keep of you")


@pytest.mark.slow
async def test_who_takes_no_direct_messages_is_told_so(scene: Scene, sqlite_url: str) -> None:
    thread = await scene.ann.starts_thread(scene.channel, "lunch")
    scene.ann.user.blocked.add(scene.bot.id)
    async with working(scene.discord, sqlite_url, model=ScriptedModel(says("Noted."))):
        await scene.ann.says(thread, "<@nimbus> my word is xylophone")
        await answered(scene.discord, thread, "Noted.")
        await scene.ann.says(thread, "<@nimbus> export")
        await answered(scene.discord, thread, wording.EXPORT_NOT_SENT)

    assert scene.bot.own(scene.bot.direct(scene.ann)) == []
