"""However many conversations go, nobody waits for more than one."""

from __future__ import annotations

import pytest

from bot.cli.place import choose_place
from bot.main import open_erasure
from bot.retention import Retention
from bot.settings import Settings
from memory import workspaces
from memory.database import Database, T, Transaction, Work
from memory.engines import open_database
from tests.fakes import FakeClock
from tests.seat import ROBIN

NOW = 1_796_070_000_000
DAY = 24 * 3_600_000


class Watched:
    """A database that counts how many conversations each transaction takes away."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.gone: list[int] = []
        self.read, self.truncate_log, self.close = (
            database.read,
            database.truncate_log,
            database.close,
        )

    async def write(self, work: Work[T]) -> T:
        async def counted(tx: Transaction) -> T:
            before = await _count(tx)
            result = await work(tx)
            self.gone.append(before - await _count(tx))
            return result

        return await self._database.write(counted)


async def _count(tx: Transaction) -> int:
    [row] = await tx.fetch("SELECT count(*) AS number FROM conversations")
    return int(row["number"])


async def test_no_transaction_takes_more_than_one_conversation_away(
    sqlite_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FakeClock(NOW)
    file = await open_database(sqlite_url, clock=clock)
    caplog.set_level("INFO", "bot.retention")
    for _ in range(12):
        await file.write(lambda tx: choose_place(tx, None, ROBIN))
    await file.write(lambda tx: workspaces.set_window(tx, "terminal", "local", 2))
    clock.advance(3 * DAY)
    watched = Watched(file)

    erasure = await open_erasure(Settings(), watched)
    assert await Retention(watched, erasure).purge() == 12
    await file.close()

    assert sum(watched.gone) == 12
    assert max(watched.gone) == 1
    assert caplog.messages == ["retention: 12 conversations deleted (terminal:local 12)"]
