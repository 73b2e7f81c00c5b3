"""PostgreSQL behind the seam: a pool of connections, the same SQL, the same errors."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from functools import lru_cache
from random import SystemRandom
from typing import Any, Protocol, Self

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from memory.database import Clock, Durability, Row, T, Value, Work, finish, storable
from memory.errors import (
    ConstraintError,
    DatabaseCorruptError,
    DatabaseFullError,
    DatabaseLockedError,
    DatabaseReadOnlyError,
    StorageError,
)

TRIES = 6
CONNECTIONS = 10
CONNECT_SECONDS = 10
NOW = "SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT) AS now"
SESSION = "-c statement_timeout=10s -c lock_timeout=5s -c idle_in_transaction_session_timeout=60s"


class Cursor(Protocol):
    @property
    def rowcount(self) -> int: ...

    def fetchall(self) -> Awaitable[Sequence[Row]]: ...


class Connection(Protocol):
    """What is used of psycopg's connection, which is in autocommit: BEGIN is ours."""

    def execute(self, query: bytes, params: Mapping[str, Value], /) -> Awaitable[Cursor]: ...


class Pool(Protocol):
    def connection(self) -> AbstractAsyncContextManager[Connection]: ...

    def close(self) -> Awaitable[None]: ...


Pause = Callable[[int], Awaitable[None]]


async def pause(attempt: int) -> None:
    """Longer each time, and never the same for two that collided."""
    await asyncio.sleep(SystemRandom().uniform(0.01, 0.02) * 2**attempt)


class Postgres:
    def __init__(self, pool: Pool, clock: Clock | None = None, *, pause: Pause = pause) -> None:
        self._pool = pool
        self._clock = clock
        self._pause = pause

    @classmethod
    async def open(
        cls, url: str, *, durability: Durability = "full", clock: Clock | None = None
    ) -> Self:
        """Raise StorageError when the server cannot be used."""
        return cls(await open_pool(url, durability), clock)

    async def read(self, work: Work[T]) -> T:
        return await self._retry("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", work)

    async def write(self, work: Work[T]) -> T:
        return await self._retry("BEGIN ISOLATION LEVEL READ COMMITTED", work)

    async def truncate_log(self) -> bool:
        """The server's log is the server's business."""
        return True

    async def close(self) -> None:
        await finish(self._pool.close())

    async def _retry(self, begin: str, work: Work[T]) -> T:
        attempt = 1
        while True:
            try:
                return await self._transact(begin, work)
            except _CollisionError:
                if attempt == TRIES:
                    raise
            await self._pause(attempt)
            attempt += 1

    async def _transact(self, begin: str, work: Work[T]) -> T:
        async with self._connection() as connection:
            transaction = _Transaction(connection, self._clock)
            try:
                await transaction.execute(begin)
                result = await work(transaction)
                transaction.refuse_when_failed()
                await transaction.execute("COMMIT")
            except BaseException:
                with suppress(psycopg.Error):  # lost: the server rolls back, the pool replaces it
                    await finish(connection.execute(b"ROLLBACK", {}))
                raise
        return result

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Connection]:
        """A connection of its own, given back whatever cancels us."""
        lent = self._pool.connection()
        with _named_errors():
            connection = await lent.__aenter__()
        try:
            yield connection
        finally:
            with suppress(psycopg.Error):
                await finish(lent.__aexit__(None, None, None))


async def open_pool(url: str, durability: Durability = "full") -> Pool:
    options = _options(url, durability)
    with _named_errors():
        # The pool would try for ever; this says at once what is wrong.
        await (await psycopg.AsyncConnection.connect(**options)).close()
    # It warns of every attempt in words of its own; whoever needs a connection says it in ours.
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
    pool = AsyncConnectionPool(
        kwargs=options | {"autocommit": True, "row_factory": dict_row},
        connection_class=psycopg.AsyncConnection[DictRow],
        min_size=1,
        max_size=CONNECTIONS,
        timeout=CONNECT_SECONDS,
        check=AsyncConnectionPool.check_connection,
        open=False,
    )
    await pool.open()
    return pool


