"""What Slack tells as ids is read in words, by the model and by people."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.model import ModelRequest
from bot.settings import Settings
from tests.fakes import ScriptedModel, says
from tests.servers.slack import faults
from tests.wire.slack_house import said, working
from tests.wire.slack_scene import Scene, open_scene


@pytest.fixture
async def scene(sqlite_url: str) -> AsyncIterator[Scene]:
    async with open_scene(sqlite_url) as opened:
        yield opened


def ids_in(scene: Scene, request: ModelRequest) -> list[str]:
    told = repr(request)
    return [each for each in scene.slack.web_api.inspector.ids if each in told]


async def test_a_model_reads_names_and_no_ids(scene: Scene) -> None:
    model = ScriptedModel(says("Yes."), says("No."))
    about = f"did <@Bob> say so in <#{scene.channel.id}|general>?"

    async with working(scene.slack, scene.url, model=model):
        root = await scene.bob.says(scene.channel, f"<@Ann>, I said so in <#{scene.channel.id}>")
        asked = await scene.ann.says(scene.channel, f"<@bot> {about}", thread=root.ts)
        await scene.answered("Yes.", root.ts)
        await scene.ann.edits(asked, f"<@bot> really, {about}")
        await scene.bob.says(scene.channel, "<@Ann> and I <@Bob> agree", thread=root.ts)
        await scene.ann.says(scene.channel, "<@bot> and <@Bob>?", thread=root.ts)
        await scene.answered("No.", root.ts)

    assert [ids_in(scene, request) for request in model.requests] == [[], []]
    assert "really, did @Bob say so in #general?" in model.requests[1].messages[0].text
    await model.close()


@pytest.mark.parametrize(
    "act", [faults.broken(), pytest.param(faults.limited(30), marks=pytest.mark.slow)]
)
async def test_nobody_reads_an_id_even_if_slack_tells_no_names(
    scene: Scene, act: faults.Act
) -> None:
    model = ScriptedModel(says("Yes."))
    scene.slack.decide(faults.always(faults.Fate(before=act), "users.info", "conversations.info"))

    settings = Settings(database_url=scene.url, tools=(), allow_external=True)

    async with working(scene.slack, scene.url, model=model, settings=settings):
        about = f"did <@Bob> say so in <#{scene.channel.id}>?"
        await scene.asks(scene.ann, about, "Yes.")

    assert "did @somebody say so in #a-channel?" in model.requests[0].messages[-1].text
    assert said(scene.home, scene.channel) == ["Yes."]
    await model.close()
