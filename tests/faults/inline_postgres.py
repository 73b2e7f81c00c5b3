"""psycopg as the pool would lend it, at once: a transaction never waits in the middle."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Self, TypeVar

import psycopg
from psycopg.rows import DictRow, dict_row

from memory.database import Row, Value

T = TypeVar("T")


class InlineCursor:
    def __init__(self, cursor: psycopg.Cursor[DictRow]) -> None:
        self._cursor = cursor

    @property
    def rowcount(self) -> int:
        return self._cursor.rowcount

    def fetchall(self) -> asyncio.Future[Sequence[Row]]:
        return _done(self._cursor.fetchall())


class InlineLoan(AbstractAsyncContextManager["InlineLoan"]):
    """Does everything when called, and not when awaited: nobody comes in between."""

    def __init__(self, postgres: psycopg.Connection[DictRow]) -> None:
        self._postgres = postgres

    def execute(self, query: bytes, params: Mapping[str, Value], /) -> asyncio.Future[InlineCursor]:
        return _done(InlineCursor(self._postgres.execute(query, params)))

    async def __aenter__(self) -> Self:
        return self

    def __aexit__(  # type: ignore[override]  # a future that is done needs no turn of the loop
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> asyncio.Future[None]:
        return _done(None)


class InlinePool:
    """One connection, lent to one transaction after the other."""

    def __init__(self, url: str) -> None:
        self.postgres = psycopg.connect(url, autocommit=True, row_factory=dict_row)

    def connection(self) -> InlineLoan:
        return InlineLoan(self.postgres)

    def close(self) -> asyncio.Future[None]:
        self.postgres.close()
        return _done(None)


def _done(result: T) -> asyncio.Future[T]:
    future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    future.set_result(result)
    return future
