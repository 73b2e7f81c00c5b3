"""A process dies at any moment of a turn, and the next one ends the turn: one answer."""

from pathlib import Path

import pytest

from memory.messages import ToolCall
from tests.conversation.stories.flaky import fail
from tests.conversation.stories.house import KNOCK, Door, living
from tests.fakes import asks, hangs, says
from tests.played_network import ARRIVES, LOST, RESPONSE_LOST, Fate

pytestmark = pytest.mark.inline

UNKNOWN = "unknown whether this was done before the restart"


async def test_after_accept(tmp_path: Path) -> None:
    async with living(tmp_path, says("One."), works=False) as house:
        await house.say("one")
        await house.restart()
        await house.quiet()

        assert house.shown() == ["one", "> One."]
        assert house.attempts() == [1]


async def test_while_the_model_thinks(tmp_path: Path) -> None:
    async with living(tmp_path, hangs(), says("One.")) as house:
        await house.say("one")
        await house.asked(1)
        await house.restart()
        await house.quiet()

        assert house.shown() == ["one", "> One."]
        assert house.attempts() == [2]


async def test_while_text_is_shown(tmp_path: Path) -> None:
    """What was shown is found by its mark, and becomes the answer."""
    async with living(tmp_path, hangs("Let me"), says("One.")) as house:
        house.platform.remembers = 0
        await house.say("one")
        await house.until(lambda: len(house.shown()) == 2)
        await house.restart()
        await house.quiet()

        assert house.shown() == ["one", "> One."]
        assert not house.platform.statuses


async def test_nobody_waits_to_think_until_it_is_known_what_stands_there(tmp_path: Path) -> None:
    """Only what is sent waits for a dead process's request that may still land."""
    async with living(tmp_path, hangs("Let me"), says("One.")) as house:
        await house.say("one")
        await house.until(lambda: len(house.shown()) == 2)
        await house.restart()
        await house.wait(1)

        assert house.outcomes() == [("sending", "answered")]
        assert house.shown() == ["one", "> Let me"]
        await house.quiet()


@pytest.mark.parametrize("risk", ["read", "idempotent"])
async def test_while_a_tool_runs_that_may_run_again(tmp_path: Path, risk: str) -> None:
    door = Door()
    tool = door.tool() if risk == "read" else door.tool("write", idempotent=True)
    async with living(tmp_path, asks(KNOCK), says("In."), tools=[tool]) as house:
        await house.say("Are they in?")
        await house.until(lambda: door.knocks == 1)
        await house.crash()
        door.opened.set()
        await house.open("run:2")
        await house.quiet()

        assert door.knocks == 2
        assert house.model.requests[1].messages[-1].results[0].text == '"come in"'


async def test_while_a_tool_runs_that_may_not_run_again(tmp_path: Path) -> None:
    door = Door()
    script = [asks(KNOCK), says("I do not know.")]
    async with living(tmp_path, *script, tools=[door.tool("write")]) as house:
        await house.say("Knock!")
        await house.until(lambda: door.knocks == 1)
        await house.restart()
        await house.quiet()

        assert door.knocks == 1
        assert UNKNOWN in house.model.requests[1].messages[-1].results[0].text


async def test_when_one_of_two_results_is_stored(tmp_path: Path) -> None:
    door = Door()
    two = asks(KNOCK, ToolCall("c2", "nothing", "{}"))
    async with living(tmp_path, two, says("In."), tools=[door.tool()]) as house:
        await house.say("Are they in?")
        await house.until(lambda: bool(house.rows("SELECT 1 FROM messages WHERE role = 'tool'")))
        await house.crash()
        door.opened.set()
        await house.open("run:2")
        await house.quiet()

        results = house.rows("SELECT content FROM messages WHERE role = 'tool'")
        assert (len(results), door.knocks) == (2, 2)


async def test_after_the_result(tmp_path: Path) -> None:
    door = Door()
    door.opened.set()
    script = [asks(KNOCK, text="I knock."), hangs(), says("In.")]
    async with living(tmp_path, *script, tools=[door.tool("write")]) as house:
        await house.say("Are they in?")
        await house.asked(2)
        await house.restart()
        await house.quiet()

        assert door.knocks == 1
        assert house.shown() == ["Are they in?", "> I knock.\n\nIn."]


@pytest.mark.parametrize("fate", [LOST, RESPONSE_LOST])
async def test_while_the_answer_is_sent(tmp_path: Path, fate: Fate) -> None:
    """Between the commit and the delivery only the delivery is repeated."""
    async with living(tmp_path, says("One.")) as house:
        house.platform.remembers = 0
        house.platform.fate = lambda request: fate if request.kind == "post" else ARRIVES
        await house.say("one")
        await house.until(lambda: house.outcomes() == [("sending", "answered")])
        house.platform.fate = lambda _request: ARRIVES
        await house.restart()
        await house.quiet()

        assert house.shown() == ["one", "> One."]
        assert len(house.model.requests) == 1


async def test_after_the_answer_is_sent(tmp_path: Path) -> None:
    async with living(tmp_path, says("One.")) as house:
        house.platform.remembers = 0
        house.worker.database.before["Turns._deliver"] = fail
        await house.say("one")
        await house.until(lambda: len(house.failed) == 1)
        assert house.outcomes() == [("sending", "answered")]
        await house.restart()
        await house.quiet()

        assert house.shown() == ["one", "> One."]
        assert house.outcomes() == [("done", "answered")]


async def test_what_is_delivered_is_not_begun_again(tmp_path: Path) -> None:
    async with living(tmp_path, says("One.")) as house:
        await house.say("one")
        await house.quiet()
        await house.restart()
        await house.wait(60)

        assert house.shown() == ["one", "> One."]
