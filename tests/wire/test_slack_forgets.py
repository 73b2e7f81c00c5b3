"""What was forgotten on Slack stays forgotten, whatever Slack says again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes import ScriptedModel, hangs, says
from tests.servers.slack.people import Person
from tests.wire.slack_house import said, working
from tests.wire.slack_scene import Scene, open_scene

SECRET = "xylophone"


@pytest.fixture
async def scene(sqlite_url: str) -> AsyncIterator[Scene]:
    async with open_scene(sqlite_url) as opened:
        yield opened


def kept(scene: Scene) -> bool:
    """Whether the secret stands anywhere in the database's files."""
    file = Path(scene.url.removeprefix("sqlite:///"))
    return any(SECRET.encode() in part.read_bytes() for part in file.parent.glob(f"{file.name}*"))


async def forgets(scene: Scene, person: Person, thread: str, answer: str) -> None:
    await person.says(scene.channel, "<@bot> forget", thread=thread)
    await scene.whispered(person, answer)


async def test_nothing_comes_back(scene: Scene) -> None:
    model = ScriptedModel(says("Noted."), says("Hello."))
    async with working(scene.slack, scene.url, model=model):
        thread = await scene.asks(scene.ann, f"My word is {SECRET}", "Noted.")
        old = scene.slack.about(scene.channel.messages[0])
        assert kept(scene)
        await forgets(scene, scene.ann, thread, "Forgotten: 1 conversation")
        await scene.slack.again(*old)
        await scene.ann.edits(scene.channel.messages[0], f"<@bot> My word was {SECRET}")
        await scene.slack.until(lambda: scene.slack.quiet)
    assert not kept(scene)

    async with working(scene.slack, scene.url, model=model):
        await scene.slack.again(*old)
        await scene.ann.says(scene.channel, "<@bot> what was it?", thread=thread)
        await scene.answered("Hello.", thread)

    assert not any(SECRET in message.text for message in model.requests[1].messages)
    assert not kept(scene)
    assert scene.slack.checked == []
    await model.close()


async def test_only_the_owner_and_administrators_may(scene: Scene) -> None:
    root = scene.home.person("Root", admin=True)
    model = ScriptedModel(says("Noted."))

    async with working(scene.slack, scene.url, model=model):
        thread = await scene.asks(scene.ann, f"My word is {SECRET}", "Noted.")
        await forgets(scene, scene.bob, thread, "Only who began this conversation")
        assert kept(scene)
        await forgets(scene, root, thread, "Forgotten: 1 conversation")

    assert not kept(scene)
    await model.close()


async def test_a_running_answer_is_closed(scene: Scene) -> None:
    model = ScriptedModel(hangs(f"Your {SECRET} is"))

    async with working(scene.slack, scene.url, model=model):
        root = await scene.ann.says(scene.channel, f"<@bot> My word is {SECRET}")
        await scene.slack.until(lambda: said(scene.home, scene.channel, root.ts))
        await scene.ann.commands(scene.channel, "/nimbus forget")
        await scene.whispered(scene.ann, "Forgotten: 1 conversation")
        await scene.answered("This conversation was forgotten.", root.ts)

    assert len(said(scene.home, scene.channel, root.ts)) == 1
    assert not kept(scene)
    await model.close()


async def test_a_direct_message_is_anybodys_to_forget(scene: Scene) -> None:
    channel = scene.home.direct(scene.ann)
    model = ScriptedModel(says("Noted."))

    async with working(scene.slack, scene.url, model=model):
        await scene.ann.says(channel, f"My word is {SECRET}")
        await scene.answered("Noted.", channel=channel)
        await scene.ann.commands(channel, "/nimbus forget")
        await scene.whispered(scene.ann, "Forgotten: 1 conversation")

    assert not kept(scene)
    await model.close()
