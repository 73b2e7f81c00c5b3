"""A process dies at any moment of a turn, and the next one ends the turn: one answer."""

import asyncio
from pathlib import Path

import pytest

from memory.messages import ToolCall
from tests.conversation.stories.flaky import fail
from tests.conversation.stories.house import ELSEWHERE, KNOCK, Door, House, living
from tests.fakes import asks, hangs, says
from tests.played_platform import ARRIVES, LOST, RESPONSE_LOST, Fate

pytestmark = pytest.mark.inline

UNKNOWN = "unknown whether this was done before the restart"


def attempts(house: House) -> list[int]:
    return [row["attempts"] for row in house.rows("SELECT attempts FROM turns")]


async def test_after_accept(tmp_path: Path) -> None:
    async with living(tmp_path, says("One."), works=False) as house:
        await house.say("one")
        await house.restart()
        await house.quiet()

        assert house.shown() == ["one", "> One."]
        assert attempts(house) == [1]


async def test_while_the_model_thinks(tmp_path: Path) -> None:
    async with living(tmp_path, hangs(), says("One.")) as house:
        await house.say("one")
        await house.asked(1)
        await house.restart()
        await house.quiet()

        assert house.shown() == ["one", "> One."]
        assert attempts(house) == [2]


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


async def test_a_turn_whose_database_failed_is_taken_over_by_its_own_process(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, says("One."), says("Again.")) as house:
        house.worker.database.before["Turns._commit"] = fail
        accepted = await house.say("one")
        await house.quiet()

        assert [where for where, _ in house.failed] == [accepted.conversation]
        assert house.shown() == ["one", "> Again."]
        assert attempts(house) == [2]


async def test_a_turn_that_kills_three_processes_is_given_up(tmp_path: Path) -> None:
    async with living(tmp_path, hangs("Let me"), hangs(), hangs(), says("Two.")) as house:
        await house.say("one")
        for number in (1, 2, 3):
            await house.asked(number)
            await house.restart(f"run:{number}")
        await house.quiet()
        await house.say("two")
        await house.quiet()

        assert house.shown()[1].startswith("> I was interrupted")
        assert house.outcomes()[0] == ("done", "interrupted")
        assert house.shown()[3] == "> Two."


async def test_what_a_given_up_turn_had_said_stays(tmp_path: Path) -> None:
    door = Door()
    door.opened.set()
    script = [asks(KNOCK, text="I knock."), hangs(), hangs(), hangs()]
    async with living(tmp_path, *script, tools=[door.tool()]) as house:
        await house.say("Are they in?")
        for number in (2, 3, 4):
            await house.asked(number)
            await house.restart(f"run:{number}")
        await house.quiet()

        assert house.shown()[1].startswith("> I knock.\n\nI was interrupted")


async def test_a_question_that_grew_old_with_its_dead_worker_is_told_so(tmp_path: Path) -> None:
    async with living(tmp_path, hangs()) as house:
        await house.say("one")
        await house.asked(1)
        await house.crash()
        await house.wait(16 * 60)
        await house.open("run:2")
        await house.quiet()

        assert house.outcomes() == [("done", "expired")]


async def test_a_turn_of_another_kind_of_worker_is_taken_by_its_lease_only(
    tmp_path: Path,
) -> None:
    """No lock proves that a chat is dead."""
    async with living(tmp_path, hangs(), says("One."), works=False) as house:
        await house.restart("cli:1")
        await house.say("one")
        await house.asked(1)
        await house.restart("run:2")
        await house.wait(20)
        assert len(house.model.requests) == 1
        await house.quiet()

        assert house.shown() == ["one", "> One."]


async def test_two_workers_answer_once(tmp_path: Path) -> None:
    """R9: both are rung, and the unique index decides."""
    async with living(tmp_path, says("One.")) as house:
        accepted = await house.say("one")
        assert accepted.conversation is not None
        turns = house.worker.turns
        await asyncio.gather(*(turns.answer(accepted.conversation) for _ in range(3)))

        assert house.shown() == ["one", "> One."]


async def test_a_begin_that_was_lost_on_its_way_is_begun_again(tmp_path: Path) -> None:
    async with living(tmp_path, says("One.")) as house:
        house.worker.database.after["Runs.begin"] = fail
        await house.say("one")
        await house.quiet()

        assert house.shown() == ["one", "> One."]
        assert attempts(house) == [2]


async def test_a_take_over_that_comes_too_late_takes_nothing(tmp_path: Path) -> None:
    """Somebody renewed the lease between the look and the take-over."""
    async with living(tmp_path, hangs(), says("There.")) as house:
        await house.say("one")
        await house.asked(1)
        run = house.worker.turns
        conversation = house.rows("SELECT id FROM conversations")[0]["id"]
        await end_lease(house)
        house.worker.database.before["Runs.take_over"] = lambda: renew_lease(house)
        await run.answer(conversation)
        await house.say("there", place=ELSEWHERE)
        await house.until(lambda: len(house.shown(ELSEWHERE)) == 2)

        assert attempts(house) == [1, 1]


async def end_lease(house: House) -> None:
    house.reader.execute("UPDATE turns SET lease_until = 0")


async def renew_lease(house: House) -> None:
    house.reader.execute("UPDATE turns SET lease_until = 9999999999999")
