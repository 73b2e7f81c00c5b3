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

pytestmark = pytest.mark.slow


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


async def test_the_slash_command_is_answered_with_it(scene: Scene, sqlite_url: str) -> None:
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

    [file] = read(scene, told)
    assert texts(file) == ["my word is xylophone", "Noted."]
    assert told.content.startswith("This is what I keep of you")


@pytest.mark.parametrize("takes_messages", [True, False])
async def test_asked_for_in_a_message_it_comes_as_a_direct_message(
    scene: Scene, sqlite_url: str, *, takes_messages: bool
) -> None:
    thread = await scene.ann.starts_thread(scene.channel, "lunch")
    if not takes_messages:
        scene.ann.user.blocked.add(scene.bot.id)
    model = ScriptedModel(says("Noted."))
    async with working(scene.discord, sqlite_url, model=model):
        await scene.ann.says(thread, "<@nimbus> my word is xylophone")
        await answered(scene.discord, thread, "Noted.")
        await recorded(sqlite_url, 1)
        await scene.ann.says(thread, "<@nimbus> export")
        told = wording.EXPORT_SENT if takes_messages else wording.EXPORT_NOT_SENT
        await answered(scene.discord, thread, told)

    sent = scene.bot.own(scene.bot.direct(scene.ann))
    files = [file for each in sent for file in read(scene, each)]
    assert [texts(file) for file in files] == [["my word is xylophone", "Noted."]] * takes_messages
