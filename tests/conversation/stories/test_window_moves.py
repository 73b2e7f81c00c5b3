"""After an answer the window's cut moves when the budget asks for it, and is stored."""

from pathlib import Path

import pytest

from tests.conversation.stories.flaky import fail
from tests.conversation.stories.house import House, living
from tests.fakes import says

pytestmark = pytest.mark.inline

ANSWER = says("x" * 300)


def cut(house: House) -> int:
    [row] = house.rows("SELECT window_from FROM conversations")
    return int(row["window_from"])


async def talk(house: House, turns: int) -> None:
    for number in range(turns):
        await house.say(f"question {number}")
        await house.quiet()


async def test_the_cut_stays_while_all_fits(tmp_path: Path) -> None:
    async with living(tmp_path, *[ANSWER] * 3, budget=1_000) as house:
        await talk(house, 3)

        assert cut(house) == 1


async def test_the_cut_moves_in_a_block_and_then_stays(tmp_path: Path) -> None:
    async with living(tmp_path, *[ANSWER] * 5, budget=1_000) as house:
        cuts = []
        for number in range(5):
            await house.say(f"question {number}")
            await house.quiet()
            cuts.append(cut(house))

        assert cuts == [1, 1, 1, 4, 4]


async def test_what_is_before_the_cut_is_not_sent(tmp_path: Path) -> None:
    async with living(tmp_path, *[ANSWER] * 5, budget=1_000) as house:
        await talk(house, 5)

        sent = [message.text for message in house.model.requests[4].messages]
        assert "[From ann]\n\nquestion 2" not in sent
        assert "[From ann]\n\nquestion 3" in sent


async def test_a_cut_that_was_not_moved_is_moved_with_the_next_turn(tmp_path: Path) -> None:
    """If it has not run yet, the next question leaves out the oldest turns for itself only."""
    async with living(tmp_path, *[ANSWER] * 5, budget=1_340) as house:
        await talk(house, 3)
        house.worker.database.before["AfterWork._move_cut"] = fail
        await talk(house, 1)
        assert cut(house) == 1
        await talk(house, 1)

        assert cut(house) > 1
        assert len(house.model.requests[4].messages) == 7


async def test_after_work_that_lost_a_race_starts_again_from_what_is_stored(
    tmp_path: Path,
) -> None:
    """R3"""
    async with living(tmp_path, *[ANSWER] * 4, budget=1_000) as house:

        async def erase() -> None:
            house.reader.execute("UPDATE conversations SET revision = revision + 1")

        house.worker.database.before["AfterWork._write"] = erase
        await talk(house, 4)

        assert cut(house) == 4
        assert house.rows("SELECT revision FROM conversations") == [{"revision": 3}]
