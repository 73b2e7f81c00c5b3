"""The governor: nothing is sent that Slack would refuse, and what must be sent goes first."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from adapters.slack.rates import REAL, Governor, Tier, per_minute
from tests.fakes import FakeClock
from tests.faults.virtual import VirtualLoop, run
from tests.servers.slack import rates as real

TIERS = {"a": Tier(4, 1_000), "b": Tier(10, 1_000), "b/channel": Tier(1, 2_000)}
SECOND = 1_000


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def governor(clock: FakeClock) -> Governor:
    return Governor(clock, TIERS)


def shown(governor: Governor, method: str, channel: str = "C1") -> int:
    """How many calls for show may be made now."""
    return sum(governor.may_show(method, channel) for _ in range(100))


def virtually(work: Callable[[VirtualLoop, Governor], Awaitable[None]]) -> None:
    async def main(loop: VirtualLoop) -> None:
        await work(loop, Governor(lambda: loop.time() * SECOND, TIERS))

    run(main)


async def turns(governor: Governor, method: str, channel: str, count: int) -> list[float]:
    """The seconds at which as many waiting calls were made."""
    made: list[float] = []

    async def turn() -> None:
        await governor.turn(method, channel)
        made.append(round(asyncio.get_running_loop().time(), 3))

    await asyncio.gather(*(turn() for _ in range(count)))
    return made


def test_a_burst_goes_at_once_and_then_one_by_one(governor: Governor, clock: FakeClock) -> None:
    assert shown(governor, "a") == 4

    clock.advance(2_500)

    assert shown(governor, "a") == 2


def test_a_burst_is_never_larger_however_long_it_was_quiet(
    governor: Governor, clock: FakeClock
) -> None:
    clock.advance(3_600_000)

    assert shown(governor, "a") == 4


def test_a_channel_has_a_limit_of_its_own(governor: Governor) -> None:
    assert [shown(governor, "b", channel) for channel in ("C1", "C2")] == [1, 1]


def test_a_refused_channel_costs_the_workspace_nothing(governor: Governor) -> None:
    shown(governor, "b", "C1")

    assert sum(shown(governor, "b", f"C{number}") for number in range(2, 99)) == 9


def test_a_method_without_a_tier_is_free(governor: Governor) -> None:
    assert shown(governor, "free") == 100
    assert governor.reserve("free")


def test_half_of_a_burst_can_be_reserved_and_is_not_shown_away(governor: Governor) -> None:
    assert [governor.reserve("a") for _ in range(3)] == [True, True, False]
    assert shown(governor, "a") == 2

    governor.release("a")

    assert shown(governor, "a") == 1


def test_nothing_is_reserved_that_is_not_there(governor: Governor) -> None:
    shown(governor, "a")

    assert not governor.reserve("a")


def test_what_must_be_sent_waits_its_turn() -> None:
    async def work(_loop: VirtualLoop, governor: Governor) -> None:
        assert await turns(governor, "a", "C1", 6) == [0, 0, 0, 0, 1, 2]
        assert await turns(governor, "b", "C1", 3) == [2, 4, 6]

    virtually(work)


def test_what_is_for_show_finds_nothing_while_somebody_waits() -> None:
    async def work(_loop: VirtualLoop, governor: Governor) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(turns(governor, "a", "C1", 6))
            await asyncio.sleep(1.5)
            assert not governor.may_show("a", "C1")
        await asyncio.sleep(1)
        assert governor.may_show("a", "C1")

    virtually(work)


def test_who_stops_waiting_gives_the_place_back() -> None:
    async def work(_loop: VirtualLoop, governor: Governor) -> None:
        await turns(governor, "a", "C1", 4)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await governor.turn("a", "C1")
        assert await turns(governor, "a", "C1", 1) == [1]

    virtually(work)


def test_after_a_429_nothing_goes_until_it_is_over_and_then_one_by_one() -> None:
    async def work(_loop: VirtualLoop, governor: Governor) -> None:
        governor.refused("a", "C1", 30)
        assert not governor.may_show("a", "C1")
        assert await turns(governor, "a", "C1", 3) == [30, 31, 32]

    virtually(work)


def test_a_429_holds_those_who_wait_already() -> None:
    async def work(loop: VirtualLoop, governor: Governor) -> None:
        loop.call_later(0.5, governor.refused, "a", "C1", 10)
        assert await turns(governor, "a", "C1", 6) == [0, 0, 0, 0, 10.5, 11.5]

    virtually(work)


def test_nobody_waits_for_hours() -> None:
    async def work(_loop: VirtualLoop, governor: Governor) -> None:
        governor.refused("a", "C1", 86_400)
        assert await turns(governor, "a", "C1", 1) == [300]

    virtually(work)


@pytest.mark.parametrize("calls", [20, 50, 60, 100, 300])
def test_no_minute_sees_more_calls_than_slack_allows(calls: int) -> None:
    async def main(loop: VirtualLoop) -> list[float]:
        governor = Governor(lambda: loop.time() * SECOND, {"m": per_minute(calls)})
        return await turns(governor, "m", "", 3 * calls)

    made = run(main)

    assert max(sum(at <= other < at + 60 for other in made) for at in made) <= calls


def test_what_the_real_tiers_name_is_limited_here_too() -> None:
    by_us = {"auth.test", "apps.connections.open", "reactions.add"}  # called rarely, by hand

    assert set(real.REAL) - by_us <= set(REAL)
