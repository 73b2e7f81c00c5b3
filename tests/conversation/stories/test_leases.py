"""Who takes a turn over, when, and how often: by its lease, and by the fence."""

import asyncio
from pathlib import Path

import pytest

from tests.conversation.stories.flaky import fail
from tests.conversation.stories.house import ELSEWHERE, KNOCK, Door, House, living
from tests.fakes import asks, hangs, says
from tests.played_network import ARRIVES, REFUSED

pytestmark = pytest.mark.inline


async def test_a_turn_whose_database_failed_is_taken_over_by_its_own_process(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, says("One."), says("Again.")) as house:
        house.worker.database.before["Turns._commit"] = fail
        accepted = await house.say("one")
        await house.quiet()

        assert [where for where, _ in house.failed] == [accepted.conversation]
        assert house.shown() == ["one", "> Again."]
        assert house.attempts() == [2]


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
        assert house.attempts() == [2]


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

        assert house.attempts() == [1, 1]


async def end_lease(house: House) -> None:
    house.reader.execute("UPDATE turns SET lease_until = 0")


async def renew_lease(house: House) -> None:
    until = house.loop.milliseconds() + 20_000
    house.reader.execute("UPDATE turns SET lease_until = ?", [until])


async def test_a_worker_that_slept_since_it_began_leaves_the_turn_to_the_next(
    tmp_path: Path,
) -> None:
    """R10"""
    async with living(tmp_path, says("One.")) as house:
        house.worker.database.after["Runs.begin"] = house.sleep_through
        await house.say("one")
        await house.quiet()

        assert house.shown() == ["one", "> One."]
        assert house.attempts() == [2]


async def test_a_worker_that_slept_after_its_commit_sends_nothing(tmp_path: Path) -> None:
    """R10: what it heard of its own deadline is not forgotten with the new state."""
    async with living(tmp_path, says("One.")) as house:
        house.platform.fate = lambda _request: ARRIVES if house.attempts() == [2] else REFUSED
        house.worker.database.after["Turns._commit"] = house.sleep_through
        await house.say("one")
        await house.quiet()

        assert house.shown() == ["one", "> One."]
        assert house.outcomes() == [("done", "answered")]


async def test_a_turn_that_was_begun_by_somebody_else_meanwhile_is_left_to_him(
    tmp_path: Path,
) -> None:
    async with living(tmp_path) as house:

        async def answer_elsewhere() -> None:
            house.reader.execute("DELETE FROM messages")

        house.worker.database.before["Runs.begin"] = answer_elsewhere
        await house.say("one")
        await house.wait(1)

        assert house.rows("SELECT * FROM turns") == []
        assert house.failed == []


async def test_a_worker_whose_turn_was_taken_touches_nothing(tmp_path: Path) -> None:
    async with living(tmp_path, hangs("Let me")) as house:
        await house.say("one")
        await house.until(lambda: len(house.shown()) == 2)
        requests = len(house.platform.requests)
        house.reader.execute("UPDATE turns SET fence = fence + 1, worker = 'run:9'")
        await house.renewal()

        assert house.shown() == ["one", "> Let me"]
        assert len(house.platform.requests) == requests
        assert house.platform.statuses