class _Transaction:
    def __init__(self, connection: Connection, clock: Clock | None) -> None:
        self._connection = connection
        self._clock = clock
        self._failure: Exception | None = None

    async def fetch(self, sql: str, /, **values: Value) -> list[Row]:
        with self._noted_failures():
            cursor = await self._connection.execute(translate(sql), storable(values))
            return list(await cursor.fetchall())

    async def execute(self, sql: str, /, **values: Value) -> int:
        with self._noted_failures():
            cursor = await self._connection.execute(translate(sql), storable(values))
        return cursor.rowcount

    async def now(self) -> int:
        if self._clock is not None:
            return self._clock()
        [row] = await self.fetch(NOW)
        return int(row["now"])

    def refuse_when_failed(self) -> None:
        """A COMMIT of a transaction that failed is a rollback, and no error."""
        if self._failure is not None:
            raise self._failure

    @contextmanager
    def _noted_failures(self) -> Iterator[None]:
        self.refuse_when_failed()
        try:
            with _named_errors():
                yield
        except (StorageError, ConstraintError) as error:
            self._failure = error
            raise


class _CollisionError(DatabaseLockedError):
    """Two transactions were in each other's way; this one runs again."""


# Literals, names and comments are left as they are; of the rest a `:name` is a parameter.
_TOKEN = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|::|:([A-Za-z_]\w*)")


@lru_cache(maxsize=1024)
def translate(sql: str) -> bytes:
    """`:name` becomes `%(name)s`, which is what psycopg reads, and a `%` is doubled."""
    return _TOKEN.sub(_placeholder, sql.replace("%", "%%")).encode()


def _placeholder(token: re.Match[str]) -> str:
    return token[0] if token[1] is None else f"%({token[1]})s"


def _options(url: str, durability: Durability) -> dict[str, Any]:
    try:
        options: dict[str, Any] = conninfo_to_dict(url)
    except psycopg.Error:
        raise StorageError("The PostgreSQL address in DATABASE_URL cannot be read.") from None
    session = SESSION if durability == "full" else f"{SESSION} -c synchronous_commit=off"
    own = {"connect_timeout": CONNECT_SECONDS, "client_encoding": "UTF8"}
    return own | options | {"options": f"{session} {options.get('options', '')}".strip()}


@contextmanager
def _named_errors() -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        # Without its cause: PostgreSQL's text can hold the row that it refused.
        raise _named(error) from None


def _named(error: psycopg.Error) -> Exception:
    if isinstance(error, PoolClosed):
        return StorageError("The database is closed.")
    if isinstance(error, PoolTimeout):
        return DatabaseLockedError(
            "PostgreSQL gave no connection: it cannot be reached, or is busy; check that it runs, "
            "then try again."
        )
    # A connection that fails has no state.
    state = error.sqlstate or ("08" if isinstance(error, psycopg.OperationalError) else "")
    name, sentence = _ERRORS.get(state) or _ERRORS.get(state[:2]) or _unnamed(error)
    return name(sentence)


def _unnamed(error: psycopg.Error) -> tuple[type[Exception], str]:
    return StorageError, f"The database failed: {error.diag.message_primary or error}."


_Named = tuple[type[Exception], str]
_AWAY: _Named = (
    StorageError,
    "The PostgreSQL server cannot be used; check that it runs, and DATABASE_URL.",
)
_BUSY: _Named = (DatabaseLockedError, "PostgreSQL is busy with other work; try again.")
_COLLISION: _Named = (_CollisionError, _BUSY[1])
_CONFLICT: _Named = (ConstraintError, "What was to be written contradicts what is stored.")
_READ_ONLY: _Named = (DatabaseReadOnlyError, "The PostgreSQL database may not be written to.")
_CORRUPT: _Named = (DatabaseCorruptError, "The PostgreSQL database is damaged.")

# By SQLSTATE, or by its first two characters, its class.
_ERRORS: Mapping[str, _Named] = {
    "40001": _COLLISION,
    "40P01": _COLLISION,
    "23": _CONFLICT,
    "42P07": _CONFLICT,  # with 42710: two processes make the same table
    "42710": _CONFLICT,
    "25006": _READ_ONLY,
    "42501": _READ_ONLY,
    "53100": (DatabaseFullError, "The disk of PostgreSQL is full; make room, then try again."),
    "53": _BUSY,
    "55P03": _BUSY,
    "57014": _BUSY,
    "XX001": _CORRUPT,
    "XX002": _CORRUPT,
    "08": _AWAY,
    "28": _AWAY,
    "3D": _AWAY,
    "57": _AWAY,
}
