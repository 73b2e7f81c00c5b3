"""Edits and deletes on Slack reach memory, as Slack tells of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes import ScriptedModel, hangs, says
from tests.servers.slack.world import ChannelKind
from tests.wire.slack_house import answered, said, working
from tests.wire.slack_scene import Scene, open_scene


@pytest.fixture
async def scene(sqlite_url: str) -> AsyncIterator[Scene]:
    async with open_scene(sqlite_url) as opened:
        yield opened


def kept(scene: Scene, text: str) -> bool:
    """Whether the text stands anywhere in the database's files."""
    file = Path(scene.url.removeprefix("sqlite:///"))
    return any(text.encode() in part.read_bytes() for part in file.parent.glob(f"{file.name}*"))


async def test_an_edit_that_adds_a_mention_calls_once(scene: Scene) -> None:
    model = ScriptedModel(says("Hello."))

    async with working(scene.slack, scene.url, model=model):
        message = await scene.ann.says(scene.channel, "Anybody there?")
        await scene.slack.until(lambda: scene.slack.quiet)
        await scene.ann.edits(message, "<@bot> anybody there?")
        await scene.answered("Hello.", message.ts)
        await scene.slack.again(*scene.slack.about(message))
        await scene.slack.until(lambda: scene.slack.quiet)

    assert said(scene.home, scene.channel) == ["Hello."]
    await model.close()


async def test_the_next_turn_knows_an_edit(scene: Scene) -> None:
    model = ScriptedModel(says("Noted."), says("Blue."))

    async with working(scene.slack, scene.url, model=model):
        thread = await scene.asks(scene.ann, "I like red", "Noted.")
        await scene.ann.edits(scene.channel.messages[0], "<@bot> I like blue")
        await scene.slack.until(lambda: scene.slack.quiet)
        await scene.ann.says(scene.channel, "What do I like?", thread=thread)
        await scene.answered("Blue.", thread)

    assert "I like blue" in model.requests[1].messages[0].text
    await model.close()


async def test_a_preview_of_a_link_is_no_edit(scene: Scene) -> None:
    model = ScriptedModel(says("Nice."))

    async with working(scene.slack, scene.url, model=model):
        await scene.asks(scene.ann, "see <https://example.com>", "Nice.")
        await scene.ann.unfurls(scene.channel.messages[0], "An example")
        await scene.slack.until(lambda: scene.slack.quiet)

    assert said(scene.home, scene.channel) == ["Nice."]
    await model.close()


async def test_a_deleted_question_is_gone_with_its_answer(scene: Scene) -> None:
    model = ScriptedModel(says("Noted."))

    async with working(scene.slack, scene.url, model=model):
        await scene.asks(scene.ann, "My word is xylophone", "Noted.")
        assert kept(scene, "xylophone")
        await scene.ann.deletes(scene.channel.messages[0])
        await scene.slack.until(lambda: scene.slack.quiet)

    assert not kept(scene, "xylophone")
    await model.close()


async def test_a_question_that_is_deleted_while_it_is_answered_ends_that(scene: Scene) -> None:
    model = ScriptedModel(hangs("Your word is"))

    async with working(scene.slack, scene.url, model=model):
        root = await scene.ann.says(scene.channel, "<@bot> My word is xylophone")
        await scene.slack.until(lambda: said(scene.home, scene.channel, root.ts))
        await scene.ann.deletes(root)
        await scene.slack.until(
            lambda: said(scene.home, scene.channel, root.ts) != ["Your word is"]
        )
        await scene.slack.until(lambda: scene.slack.quiet)

    assert not kept(scene, "xylophone")
    assert len(said(scene.home, scene.channel, root.ts)) == 1
    await model.close()


@pytest.mark.slow
@pytest.mark.parametrize("what", ["channel", "private channel", "app"])
async def test_what_is_removed_takes_its_conversations_along(scene: Scene, what: str) -> None:
    kind: ChannelKind = "private" if what == "private channel" else "public"
    gone, other = scene.home.channel("gone", scene.ann, kind=kind), scene.channel
    model = ScriptedModel(says("Noted."), says("Noted."))

    async with working(scene.slack, scene.url, model=model):
        for channel, word in ((gone, "xylophone"), (other, "marimba")):
            asked = await scene.ann.says(channel, f"<@bot> my word is {word}")
            await answered(scene.slack, scene.home, channel, asked.ts, text="Noted.")
        await asyncio.sleep(1.1)  # Slack tells the time of it in whole seconds
        if what == "app":
            scene.home.uninstall()
        else:
            scene.home.remove(gone)
        await scene.slack.until(lambda: scene.slack.quiet)

        assert not kept(scene, "xylophone")
        assert kept(scene, "marimba") == (what != "app")
    await model.close()
