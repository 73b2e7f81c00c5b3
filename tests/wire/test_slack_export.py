"""What is kept of a person comes to them as a file in their direct messages, and to nobody else."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot import wording
from tests.fakes import ScriptedModel, says
from tests.servers.slack.people import Person
from tests.wire.recorded import recorded
from tests.wire.slack_house import working
from tests.wire.slack_scene import Scene, open_scene


@pytest.fixture
async def scene(sqlite_url: str) -> AsyncIterator[Scene]:
    async with open_scene(sqlite_url) as opened:
        yield opened


def shared(scene: Scene, person: Person) -> list[dict[str, Any]]:
    """The files in the person's direct messages."""
    named = [
        file["id"]
        for message in scene.home.direct(person).messages
        for file in message.more.get("files", ())
    ]
    return [json.loads(scene.home.uploads[each].content or b"") for each in named]


async def test_a_file_goes_to_who_asked(scene: Scene) -> None:
    model = ScriptedModel(says("Noted."), says("Noted, too."))
    async with working(scene.slack, scene.url, model=model):
        thread = await scene.asks(scene.ann, "my word is xylophone", "Noted.")
        await scene.bob.says(scene.channel, "<@bot> mine is marimba", thread=thread)
        await scene.answered("Noted, too.", thread)
        await recorded(scene.url, 2)
        await scene.ann.commands(scene.channel, "/nimbus export")
        await scene.whispered(scene.ann, wording.EXPORT_SENT)
        await scene.ann.says(scene.channel, "<@bot> export", thread=thread)
        await scene.slack.until(lambda: len(scene.ann.whispers) == 2)

    by_command, by_mention = shared(scene, scene.ann)
    assert by_mention == by_command
    [conversation] = by_command["conversations"]
    assert [each["text"] for each in conversation["messages"]] == ["my word is xylophone", "Noted."]
    assert scene.bob.whispers == []
    assert all(upload.is_shared for upload in scene.home.uploads.values())


@pytest.mark.slow
async def test_without_the_scope_it_says_so(scene: Scene) -> None:
    scene.home.scopes.remove("files:write")
    model = ScriptedModel(says("Noted."))
    async with working(scene.slack, scene.url, model=model):
        await scene.asks(scene.ann, "my word is xylophone", "Noted.")
        await scene.ann.commands(scene.channel, "/nimbus export")
        await scene.whispered(scene.ann, wording.EXPORT_NOT_SENT)

    assert scene.home.uploads == {}
