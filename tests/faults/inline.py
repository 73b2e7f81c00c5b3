"""sqlite3 as aiosqlite's connection, at once: a transaction never waits in the middle."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import TypeVar

from memory.database import Value

T = TypeVar("T")


class InlineConnection:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self.sqlite = connection

    async def execute(self, sql: str, values: Mapping[str, Value], /) -> sqlite3.Cursor:
        return self.sqlite.execute(sql, values)

    async def execute_fetchall(
        self, sql: str, values: Mapping[str, Value], /
    ) -> Iterable[sqlite3.Row]:
        return self.sqlite.execute(sql, values).fetchall()

    def rollback(self) -> _Done:
        """Roll back when called, not when awaited: nobody may find the file locked meanwhile."""
        self.sqlite.rollback()
        return _Done()

    def close(self) -> _Done:
        self.sqlite.close()
        return _Done()


class _Done:
    def __await__(self) -> Generator[None, None, None]:
        yield from ()


async def connect(make: Callable[[], sqlite3.Connection]) -> InlineConnection:
    return InlineConnection(make())


async def at_once(work: Callable[[], T]) -> T:
    return work()
