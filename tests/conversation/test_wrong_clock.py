"""What is past the retention window by a clock that may be wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from memory import leases
from memory.database import Database
from memory.engines import open_database
from tests.conversation.test_retention import DAY, NOW, remembered, retention, say
from tests.fakes import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOW)


@pytest.fixture
async def file(sqlite_url: str, clock: FakeClock) -> AsyncIterator[Database]:
    opened = await open_database(sqlite_url, clock=clock)
    yield opened
    await opened.close()


async def test_a_clock_that_jumps_a_year_ahead_deletes_nothing_before_somebody_was_warned(
    file: Database, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    await daily(file)
    await say(file, "xylophone", clock)
    clock.advance(365 * DAY)

    assert await daily(file) == 0
    assert await remembered(file) == ["xylophone"]
    assert [each for each in caplog.messages if "nothing was cleaned up for 365 days" in each]
    clock.advance(-365 * DAY)  # somebody has set it
    assert await daily(file) == 0
    assert await remembered(file) == ["xylophone"]


async def test_who_was_away_for_long_waits_a_day_longer_and_no_more(
    file: Database, clock: FakeClock
) -> None:
    await daily(file)
    await say(file, "xylophone", clock)
    clock.advance(40 * DAY)
    assert await daily(file) == 0
    clock.advance(40 * DAY)  # the second time in a row is no reason to wait

    assert await daily(file) == 1
    await say(file, "clarinet", clock)
    clock.advance(40 * DAY)
    assert await daily(file) == 0
    clock.advance(DAY)
    assert await daily(file) == 1


async def daily(database: Database) -> int:
    """As the schedule does it, which notes that it was done."""
    rest = DAY - 1
    assert await database.write(
        lambda tx: leases.acquire(tx, "retention", "run:a", DAY, rest_ms=rest)
    )
    gone = await (await retention(database)).purge_daily()
    await database.write(lambda tx: leases.done(tx, "retention", "run:a"))
    return gone
