"""SQLite behind the seam: one file, one connection that writes and one that reads."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol, Self

import aiosqlite

from memory.database import (
    Clock,
    Durability,
    Row,
    T,
    Value,
    Work,
    finish,
    storable,
    wall_clock,
)
from memory.errors import ConstraintError, DatabaseLockedError, StorageError
from memory.sqlite_file import BUSY_MS, named_errors, open_file


class Cursor(Protocol):
    @property
    def rowcount(self) -> int: ...


class Connection(Protocol):
    """What is used of `aiosqlite.Connection`; statements run in the order they were asked for."""

    def execute(self, sql: str, values: Mapping[str, Value], /) -> Awaitable[Cursor]: ...

    def execute_fetchall(
        self, sql: str, values: Mapping[str, Value], /
    ) -> Awaitable[Iterable[sqlite3.Row]]: ...

    def rollback(self) -> Awaitable[None]:
        """Roll back what is open; nothing where nothing is."""
        ...

    def close(self) -> Awaitable[None]: ...


Connect = Callable[[Callable[[], sqlite3.Connection]], Awaitable[Connection]]
"""Makes a connection of a function that opens the file; the function may run in a thread."""


async def in_thread(make: Callable[[], sqlite3.Connection]) -> Connection:
    failures: list[Exception] = []
    connection = aiosqlite.Connection(partial(_make_or_note, make, failures), iter_chunk_size=64)
    try:
        await finish(connection)
        if failures:
            raise failures[0]
    except BaseException:
        await finish(connection.close())
        raise
    return connection


def _make_or_note(
    make: Callable[[], sqlite3.Connection], failures: list[Exception]
) -> sqlite3.Connection:
    """aiosqlite does not wait for the thread of a connection that could not be made, and that
    thread outlives the event loop. One that was made can be closed, so there is always one."""
    try:
        return make()
    except (StorageError, sqlite3.Error) as error:
        failures.append(error)
        return sqlite3.connect(":memory:")


REWRITTEN = 64 * 1024**2
"""Bytes of a database up to which it is written anew after an erasure: within half a second or so,
in which nobody else can write."""

REWRITTEN_IN_QUIET = 256 * 1024**2
"""Bytes up to which that is done when nobody wrote for a while: within two seconds or so, and a
message that comes just then has 2.5."""

ANY_SIZE = 2**62
_QUIET_MS = 15_000  # longer than a running turn's lease is left alone
_TOO_LARGE = (
    "The database is larger than %s MB, so the worker does not write it anew after an erasure. "
    "Copies of erased rows may stay between others until `purge` was run by hand; best while "
    "nobody asks: nobody can write meanwhile, for a second for each 130 MB or so."
)

_log = logging.getLogger(__name__)


class SQLite:
    """One database file. aiosqlite mixes the statements of all tasks on a connection, so that
    each transaction has its connection to itself, under a lock."""

    def __init__(
        self,
        writer: Connection,
        reader: Connection,
        clock: Clock,
        rewritten: int = REWRITTEN,
        rewritten_in_quiet: int = REWRITTEN_IN_QUIET,
    ) -> None:
        self._writer = writer
        self._reader = reader
        self._clock = clock
        self._rewritten = rewritten
        self._rewritten_in_quiet = rewritten_in_quiet
        self._wrote_at = 0
        self._has_warned = False
        self._writing = asyncio.Lock()
        self._reading = asyncio.Lock()
        self._is_closed = False

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        durability: Durability = "full",
        clock: Clock = wall_clock,
        connect: Connect = in_thread,
        busy_ms: int = BUSY_MS,
        rewritten: int = REWRITTEN,
        rewritten_in_quiet: int = REWRITTEN_IN_QUIET,
    ) -> Self:
        """Raise StorageError when the file cannot be used."""
        opened = partial(open_file, path, durability=durability, busy_ms=busy_ms)
        writer = await connect(opened)
        try:
            reader = await connect(partial(opened, read_only=True))
        except BaseException:
            await finish(writer.close())
            raise
        return cls(writer, reader, clock, rewritten, rewritten_in_quiet)

    async def read(self, work: Work[T]) -> T:
        async with self._reading:
            return await self._transact(self._reader, "BEGIN", work)

    async def write(self, work: Work[T]) -> T:
        async with self._writing:
            try:
                return await self._transact(self._writer, "BEGIN IMMEDIATE", work)
            finally:
                self._wrote_at = self._clock()

    async def truncate_log(self) -> bool:
        async with self._writing, self._reading:
            self._refuse_when_closed()
            return await finish(self._truncate_log())

    async def copy_to(self, file: Path) -> None:
        """Write a whole copy into `file`, which is new or empty, while others go on."""
        async with self._writing:
            self._refuse_when_closed()
            with named_errors():
                await self._writer.execute("VACUUM INTO :file", {"file": str(file)})

    async def close(self) -> None:
        async with self._writing, self._reading:
            self._is_closed = True
            try:
                await finish(self._reader.close())
            finally:
                await finish(self._writer.close())

    async def _transact(self, connection: Connection, begin: str, work: Work[T]) -> T:
        self._refuse_when_closed()
        transaction = _Transaction(connection, self._clock)
        try:
            # A cancelled BEGIN may still take hold: it is rolled back as all the rest.
            await transaction.execute(begin)
            result = await work(transaction)
            transaction.refuse_when_failed()
            await transaction.execute("COMMIT")
        except BaseException:
            await finish(connection.rollback())
            raise
        return result

    async def _truncate_log(self) -> bool:
        """Without waiting for readers in other processes: the writer would wait as well."""
        with named_errors():
            [before] = await self._pragma("busy_timeout")
            await self._pragma("busy_timeout = 0")
            try:
                return (
                    await self._checkpoint() and await self._rewrite() and await self._checkpoint()
                )
            except DatabaseLockedError:
                return False
            finally:
                await self._pragma(f"busy_timeout = {int(before)}")

    async def _checkpoint(self) -> bool:
        [is_busy, *_pages] = await self._pragma("wal_checkpoint(TRUNCATE)")
        return not is_busy

    async def _rewrite(self) -> bool:
        """What SQLite deletes it overwrites, but not what it moved before that: where pages were
        split or joined, old copies of rows stand between the new ones."""
        [pages], [size] = await self._pragma("page_count"), await self._pragma("page_size")
        if pages * size > self._rewritten:
            if pages * size > self._rewritten_in_quiet:
                self._warn()
                return True
            if 0 <= self._clock() - self._wrote_at < _QUIET_MS:
                return False
        if pages * size > self._rewritten_in_quiet:  # not in memory: it would take as much of that
            await self._writer.execute("PRAGMA temp_store = FILE", {})
        try:
            with named_errors():
                await self._writer.execute("VACUUM", {})
        finally:
            await self._writer.execute("PRAGMA temp_store = MEMORY", {})
            await self._writer.execute_fetchall("SELECT give_back()", {})
        return True

    def _warn(self) -> None:
        if not self._has_warned:
            _log.warning(
                _TOO_LARGE, self._rewritten_in_quiet // 1024**2, extra={"action": "log.too_large"}
            )
        self._has_warned = True

    async def _pragma(self, text: str) -> sqlite3.Row:
        # All rows are fetched: a statement with a row left stays open and blocks what follows.
        [row] = await self._writer.execute_fetchall(f"PRAGMA {text}", {})
        return row

    def _refuse_when_closed(self) -> None:
        if self._is_closed:
            raise StorageError("The database is closed.")


class _Transaction:
    def __init__(self, connection: Connection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._failure: Exception | None = None

    async def fetch(self, sql: str, /, **values: Value) -> list[Row]:
        with self._noted_failures():
            rows = await self._connection.execute_fetchall(sql, storable(values))
        return [dict(row) for row in rows]

    async def execute(self, sql: str, /, **values: Value) -> int:
        with self._noted_failures():
            cursor = await self._connection.execute(sql, storable(values))
        return cursor.rowcount

    async def now(self) -> int:
        return self._clock()

    def refuse_when_failed(self) -> None:
        """SQLite would commit the rest of a transaction whose statement failed."""
        if self._failure is not None:
            raise self._failure

    @contextmanager
    def _noted_failures(self) -> Iterator[None]:
        self.refuse_when_failed()
        try:
            with named_errors():
                yield
        except (StorageError, ConstraintError) as error:
            self._failure = error
            raise
