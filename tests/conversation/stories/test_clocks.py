"""The database's clock jumps. A worker's own deadline does not: it counts what passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.sqlite import SQLite
from tests.conversation.stories.house import BOB, House, living
from tests.fakes import after, hangs, says
from tests.faults.inline import connect

pytestmark = pytest.mark.inline

HOUR = 3_600_000
each_jump = pytest.mark.parametrize(
    "jump", [HOUR, -HOUR, pytest.param(365 * 24 * HOUR, marks=pytest.mark.slow)]
)


async def jump_by(house: House, milliseconds: int) -> None:
    """From now on the database's clock is ahead, or behind."""
    house.worker.database.database = await SQLite.open(
        house.file,
        clock=lambda: house.loop.milliseconds() + milliseconds,
        connect=connect,
        busy_ms=0,
    )


@each_jump
async def test_a_turn_that_runs_when_the_clock_jumps_ends_as_it_would_have(
    tmp_path: Path, jump: int
) -> None:
    """Its lease looks as if it were over, or as if it would never be: until it is renewed."""
    async with living(tmp_path, after(50, says("One."))) as house:
        await house.say("one")
        await house.asked(1)
        await jump_by(house, jump)
        await house.quiet()

        assert house.shown() == ["one", "> One."]
        assert house.attempts() == [1]
        assert house.outcomes() == [("done", "answered")]


async def test_a_worker_that_died_before_the_clock_was_set_back_is_not_waited_for(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, hangs("Let me"), says("One.")) as house:
        await house.say("one")
        await house.asked(1)
        house.worker.database.away = True  # nobody can renew it
        await house.wait(40)
        house.worker.database.away = False
        await jump_by(house, -HOUR)
        began = house.loop.time()
        await house.quiet()

        assert house.shown() == ["one", "> One."]
        assert house.loop.time() - began < 60


async def test_what_is_said_after_the_clock_was_set_back_is_answered(tmp_path: Path) -> None:
    async with living(tmp_path, says("One."), says("Two.")) as house:
        await house.say("one")
        await house.quiet()
        await jump_by(house, -HOUR)
        await house.say("two", BOB)
        await house.quiet()

        assert house.shown() == ["one", "> One.", "two", "> Two."]


async def test_a_clock_that_is_ahead_is_told_to_whoever_asks(tmp_path: Path) -> None:
    """By it each question waited too long: a sentence says so, nothing is lost in silence, and
    what is asked when it is set right is answered."""
    async with living(tmp_path, says("One.")) as house:
        await jump_by(house, HOUR)
        await house.say("one")
        await house.quiet()
        assert house.shown()[1].startswith("> This waited too long")
        await jump_by(house, 0)
        await house.say("one")
        await house.quiet()

        assert house.shown()[3] == "> One."
