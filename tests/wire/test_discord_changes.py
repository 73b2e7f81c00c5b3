"""Edits, deletes and removals on Discord reach memory."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.fakes import ScriptedModel, says
from tests.servers.discord.world import Channel
from tests.wire.discord_house import answered, until, working
from tests.wire.discord_scene import Scene, open_scene
from tests.wire.test_discord_intake import kept, said, thread_of

pytestmark = pytest.mark.slow


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with open_scene() as scene:
        yield scene


async def test_an_edit_that_adds_a_mention_calls_once(scene: Scene, sqlite_url: str) -> None:
    model = ScriptedModel(says("Hello."))
    async with working(scene.discord, sqlite_url, model=model):
        message = await scene.ann.says(scene.channel, "Anybody there?")
        await scene.ann.edits(message, "<@nimbus> anybody there?")
        thread = await thread_of(scene, message, "Hello.")
        await scene.discord.again(*scene.discord.about(message))
        await answered(scene.discord, thread, "Hello.")

    assert said(scene, thread) == ["Hello."]
    await model.close()


async def test_the_next_turn_knows_an_edit_and_no_preview(scene: Scene, sqlite_url: str) -> None:
    model = ScriptedModel(says("Noted."), says("Blue."))
    direct = scene.bot.direct(scene.ann)
    async with working(scene.discord, sqlite_url, model=model):
        message = await scene.ann.says(direct, "I like red")
        await answered(scene.discord, direct, "Noted.")
        await scene.ann.edits(message, "I like blue")
        await scene.ann.unfurls(message, "All about blue")
        await scene.ann.says(direct, "What do I like?")
        await answered(scene.discord, direct, "Blue.")

    assert model.requests[1].messages[0].text == "I like blue"
    await model.close()


@pytest.mark.parametrize("at_once", [False, True])
async def test_what_is_deleted_is_gone(scene: Scene, sqlite_url: str, *, at_once: bool) -> None:
    model = ScriptedModel(says("Noted."), says("Noted, too."), says("Hello."))
    direct = scene.bot.direct(scene.ann)
    async with working(scene.discord, sqlite_url, model=model):
        first = await scene.ann.says(direct, "My word is xylophone")
        await answered(scene.discord, direct, "Noted.")
        second = await scene.ann.says(direct, "Another is marimba")
        await answered(scene.discord, direct, "Noted, too.")
        if at_once:
            await scene.ann.deletes(first, second)
        else:
            await scene.ann.deletes(first)
            await scene.ann.deletes(second)
        await scene.ann.says(direct, "Hello")
        await answered(scene.discord, direct, "Hello.")

    assert not [word for word in ("xylophone", "marimba") if word in kept(sqlite_url)]
    assert len(model.requests[2].messages) == 1
    await model.close()


async def planted(scene: Scene, channel: Channel, word: str) -> Channel:
    """A thread in which somebody said a word, and was answered."""
    asked = await scene.ann.says(channel, f"<@nimbus> my word is {word}")
    return await thread_of(scene, asked, "Noted.")


@pytest.mark.parametrize("what", ["thread", "channel", "server"])
async def test_what_is_removed_takes_its_conversations_along(
    scene: Scene, sqlite_url: str, what: str
) -> None:
    other, direct = scene.home.channel("other"), scene.bot.direct(scene.ann)
    model = ScriptedModel(*[says("Noted.")] * 4)
    async with working(scene.discord, sqlite_url, model=model):
        thread = await planted(scene, scene.channel, "xylophone")
        await planted(scene, scene.channel, "marimba")
        await planted(scene, other, "celesta")
        await scene.ann.says(direct, "my word is timpani")
        await answered(scene.discord, direct, "Noted.")
        match what:
            case "thread":
                scene.discord.realm.tell_of_thread("THREAD_DELETE", thread)
            case "channel":
                scene.home.remove_channel(scene.channel)
            case _:
                scene.home.kick(scene.bot)
        await until(lambda: "xylophone" not in kept(sqlite_url))

        stays = {"thread": ["marimba", "celesta"], "channel": ["celesta"], "server": []}[what]
        there = [word for word in ("marimba", "celesta") if word in kept(sqlite_url)]
        assert (there, "timpani" in kept(sqlite_url)) == (stays, True)


async def test_an_outage_of_a_server_forgets_nothing(scene: Scene, sqlite_url: str) -> None:
    model = ScriptedModel(says("Noted."), says("Xylophone."))
    async with working(scene.discord, sqlite_url, model=model):
        thread = await planted(scene, scene.channel, "xylophone")
        scene.home.fail()
        scene.home.recover()
        await scene.ann.says(thread, "what is it?")
        await answered(scene.discord, thread, "Xylophone.")

    assert len(model.requests[1].messages) == 3
    await model.close()


@pytest.mark.slow
async def test_a_server_that_was_left_while_nobody_ran_is_noticed_at_the_next_start(
    scene: Scene, sqlite_url: str
) -> None:
    """One that is only away is named all the same, and keeps what was said there."""
    away = scene.discord.guild("away", scene.bot)
    channel = away.channel("general")
    ann = scene.discord.person("Cleo", away)
    model = ScriptedModel(says("Noted."), says("Noted."))
    async with working(scene.discord, sqlite_url, model=model):
        await planted(scene, scene.channel, "xylophone")
        asked = await ann.says(channel, "<@nimbus> my word is marimba")
        await thread_of(scene, asked, "Noted.")
    scene.home.kick(scene.bot)
    away.fail()

    async with working(scene.discord, sqlite_url, model=model):
        await until(lambda: "xylophone" not in kept(sqlite_url))

        assert "marimba" in kept(sqlite_url)
    await model.close()
