"""A worker's own view of its lease, on a clock that counts the time asleep."""

import time

import pytest

from bot.lease import Lease, larger_progress, suspended_clock
from bot.settings import Timing
from memory.errors import Superseded
from tests.fakes import FakeClock

TIMING = Timing(lease=30_000, margin=5_000)
SECOND = 1_000_000_000  # in nanoseconds


def test_a_lease_is_over_so_long_after_it_was_asked_for() -> None:
    """R11: counted from before the statement was sent."""
    clock = FakeClock(1_000)
    lease = Lease(clock, TIMING, asked_at=1_000)

    clock.advance(29_999)
    assert not lease.is_over
    clock.advance(1)
    assert lease.is_over


def test_nothing_is_sent_in_the_last_part_of_a_lease() -> None:
    """R10"""
    clock = FakeClock()
    lease = Lease(clock, TIMING, asked_at=0)

    clock.advance(25_000)
    lease.guard()
    clock.advance(1)
    with pytest.raises(Superseded) as late:
        lease.guard()
    assert late.value.why == "late"


def test_a_renewed_lease_counts_from_the_new_asking() -> None:
    clock = FakeClock(26_000)
    lease = Lease(clock, TIMING, asked_at=0)
    lease.renewed(asked_at=10_000)

    lease.guard()
    clock.advance(14_000)
    assert lease.is_over


def test_a_send_is_given_up_before_the_lease_of_who_sent_it_is_over() -> None:
    timing = Timing()

    assert timing.send < timing.margin < timing.lease
    assert 2 * timing.renew < timing.lease - timing.margin


def test_time_asleep_counts_where_the_wall_clock_saw_it() -> None:
    monotonic, wall = FakeClock(), FakeClock(1_700_000_000 * SECOND)
    clock = larger_progress(monotonic, wall)

    monotonic.advance(2 * SECOND)
    wall.advance(60 * SECOND)
    assert clock() == 60_000


def test_a_wall_clock_that_is_set_back_makes_no_lease_longer() -> None:
    monotonic, wall = FakeClock(), FakeClock(1_700_000_000 * SECOND)
    clock = larger_progress(monotonic, wall)

    monotonic.advance(2 * SECOND)
    wall.advance(-3_600 * SECOND)
    assert clock() == 2_000


@pytest.mark.parametrize("boottime", [None, time.CLOCK_MONOTONIC])
def test_the_clock_goes_forward_in_milliseconds(boottime: int | None) -> None:
    clock = suspended_clock(boottime)
    before = clock()
    deadline = time.monotonic_ns() + 3_000_000
    while time.monotonic_ns() < deadline:
        pass

    assert 2 <= clock() - before < 60_000


def test_the_clock_that_runs_here_goes_forward() -> None:
    clock = suspended_clock()

    assert clock() <= clock()
