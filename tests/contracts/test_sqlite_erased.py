"""What was erased is left in no file."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

import pytest

from memory.database import Transaction, Value
from memory.engines import sqlite_path
from memory.sqlite import ANY_SIZE, Connection, Cursor, SQLite, in_thread
from tests.fakes import FakeClock

SECRET = "the word that nobody may find"


@pytest.fixture
def file(sqlite_url: str) -> Path:
    """Of today's schema, with nothing in it."""
    return sqlite_path(sqlite_url)


@pytest.fixture
async def database(file: Path) -> AsyncIterator[SQLite]:
    opened = await SQLite.open(file, busy_ms=1)
    yield opened
    await opened.close()


async def _put(tx: Transaction, value: str) -> None:
    await tx.execute("INSERT INTO installation (name, value) VALUES ('n', :value)", value=value)


async def test_nothing_erased_is_left_in_any_file(file: Path, database: SQLite) -> None:
    await database.write(lambda tx: _put(tx, SECRET))
    assert _is_found(file)

    await database.write(lambda tx: tx.execute("DELETE FROM installation"))
    assert await database.truncate_log()

    assert not _is_found(file)


def _is_found(file: Path, words: str = SECRET) -> bool:
    return any(words.encode() in each.read_bytes() for each in file.parent.iterdir())


async def test_nothing_is_left_between_the_rows_of_others(file: Path, database: SQLite) -> None:
    """SQLite overwrites what it deletes, and not the copies that it left when pages were split."""
    left = await _forget_one_by_one(file, database)

    assert left == []


async def test_a_large_database_is_not_written_anew(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = await SQLite.open(file, busy_ms=1, rewritten=0, rewritten_in_quiet=0)
    left = await _forget_one_by_one(file, database)
    await database.close()

    assert left != []  # or the test above proves nothing
    [told] = caplog.messages
    assert told.startswith("The database is larger than 0 MB")


async def test_a_larger_database_is_written_anew_once_nobody_wrote_for_a_while(file: Path) -> None:
    """Nobody can write meanwhile, so it is not done while somebody is likely to."""
    clock = FakeClock(1_000_000)
    database = await SQLite.open(file, busy_ms=1, rewritten=0, clock=clock)
    for number in range(40):
        await database.write(partial(_say, f"word-{number}-", Random(number)))  # noqa: S311 - sizes
    await database.write(partial(_delete, ""))

    assert not await database.truncate_log()
    size = await asyncio.to_thread(lambda: file.stat().st_size)
    clock.advance(15_000)
    assert await database.truncate_log()
    assert await asyncio.to_thread(lambda: file.stat().st_size) < size
    await database.close()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_to_write_a_file_anew_keeps_no_memory(file: Path, database: SQLite) -> None:
    """The new file stands in memory first; without a word glibc would keep that for ever."""
    for number in range(100):
        await database.write(partial(_fill, number))
    before = resident()
    await database.write(partial(_delete, "0."))
    assert await database.truncate_log()

    assert await asyncio.to_thread(lambda: file.stat().st_size) > 25_000_000
    assert resident() - before < 5_000_000


def resident() -> int:
    """Bytes in memory of this process."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def _fill(number: int, tx: Transaction) -> None:
    for row in range(300):
        name = f"{number}.{row}"
        await tx.execute(
            "INSERT INTO installation VALUES (:name, :value)",
            name=name,
            value=f"{name}{'-' * 1_000}",
        )


async def test_by_hand_a_database_of_any_size_is_written_anew(file: Path) -> None:
    database = await SQLite.open(file, busy_ms=1, rewritten=ANY_SIZE, rewritten_in_quiet=0)
    for number in range(10):
        await database.write(partial(_say, f"word-{number}-", Random(number)))  # noqa: S311 - sizes
    assert await database.truncate_log()  # so that the file, and not the log, has the words
    size = await asyncio.to_thread(lambda: file.stat().st_size)
    await database.write(partial(_delete, "word-"))
    assert await database.truncate_log()
    [row] = await database.write(lambda tx: tx.fetch("PRAGMA temp_store"))
    await database.close()

    assert await asyncio.to_thread(lambda: file.stat().st_size) <= size
    assert not _is_found(file, "word-")
    assert row["temp_store"] == 2  # in memory again


async def _forget_one_by_one(file: Path, database: SQLite) -> list[str]:
    """Words of others that were still found after they were deleted."""
    random = Random(1)  # noqa: S311 - sizes, not secrets
    left = []
    for number in range(50):
        await database.write(partial(_say, f"word-{number}-", random))
        if number >= 10:
            gone = f"word-{number - 10}-"
            await database.write(partial(_delete, gone))
            assert await database.truncate_log()
            left += [gone] if _is_found(file, gone) else []
    return left


async def _delete(word: str, tx: Transaction) -> None:
    await tx.execute("DELETE FROM installation WHERE value LIKE :words", words=f"{word}%")


async def _say(word: str, random: Random, tx: Transaction) -> None:
    """Rows of all sizes, some of which grow."""
    for _ in range(12):
        key, size = f"{random.getrandbits(64):x}", random.randint(1, 40)
        sql = "INSERT INTO installation (name, value) VALUES (:key, :text)"
        await tx.execute(sql, key=key, text=f"{word} " * size)
        if random.random() < 0.15:
            sql = "UPDATE installation SET value = :text WHERE name = :key"
            await tx.execute(sql, key=key, text=f"{word} " * 3 * size)


async def test_the_log_is_not_emptied_under_a_reader(file: Path, database: SQLite) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT * FROM installation").fetchall()
        await database.write(lambda tx: _put(tx, "1"))

        assert not await database.truncate_log()

    assert await database.truncate_log()


@dataclass(frozen=True)
class Meddled:
    """A connection beside which somebody begins to write when the file is to be written anew."""

    connection: Connection
    other: sqlite3.Connection

    def execute(self, sql: str, values: Mapping[str, Value], /) -> Awaitable[Cursor]:
        if sql == "VACUUM":
            self.other.execute("BEGIN IMMEDIATE")
        return self.connection.execute(sql, values)

    def execute_fetchall(
        self, sql: str, values: Mapping[str, Value], /
    ) -> Awaitable[Iterable[sqlite3.Row]]:
        return self.connection.execute_fetchall(sql, values)

    def rollback(self) -> Awaitable[None]:
        return self.connection.rollback()

    def close(self) -> Awaitable[None]:
        return self.connection.close()


@pytest.mark.inline
async def test_the_file_is_not_written_anew_under_a_writer(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as other:

        async def connect(make: Callable[[], sqlite3.Connection]) -> Connection:
            return Meddled(await in_thread(make), other)

        database = await SQLite.open(file, connect=connect, busy_ms=1)
        assert not await database.truncate_log()
        other.execute("ROLLBACK")
        await database.close()


async def test_waiting_for_others_is_as_before_once_the_log_was_emptied(database: SQLite) -> None:
    await database.truncate_log()

    [row] = await database.write(lambda tx: tx.fetch("PRAGMA busy_timeout"))
    assert row["timeout"] == 1
