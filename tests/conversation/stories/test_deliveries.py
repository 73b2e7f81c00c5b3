"""An answer is delivered once, however bad the network is."""

from pathlib import Path

import pytest

from bot.settings import Limits
from memory.keys import PlaceKey
from tests.conversation.stories.house import ELSEWHERE, House, living
from tests.fakes import after, hangs, says
from tests.played_network import (
    ARRIVES,
    LOST,
    REFUSED,
    RESPONSE_LOST,
    UNAVAILABLE,
    Fate,
    Request,
    late,
)

pytestmark = pytest.mark.inline


def next_fates(house: House, *fates: Fate, kind: str = "post") -> None:
    """What the network makes of the next requests of this kind; all others arrive."""
    left = list(fates)

    def fate(request: Request) -> Fate:
        return left.pop(0) if left and request.kind == kind else ARRIVES

    house.platform.remembers = 0
    house.platform.fate = fate


def down_for(house: House, seconds: int, place: PlaceKey) -> None:
    """The platform cannot be reached in one place."""
    until = house.loop.milliseconds() + seconds * 1000

    def fate(request: Request) -> Fate:
        away = house.loop.milliseconds() < until and request.place == str(place)
        return UNAVAILABLE if away else ARRIVES

    house.platform.fate = fate


async def test_a_platform_that_is_down_gets_the_answer_when_it_is_up(tmp_path: Path) -> None:
    """R14: its own conversation waits, in order; all others go on, and it holds no slot."""
    script = [says("One."), says("Here."), says("Two.")]
    async with living(tmp_path, *script, limits=Limits(running_turns=1)) as house:
        down_for(house, 300, ELSEWHERE)
        await house.say("one", place=ELSEWHERE)
        await house.wait(1)
        await house.say("two", place=ELSEWHERE)
        await house.say("here")
        await house.wait(30)
        assert house.shown() == ["here", "> Here."]
        await house.quiet()

        assert house.shown(ELSEWHERE) == ["one", "two", "> One.", "> Two."]


async def test_an_answer_that_nobody_takes_for_a_quarter_of_an_hour_has_failed(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, says("One."), says("Two.")) as house:
        down_for(house, 16 * 60, ELSEWHERE)
        await house.say("one", place=ELSEWHERE)
        await house.quiet()
        assert house.outcomes() == [("failed", "answered")]
        await house.wait(120)
        await house.say("two", place=ELSEWHERE)
        await house.quiet()

        assert house.shown(ELSEWHERE) == ["one", "two", "> Two."]


async def test_a_place_that_refuses_for_good_is_free_for_the_next_question(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, says("One."), says("Two.")) as house:
        next_fates(house, REFUSED, REFUSED)
        await house.say("one")
        await house.quiet()
        await house.say("two")
        await house.quiet()

        assert house.shown() == ["one", "two", "> Two."]
        assert house.outcomes() == [("failed", "answered"), ("done", "answered")]
        assert len(set(house.platform.recorded)) == 2


@pytest.mark.parametrize("fate", [RESPONSE_LOST, LOST, late(3.9), late(7.5)])
async def test_an_answer_whose_sending_nobody_confirmed_stands_there_once(
    tmp_path: Path, fate: Fate
) -> None:
    """Adoption: the platform is asked first what stands there."""
    async with living(tmp_path, says("One.")) as house:
        next_fates(house, fate)
        await house.say("one")
        await house.quiet()
        await house.wait(60)

        assert house.shown() == ["one", "> One."]
        assert house.outcomes() == [("done", "answered")]


async def test_an_answer_that_is_looked_for_is_not_taken_for_the_one_before(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, says("One."), says("Two.")) as house:
        await house.say("one")
        await house.quiet()
        next_fates(house, RESPONSE_LOST)
        await house.say("two")
        await house.quiet()

        assert house.shown() == ["one", "> One.", "two", "> Two."]


async def test_the_delivery_knows_the_message_that_was_adopted(tmp_path: Path) -> None:
    async with living(tmp_path, says("One.")) as house:
        next_fates(house, RESPONSE_LOST)
        await house.say("one")
        await house.quiet()

        [part] = house.rows("SELECT * FROM deliveries")
        assert (part["state"], part["remote_id"], part["ends_at"]) == ("sent", "2", 4)


