"""Work that one process does at a time."""

from __future__ import annotations

import pytest

from memory import leases
from memory.database import Database
from tests.fakes import FakeClock

LEASE = 1000


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(1_000_000)


async def _acquire(database: Database, holder: str, *, rest_ms: int = 0) -> bool:
    return await database.write(
        lambda tx: leases.acquire(tx, "sweep", holder, LEASE, rest_ms=rest_ms)
    )


async def _done(database: Database, holder: str) -> None:
    await database.write(lambda tx: leases.done(tx, "sweep", holder))


async def test_only_one_holds_it(database: Database) -> None:
    assert await _acquire(database, "a")
    assert not await _acquire(database, "b")


async def test_who_holds_it_may_hold_it_longer(database: Database, clock: FakeClock) -> None:
    await _acquire(database, "a")
    clock.advance(LEASE - 1)
    assert await _acquire(database, "a")
    clock.advance(LEASE - 1)

    assert not await _acquire(database, "b")


async def test_a_lease_that_is_over_is_taken(database: Database, clock: FakeClock) -> None:
    await _acquire(database, "a")
    clock.advance(LEASE)

    assert await _acquire(database, "b")


async def test_what_is_done_may_be_done_again(database: Database) -> None:
    await _acquire(database, "a")
    await _done(database, "a")

    assert await _acquire(database, "b")


async def test_what_was_let_go_undone_is_free_and_does_not_rest(database: Database) -> None:
    await _acquire(database, "a")
    await database.write(lambda tx: leases.release(tx, "sweep", "a"))

    assert await _acquire(database, "b", rest_ms=50)


async def test_what_was_done_just_now_rests(database: Database, clock: FakeClock) -> None:
    await _acquire(database, "a")
    await _done(database, "a")
    clock.advance(49)

    assert not await _acquire(database, "b", rest_ms=50)
    clock.advance(1)
    assert await _acquire(database, "b", rest_ms=50)


async def test_who_lost_it_cannot_let_go_of_it(database: Database, clock: FakeClock) -> None:
    await _acquire(database, "a")
    clock.advance(LEASE)
    await _acquire(database, "b")
    await _done(database, "a")

    assert not await _acquire(database, "a")


async def test_other_work_has_a_lease_of_its_own(database: Database) -> None:
    await _acquire(database, "a")

    assert await database.write(lambda tx: leases.acquire(tx, "retention", "b", LEASE))


async def test_a_clock_that_was_ahead_holds_nobody_up_once_it_is_set_back(
    database: Database, clock: FakeClock
) -> None:
    clock.advance(365 * 24 * 3_600_000)
    await _acquire(database, "a")
    await database.write(lambda tx: leases.acquire(tx, "retention", "a", LEASE))
    await database.write(lambda tx: leases.done(tx, "retention", "a"))
    clock.advance(-365 * 24 * 3_600_000)

    assert await _acquire(database, "b")
    assert await database.write(
        lambda tx: leases.acquire(tx, "retention", "b", LEASE, rest_ms=24 * 3_600_000)
    )


async def test_when_it_was_done_last(database: Database, clock: FakeClock) -> None:
    assert await database.read(lambda tx: leases.last_done(tx, "sweep")) == 0
    await _acquire(database, "a")
    await _done(database, "a")

    assert await database.read(lambda tx: leases.last_done(tx, "sweep")) == clock.now
