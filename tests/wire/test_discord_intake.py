"""What is said on Discord gets one answer each, whatever the gateway does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from bot import wording
from bot.settings import Settings
from tests.fakes import ScriptedModel, hangs, says
from tests.servers.discord.permissions import May
from tests.servers.discord.world import Channel, Message
from tests.wire.discord_house import answered, until, working
from tests.wire.discord_scene import Scene, open_scene
from tests.wire.through import Through

pytestmark = pytest.mark.slow


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with open_scene() as scene:
        yield scene


async def thread_of(scene: Scene, asked: Message, answer: str) -> Channel:
    """The thread that was made for the answer, once that stands there."""
    await scene.discord.until(lambda: asked.thread)
    assert asked.thread is not None
    await answered(scene.discord, asked.thread, answer)
    return asked.thread


def said(scene: Scene, channel: Channel) -> list[str]:
    return [each.content for each in scene.bot.own(channel)]


async def test_copies_get_one_answer(scene: Scene, sqlite_url: str) -> None:
    model = ScriptedModel(says("Hello, Ann."))
    async with working(scene.discord, sqlite_url, model=model):
        asked = await scene.ann.says(scene.channel, "<@nimbus> Hello")
        for _ in range(4):
            await scene.discord.again(*scene.discord.about(asked))
        thread = await thread_of(scene, asked, "Hello, Ann.")
        await scene.discord.again(*scene.discord.about(asked))
        await answered(scene.discord, thread, "Hello, Ann.")

    assert said(scene, thread) == ["Hello, Ann."]
    await model.close()


async def test_a_copy_after_a_restart_gets_no_second_answer(scene: Scene, sqlite_url: str) -> None:
    model = ScriptedModel(says("Hello, Ann."), says("Hello, Bob."))
    async with working(scene.discord, sqlite_url, model=model):
        asked = await scene.ann.says(scene.channel, "<@nimbus> Hello")
        thread = await thread_of(scene, asked, "Hello, Ann.")
    async with working(scene.discord, sqlite_url, model=model):
        await scene.discord.again(*scene.discord.about(asked))
        await scene.bob.says(thread, "<@nimbus> Hello")
        await answered(scene.discord, thread, "Hello, Bob.")

    assert said(scene, thread) == ["Hello, Ann.", "Hello, Bob."]
    await model.close()


async def test_what_a_resumed_session_tells_again_is_answered_once(
    scene: Scene, sqlite_url: str
) -> None:
    model = ScriptedModel(says("One."), says("Two."))
    direct = scene.bot.direct(scene.ann)
    async with working(scene.discord, sqlite_url, model=model) as health:
        await scene.ann.says(direct, "first")
        await answered(scene.discord, direct, "One.")
        scene.bot.hub.abort()
        second = await scene.ann.says(direct, "second")
        await until(lambda: scene.bot.hub.resumes and health.is_ready)
        await scene.discord.again(*scene.discord.about(second))
        await answered(scene.discord, direct, "Two.")

    assert said(scene, direct) == ["One.", "Two."]
    assert scene.bot.hub.identifies == 1
    await model.close()


async def test_what_cannot_be_written_down_at_first_is_answered(
    scene: Scene, sqlite_url: str
) -> None:
    model = ScriptedModel(says("Hello, Ann."))
    failing = partial(Through, failures=3)
    async with working(scene.discord, sqlite_url, model=model, seen_as=failing):
        asked = await scene.ann.says(scene.channel, "<@nimbus> Hello")
        thread = await thread_of(scene, asked, "Hello, Ann.")

    assert said(scene, thread) == ["Hello, Ann."]
    await model.close()


async def test_fifty_conversations_do_not_mix(scene: Scene, sqlite_url: str) -> None:
    """Each of fifty people plants a word and asks for it; the offline model reads only what it
    is sent."""
    people = [scene.discord.person(f"P{number}", scene.home) for number in range(50)]
    words = [f"order 7{number:03}" for number in range(50)]
    async with working(scene.discord, sqlite_url):
        asked = [
            await person.says(scene.channel, f"<@nimbus> Where is my {word}?")
            for person, word in zip(people, words, strict=True)
        ]
        await scene.discord.until(lambda: all(each.thread for each in asked), 60)
        threads = [each.thread for each in asked if each.thread]
        await scene.discord.until(lambda: all(map(scene.bot.own, threads)), 60)
        await until(lambda: scene.discord.quiet, 60)
        for person, thread in zip(people, threads, strict=True):
            await person.says(thread, "what did I ask first?")
        await scene.discord.until(lambda: all(len(scene.bot.own(each)) > 1 for each in threads), 60)
        await until(lambda: scene.discord.quiet, 60)

    for word, thread in zip(words, threads, strict=True):
        answer = said(scene, thread)[1]
        assert word in answer
        assert not [other for other in words if other != word and other in answer]


async def test_two_people_in_a_thread_are_answered_in_order(scene: Scene, sqlite_url: str) -> None:
    model = ScriptedModel(says("For Ann."), says("For Bob."))
    thread = await scene.ann.starts_thread(scene.channel, "lunch")
    async with working(scene.discord, sqlite_url, model=model):
        await scene.ann.says(thread, "<@nimbus> one")
        await scene.bob.says(thread, "<@nimbus> two")
        await answered(scene.discord, thread, "For Bob.")

    assert said(scene, thread) == ["For Ann.", "For Bob."]
    assert "two" not in model.requests[0].messages[-1].text
    await model.close()


async def test_without_the_intent_a_follow_up_is_told_once_how_to_be_heard(
    scene: Scene, sqlite_url: str
) -> None:
    scene.bot.app.content_allowed = False
    model = ScriptedModel(says("One."), says("Two."))
    async with working(scene.discord, sqlite_url, model=model):
        asked = await scene.ann.says(scene.channel, "<@nimbus> one")
        thread = await thread_of(scene, asked, "One.")
        for _ in range(2):
            await scene.ann.says(thread, "and now?")
        await answered(scene.discord, thread, wording.HIDDEN)
        await scene.ann.says(thread, "<@nimbus> two")
        await answered(scene.discord, thread, "Two.")

    assert said(scene, thread) == ["One.", wording.HIDDEN, "Two."]
    assert "and now?" not in kept(sqlite_url)
    await model.close()


async def test_without_the_intent_replies_and_direct_messages_are_heard(
    scene: Scene, sqlite_url: str
) -> None:
    scene.bot.app.content_allowed = False
    settings = Settings(database_url=sqlite_url, discord_threads="never")
    model = ScriptedModel(says("One."), says("Two."), says("Three."))
    direct = scene.bot.direct(scene.ann)
    async with working(scene.discord, sqlite_url, model=model, settings=settings):
        await scene.ann.says(scene.channel, "<@nimbus> one")
        await answered(scene.discord, scene.channel, "One.")
        await scene.ann.says(scene.channel, "two", to=scene.bot.own(scene.channel)[0])
        await answered(scene.discord, scene.channel, "Two.")
        await scene.ann.says(direct, "three")
        await answered(scene.discord, direct, "Three.")

    assert len(model.requests[1].messages) == 3  # the reply goes on with what it replies to
    await model.close()


async def test_no_thread_where_none_may_be_made(scene: Scene, sqlite_url: str) -> None:
    scene.home.overwrite(scene.channel, deny=May.CREATE_PUBLIC_THREADS)
    model = ScriptedModel(says("One."), says("Two."))
    async with working(scene.discord, sqlite_url, model=model):
        await scene.ann.says(scene.channel, "<@nimbus> one")
        await answered(scene.discord, scene.channel, "One.")
        await scene.ann.says(scene.channel, "two", to=scene.bot.own(scene.channel)[0])
        await answered(scene.discord, scene.channel, "Two.")

    assert len(model.requests[1].messages) == 3
    await model.close()


async def test_a_reply_to_an_answer_that_grows_belongs_to_it(scene: Scene, sqlite_url: str) -> None:
    settings = Settings(database_url=sqlite_url, discord_threads="never")
    model = ScriptedModel(hangs("Once upon a time"), says("Well."))
    async with working(scene.discord, sqlite_url, model=model, settings=settings):
        await scene.ann.says(scene.channel, "<@nimbus> tell me a story")
        await scene.discord.until(lambda: scene.bot.own(scene.channel))
        await scene.bob.says(scene.channel, "me, too", to=scene.bot.own(scene.channel)[0])
        await scene.ann.says(scene.channel, "<@nimbus> stop", to=scene.bot.own(scene.channel)[0])
        await answered(scene.discord, scene.channel, "Well.")

    assert len(model.requests[1].messages) == 3
    await model.close()


async def test_a_chain_of_replies_is_stopped_by_its_button(scene: Scene, sqlite_url: str) -> None:
    settings = Settings(database_url=sqlite_url, discord_threads="never")
    model = ScriptedModel(hangs("Once upon a time"))
    async with working(scene.discord, sqlite_url, model=model, settings=settings):
        await scene.ann.says(scene.channel, "<@nimbus> tell me a story")
        await scene.discord.until(lambda: scene.bot.own(scene.channel))
        await scene.ann.clicks(scene.bot.own(scene.channel)[0], "nimbus:stop")
        await answered(scene.discord, scene.channel, wording.STOPPED_MARK)

    assert scene.ann.whispers[-1].content == wording.STOPPING


def kept(url: str) -> str:
    """All that stands in the database's files."""
    file = Path(url.removeprefix("sqlite:///"))
    parts = (part.read_bytes() for part in file.parent.glob(f"{file.name}*"))
    return b"".join(parts).decode("utf-8", "ignore")
