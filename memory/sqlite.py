"""SQLite behind the seam: one file, one connection that writes and one that reads."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
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
from memory.errors import (
    ConstraintError,
    DatabaseCorruptError,
    DatabaseFullError,
    DatabaseLockedError,
    DatabaseReadOnlyError,
    StorageError,
)

BUSY_MS = 2000  # how long we wait for another program; accept has 2.5 s


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


def in_thread(make: Callable[[], sqlite3.Connection]) -> Awaitable[Connection]:
    return aiosqlite.Connection(make, iter_chunk_size=64)


class SQLite:
    """One database file. aiosqlite mixes the statements of all tasks on a connection, so that
    each transaction has its connection to itself, under a lock."""

    def __init__(self, writer: Connection, reader: Connection, clock: Clock) -> None:
        self._writer = writer
        self._reader = reader
        self._clock = clock
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
    ) -> Self:
        """Raise StorageError when the file cannot be used."""
        opened = partial(open_file, path, durability=durability, busy_ms=busy_ms)
        writer = await connect(opened)
        try:
            reader = await connect(partial(opened, read_only=True))
        except BaseException:
            await finish(writer.close())
            raise
        return cls(writer, reader, clock)

    async def read(self, work: Work[T]) -> T:
        async with self._reading:
            return await self._transact(self._reader, "BEGIN", work)

    async def write(self, work: Work[T]) -> T:
        async with self._writing:
            return await self._transact(self._writer, "BEGIN IMMEDIATE", work)

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
                [is_busy, *_pages] = await self._pragma("wal_checkpoint(TRUNCATE)")
            finally:
                await self._pragma(f"busy_timeout = {int(before)}")
        return not is_busy

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


def open_file(
    path: Path,
    *,
    durability: Durability = "full",
    busy_ms: int = BUSY_MS,
    read_only: bool = False,
) -> sqlite3.Connection:
    """Open the file, making it when it is new, as the connections of `SQLite` need it."""
    path = path.resolve()
    _keep_private(path)
    with named_errors():
        connection = sqlite3.connect(path, timeout=busy_ms / 1000, isolation_level=None)
        connection.row_factory = sqlite3.Row
        try:
            _configure(connection, durability, read_only=read_only)
        except BaseException:
            connection.close()
            raise
    return connection


def _configure(connection: sqlite3.Connection, durability: Durability, *, read_only: bool) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # erased text is overwritten
    connection.execute("PRAGMA temp_store = MEMORY")  # and was never in a temporary file
    connection.execute(f"PRAGMA synchronous = {durability.upper()}")
    [mode] = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise StorageError("The database's disk cannot keep a write-ahead log; use a local disk.")
    if read_only:
        connection.execute("PRAGMA query_only = ON")


def _keep_private(path: Path) -> None:
    """Only the owner may read: the file is made so, whatever the umask, and SQLite makes those
    beside it alike. A file that exists is never opened here: closing it again would drop the
    locks that SQLite's other connections in this process hold on it."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        for file in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
            with suppress(FileNotFoundError, PermissionError):
                file.chmod(file.stat().st_mode & 0o700)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise StorageError(f"The folder of the database does not exist: {path.parent}") from error
    except OSError as error:
        raise DatabaseReadOnlyError(
            f"The database cannot be made in {path.parent}: {error.strerror}."
        ) from error
    else:
        os.close(descriptor)
        path.chmod(0o600)


@contextmanager
def named_errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        # Of an extended code the lowest byte is the kind; the module's own errors have none.
        kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
        name, sentence = _ERRORS.get(kind, (StorageError, f"The database failed: {error}."))
        raise name(sentence) from error


_ERRORS: Mapping[int, tuple[type[Exception], str]] = {
    sqlite3.SQLITE_BUSY: (
        DatabaseLockedError,
        "Another program holds the database; try again when it is done.",
    ),
    sqlite3.SQLITE_READONLY: (
        DatabaseReadOnlyError,
        "The database may not be written to; check the owner and the rights of its file.",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        DatabaseReadOnlyError,
        "The database cannot be opened; check the rights of its file and of its folder.",
    ),
    sqlite3.SQLITE_FULL: (
        DatabaseFullError,
        "The disk is full; make room, then try again.",
    ),
    sqlite3.SQLITE_IOERR: (
        StorageError,
        "The disk failed while the database was used.",
    ),
    sqlite3.SQLITE_CORRUPT: (
        DatabaseCorruptError,
        "The database is damaged; put a backup in its place.",
    ),
    sqlite3.SQLITE_NOTADB: (
        DatabaseCorruptError,
        "The file is not a database; check DATABASE_URL.",
    ),
    sqlite3.SQLITE_CONSTRAINT: (
        ConstraintError,
        "What was to be written contradicts what is stored.",
    ),
}
