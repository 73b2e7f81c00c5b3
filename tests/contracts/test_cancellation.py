"""A task can be cancelled at every await of a transaction: all of it stands, or nothing does."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import aiosqlite
import pytest

from memory import postgres, sqlite
from memory.database import Database, Transaction, Value, finish
from memory.engines import sqlite_path
from memory.postgres import Postgres, open_pool
from memory.sqlite import SQLite, in_thread

T = TypeVar("T")
STATEMENTS = 4  # BEGIN, two inserts, COMMIT


class Canceller:
    """Cancels the task that asks for statement number `at`, when it is on its way already."""

    def __init__(self, at: int, *, again: bool) -> None:
        self._left = at
        self._again = again

    async def sent(self, statement: Awaitable[T]) -> T:
        self._left -= 1
        task = asyncio.current_task()
        if self._left == 0 and task is not None:
            task.cancel()
            if self._again:  # and a second time, while the rollback runs
                asyncio.get_running_loop().call_later(0, task.cancel)
        return await statement


class CancelledSQLite:
    def __init__(self, connection: sqlite.Connection, canceller: Canceller) -> None:
        self._connection = connection
        self._canceller = canceller

    async def execute(self, sql: str, values: Mapping[str, Value], /) -> sqlite.Cursor:
        return await self._canceller.sent(self._connection.execute(sql, values))

    def execute_fetchall(
        self, sql: str, values: Mapping[str, Value], /
    ) -> Awaitable[Iterable[sqlite3.Row]]:
        return self._connection.execute_fetchall(sql, values)

    def rollback(self) -> Awaitable[None]:
        return self._connection.rollback()

    def close(self) -> Awaitable[None]:
        return self._connection.close()


class CancelledPostgres:
    def __init__(self, pool: postgres.Pool, canceller: Canceller) -> None:
        self._pool = pool
        self._canceller = canceller

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[postgres.Connection]:
        async with self._pool.connection() as connection:
            yield CancelledConnection(connection, self._canceller)

    def close(self) -> Awaitable[None]:
        return self._pool.close()


class CancelledConnection:
    def __init__(self, connection: postgres.Connection, canceller: Canceller) -> None:
        self._connection = connection
        self._canceller = canceller

    async def execute(self, query: bytes, params: Mapping[str, Value], /) -> postgres.Cursor:
        return await self._canceller.sent(self._connection.execute(query, params))


async def _open(url: str, canceller: Canceller) -> Database:
    if url.startswith("postgresql"):
        return Postgres(CancelledPostgres(await open_pool(url), canceller))

    async def connect(make: Callable[[], sqlite3.Connection]) -> CancelledSQLite:
        return CancelledSQLite(await in_thread(make), canceller)

    return await SQLite.open(sqlite_path(url), connect=connect)


async def _two_rows(tx: Transaction) -> None:
    for key in ("a", "b"):
        await tx.execute("INSERT INTO seen (key, seen_at) VALUES (:key, 0)", key=key)


async def _count(tx: Transaction) -> int:
    return len(await tx.fetch("SELECT key FROM seen"))


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("at", range(1, STATEMENTS + 1))
async def test_a_cancelled_write_stands_whole_or_not_at_all(
    database_url: str, at: int, *, again: bool
) -> None:
    database = await _open(database_url, Canceller(at, again=again))

    writing = asyncio.ensure_future(database.write(_two_rows))
    await asyncio.wait([writing])

    assert writing.cancelled()
    count = await database.read(_count)
    assert count in ((0, 2) if at == STATEMENTS else (0,))
    await database.write(lambda tx: tx.execute("DELETE FROM seen"))
    await database.write(_two_rows)
    assert await database.read(_count) == 2
    await database.close()


async def test_a_cancelled_begin_would_poison_a_bare_connection(tmp_path: Path) -> None:
    """The trap itself: should this fail one day, the guard against it may go."""
    async with aiosqlite.connect(tmp_path / "bare.db", isolation_level=None) as connection:
        begin = asyncio.ensure_future(connection.execute("BEGIN IMMEDIATE"))
        asyncio.get_running_loop().call_soon(begin.cancel)
        await asyncio.wait([begin])

        assert begin.cancelled()
        with pytest.raises(sqlite3.OperationalError, match="within a transaction"):
            await connection.execute("BEGIN IMMEDIATE")


async def test_a_rollback_on_a_bare_connection_takes_the_other_task_along(tmp_path: Path) -> None:
    """The other trap."""
    async with aiosqlite.connect(tmp_path / "bare.db", isolation_level=None) as connection:
        await connection.execute("CREATE TABLE t (name)")
        await connection.execute("BEGIN")

        await asyncio.gather(connection.execute("INSERT INTO t VALUES ('of another task')"))
        await connection.rollback()

        assert await connection.execute_fetchall("SELECT name FROM t") == []


async def test_what_is_finished_is_cancelled_only_afterwards() -> None:
    may_end, done = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        await may_end.wait()
        done.set()

    waiting = asyncio.ensure_future(finish(work()))
    loop = asyncio.get_running_loop()
    loop.call_soon(waiting.cancel)
    loop.call_later(0, waiting.cancel)
    loop.call_later(0, may_end.set)
    await asyncio.wait([waiting])

    assert done.is_set()
    assert waiting.cancelled()


async def test_a_failure_of_what_is_finished_is_raised() -> None:
    async def fail() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        await finish(fail())


async def test_a_failure_gives_way_to_the_cancellation() -> None:
    async def fail_late() -> None:
        current.cancel()
        raise LookupError

    current = asyncio.ensure_future(finish(fail_late()))
    await asyncio.wait([current])

    assert current.cancelled()


async def test_two_cancellations_are_one() -> None:
    inner = asyncio.get_running_loop().create_future()
    current = asyncio.ensure_future(finish(inner))
    asyncio.get_running_loop().call_later(0, current.cancel)
    asyncio.get_running_loop().call_later(0, inner.cancel)
    await asyncio.wait([current])

    assert current.cancelled()
