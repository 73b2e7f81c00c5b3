"""What `/nimbus` does, with the whole worker behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot import wording
from tests.fakes import ScriptedModel, hangs, says
from tests.servers.discord.people import Person
from tests.servers.discord.world import Channel
from tests.wire.discord_house import answered, working
from tests.wire.discord_scene import Scene, open_scene

pytestmark = pytest.mark.slow


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with open_scene() as scene:
        yield scene


async def told(scene: Scene, person: Person, channel: Channel, word: str) -> str:
    number = len(person.whispers) + 1
    await person.commands(channel, f"/nimbus {word}")
    return (await scene.whispered(person, number)).content


async def test_a_running_answer_is_stopped_in_its_thread(scene: Scene, sqlite_url: str) -> None:
    thread = await scene.ann.starts_thread(scene.channel, "lunch")
    model = ScriptedModel(hangs("Once upon a time"))
    async with working(scene.discord, sqlite_url, model=model):
        await scene.ann.says(thread, "<@nimbus> tell me a story")
        await scene.discord.until(lambda: scene.bot.own(thread))
        assert await told(scene, scene.ann, thread, "stop") == wording.STOPPING
        await answered(scene.discord, thread, wording.STOPPED_MARK)


async def test_a_muted_thread_waits_for_mentions(scene: Scene, sqlite_url: str) -> None:
    thread = await scene.ann.starts_thread(scene.channel, "lunch")
    model = ScriptedModel(says("One."), says("Two."), says("Three."))
    async with working(scene.discord, sqlite_url, model=model):
        assert await told(scene, scene.ann, thread, "mute") == wording.NO_CONVERSATION
        await scene.ann.says(thread, "<@nimbus> one")
        await answered(scene.discord, thread, "One.")
        assert await told(scene, scene.ann, thread, "mute") == wording.MUTED
        await scene.ann.says(thread, "not for you")
        await scene.ann.says(thread, "<@nimbus> two")
        await answered(scene.discord, thread, "Two.")
        assert await told(scene, scene.ann, thread, "unmute") == wording.UNMUTED
        await scene.ann.says(thread, "three")
        await answered(scene.discord, thread, "Three.")

    assert not any("not for you" in each.text for each in model.requests[2].messages)
    await model.close()


async def test_in_direct_messages_everything_means_them(scene: Scene, sqlite_url: str) -> None:
    direct = scene.bot.direct(scene.ann)
    model = ScriptedModel(says("One."), says("Two."))
    async with working(scene.discord, sqlite_url, model=model):
        await scene.ann.says(direct, "one")
        await answered(scene.discord, direct, "One.")
        assert "- **Turns**: 1" in await told(scene, scene.ann, direct, "status")
        assert await told(scene, scene.ann, direct, "new") == wording.NEW
        await scene.ann.says(direct, "two")
        await answered(scene.discord, direct, "Two.")
        assert await told(scene, scene.ann, direct, "mute") == wording.ALWAYS_ANSWERED
        assert "Forgotten: 2 conversations" in await forgotten(scene, direct)

    assert len(model.requests[1].messages) == 1
    await model.close()


async def forgotten(scene: Scene, direct: Channel) -> str:
    """Everything, once it is confirmed."""
    asked = await told(scene, scene.ann, direct, "forget")
    message = scene.ann.whispers[-1]
    await scene.ann.clicks(message, "nimbus:forget")
    await scene.discord.until(lambda: message.content != asked)
    return message.content


async def test_by_mention_the_same_is_told_by_a_reply(scene: Scene, sqlite_url: str) -> None:
    async with working(scene.discord, sqlite_url, model=ScriptedModel()):
        asked = await scene.ann.says(scene.channel, "<@nimbus> help")
        await answered(scene.discord, scene.channel, "- **forget**: ")

    [notice] = scene.bot.own(scene.channel)
    assert (notice.replies_to, notice.pings, asked.thread) == (asked.id, set(), None)
