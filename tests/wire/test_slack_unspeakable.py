"""Whatever fails, no person reads an exception, a token or a bare id; the server looks at all that
is sent, and fails a test in the end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

import pytest

from bot.errors import ModelError
from bot.model import ModelRequest, ModelResponse
from bot.settings import Settings
from memory.messages import ToolCall
from tests.fakes import ScriptedModel, Step, asks, fails, says
from tests.wire.failing_tools import SECRET
from tests.wire.slack_house import said, working
from tests.wire.slack_scene import Scene, open_scene
from tests.wire.slack_stories import Repeating

TELLTALE = f"HTTPError: 401 for {SECRET}, user U0000000003"
STEPS: Mapping[str, list[Step]] = {
    "a model that fails": [fails(error=ModelError(TELLTALE, retryable=False))],
    "a model that fails after a while": [
        fails("Let me see. ", error=ModelError(TELLTALE, retryable=True))
    ],
    "a model that says nothing": [says("")],
    "a model that calls everybody": [
        says("<!channel> <!here|here> @everyone <@U0000000003> <!subteam^S1> @here")
    ],
}
CALLS = ("break_down", "refuse", "unknown_tool")


@pytest.fixture
async def scene(sqlite_url: str) -> AsyncIterator[Scene]:
    async with open_scene(sqlite_url) as opened:
        yield opened


class Broken(ScriptedModel):
    """Fails as nobody foresaw."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        self.requests.append(request)
        yield "Let me see. "
        raise RuntimeError(TELLTALE)


@pytest.mark.slow
@pytest.mark.parametrize("what", STEPS)
async def test_a_sentence_is_said_of(what: str, scene: Scene) -> None:
    model = ScriptedModel(*STEPS[what])

    async with working(scene.slack, scene.url, model=model):
        root = await scene.ann.says(scene.channel, "<@bot> Hello")
        await scene.answered("", root.ts)

    assert len(said(scene.home, scene.channel, root.ts)) == 1
    await model.close()


@pytest.mark.slow
async def test_a_model_that_breaks_is_an_interruption(scene: Scene) -> None:
    async with working(scene.slack, scene.url, model=Broken()):
        root = await scene.ann.says(scene.channel, "<@bot> Hello")
        await scene.answered("I was interrupted", root.ts)


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
async def test_a_model_is_told_no_more_of_a_failed_tool_than_people_may_read(
    name: str, scene: Scene
) -> None:
    """It repeats what it was told."""
    model = Calling(name)
    settings = Settings(database_url=scene.url, tools=("tests.wire.failing_tools",))

    async with working(scene.slack, scene.url, model=model, settings=settings):
        root = await scene.ann.says(scene.channel, "<@bot> Hello")
        await scene.answered("I was told", root.ts)

    [answer] = said(scene.home, scene.channel, root.ts)
    assert "error" in answer
    assert SECRET not in answer


class Calling(Repeating):
    """Calls a tool and says what came of it."""

    def __init__(self, name: str) -> None:
        self._first = ScriptedModel(asks(ToolCall("call-1", name, "{}")))

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        results = request.messages[-1].results
        if not results:
            async for piece in self._first.stream(request):
                yield piece
            return
        answer = ScriptedModel(says(f"I was told: {results[0].text}"))
        async for piece in answer.stream(request):
            yield piece


async def test_a_strange_command_is_not_repeated(scene: Scene) -> None:
    async with working(scene.slack, scene.url):
        for line in (f"/nimbus {SECRET}", f"/nimbus {scene.bob.id}", "/nimbus ValueError: no"):
            await scene.ann.commands(scene.channel, line)
            await scene.slack.until(lambda: scene.slack.quiet)
        await scene.slack.until(lambda: len(scene.ann.whispers) == 3)

    assert {each.text for each in scene.ann.whispers} == {
        "There is no such command. help shows what there is."
    }