async def test_a_view_that_does_not_arrive_costs_nothing_but_the_view(tmp_path: Path) -> None:
    async with living(tmp_path, says("One", " and", " all.")) as house:
        next_fates(house, UNAVAILABLE)
        await house.say("one")
        await house.quiet()

        assert house.shown() == ["one", "> One and all."]


async def test_a_platform_that_does_not_say_what_stands_there_is_asked_again(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, says("One.")) as house:
        fates = {"post": [RESPONSE_LOST], "find": [LOST, UNAVAILABLE]}

        def fate(request: Request) -> Fate:
            left = fates.get(request.kind)
            return left.pop(0) if left else ARRIVES

        house.platform.remembers, house.platform.fate = 0, fate
        await house.say("one")
        await house.quiet()

        assert house.shown() == ["one", "> One."]


async def test_a_long_answer_comes_in_parts(tmp_path: Path) -> None:
    async with living(tmp_path, says("x" * 2_500)) as house:
        await house.say("one")
        await house.quiet()

        assert [len(text) for text in house.shown()[1:]] == [2_002, 502]
        ends = [row["ends_at"] for row in house.rows("SELECT * FROM deliveries ORDER BY part")]
        assert ends == [2_000, 2_500]


async def test_what_waits_in_a_terminal_that_is_gone_is_ended(tmp_path: Path) -> None:
    nowhere = PlaceKey("terminal", "local", "chat", "1")
    async with living(tmp_path, works=False) as house:
        await house.say("Anybody?", place=nowhere)
        await house.wait(16 * 60)
        await house.restart()
        await house.quiet()

        assert house.outcomes() == [("failed", "expired")]


async def test_what_waits_for_another_platform_is_left_to_whoever_serves_it(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, works=False) as house:
        await house.say("Anybody?", place=PlaceKey("elsewhere", "W", "C", "1"))
        await house.wait(16 * 60)
        await house.restart()
        await house.wait(16 * 60)

        assert house.outcomes() == []


async def test_a_worker_whose_database_is_away_longer_than_its_lease_sends_nothing(
    tmp_path: Path,
) -> None:
    """R11: the task ends itself; the turn is taken over when the database is back."""
    async with living(tmp_path, hangs("Let me"), says("Again.")) as house:
        await house.say("one")
        await house.asked(1)
        house.worker.database.away = True
        await house.wait(45)
        house.worker.database.away = False
        await house.quiet()

        assert house.shown() == ["one", "> Again."]
        assert house.rows("SELECT attempts FROM turns")[0]["attempts"] == 2


async def test_an_answer_waits_for_a_locked_database_and_is_not_asked_for_again(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, after(5, says("One", " more."))) as house:
        await house.say("one")
        await house.asked(1)
        house.worker.database.locked = True
        await house.wait(25)
        house.worker.database.locked = False
        await house.quiet()

        assert house.shown() == ["one", "> One more."]
        assert house.attempts() == [1]
        assert house.failed == []


async def test_a_database_that_is_locked_longer_than_the_lease_ends_the_try(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, says("One."), says("Again.")) as house:
        house.worker.database.before["Turns._commit"] = house.lock
        await house.say("one")
        await house.wait(40)
        house.worker.database.locked = False
        await house.quiet()

        assert house.shown() == ["one", "> Again."]
        assert [str(error) for _, error in house.failed][:1] == [
            "Another program holds the database."
        ]


async def test_a_send_that_is_not_in_time_is_not_made(tmp_path: Path) -> None:
    """R10: the deadline is looked at directly before each send."""
    async with living(tmp_path, after(27, says("One", " more.")), says("Again.")) as house:
        await house.say("one")
        await house.asked(1)
        house.worker.database.away = True
        await house.wait(28)
        house.worker.database.away = False
        await house.quiet()

        assert house.shown()[-1] == "> Again."
        assert len(house.shown()) == 2


async def test_a_platform_whose_clock_is_behind_is_asked_for_all_that_may_stand_there(
    tmp_path: Path,
) -> None:
    """R12: a turn's start is told by the database's clock, a message's time by the platform's."""
    async with living(tmp_path, says("One.")) as house:
        house.platform.clock = lambda: house.loop.milliseconds() - 30_000
        next_fates(house, RESPONSE_LOST)
        await house.say("one")
        await house.quiet()

        assert house.shown() == ["one", "> One."]
