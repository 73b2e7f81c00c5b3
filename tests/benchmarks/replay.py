"""A whole run's statements once more, on the engine alone: what the driver and the engine take."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

import aiosqlite

from memory import postgres
from memory.database import Durability
from memory.sqlite_file import open_file
from tests.benchmarks.recording import Recorded


class Line(Protocol):
    """As many connections as the house has."""

    async def carry_out(self, transaction: Recorded) -> None: ...


async def seconds_of(line: Line, transactions: Sequence[Recorded]) -> float:
    """All lanes at once, each in its order, as in the run itself."""
    lanes: dict[str, list[Recorded]] = defaultdict(list)
    for each in transactions:
        lanes[each.lane].append(each)

    async def follow(lane: Sequence[Recorded]) -> None:
        for each in lane:
            await line.carry_out(each)

    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for lane in lanes.values():
            group.create_task(follow(lane))
    return time.perf_counter() - began


class SQLiteLine:
    """One connection that writes and one that reads."""

    def __init__(self, writer: aiosqlite.Connection, reader: aiosqlite.Connection) -> None:
        self._connections = {"write": writer, "read": reader}
        self._free = {"write": asyncio.Lock(), "read": asyncio.Lock()}

    async def carry_out(self, transaction: Recorded) -> None:
        kind = transaction.kind
        connection = self._connections[kind]
        async with self._free[kind]:
            await connection.execute("BEGIN" if kind == "read" else "BEGIN IMMEDIATE")
            for statement in transaction.statements:
                run = connection.execute_fetchall if statement.fetches else connection.execute
                await run(statement.sql, statement.values)
            await connection.execute("COMMIT")


class PostgresLine:
    """A pool."""

    _BEGIN = {  # noqa: RUF012 - nobody changes it
        "read": b"BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY",
        "write": b"BEGIN ISOLATION LEVEL READ COMMITTED",
    }

    def __init__(self, pool: postgres.Pool) -> None:
        self._pool = pool

    async def carry_out(self, transaction: Recorded) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(self._BEGIN[transaction.kind], {})
            for statement in transaction.statements:
                query = postgres.translate(statement.sql)
                cursor = await connection.execute(query, statement.values)
                if statement.fetches:
                    await cursor.fetchall()
            await connection.execute(b"COMMIT", {})


@asynccontextmanager
async def sqlite_line(url: str, durability: Durability) -> AsyncIterator[Line]:
    opened = partial(open_file, Path(url), durability=durability)
    async with (
        aiosqlite.Connection(opened, iter_chunk_size=64) as writer,
        aiosqlite.Connection(partial(opened, read_only=True), iter_chunk_size=64) as reader,
    ):
        yield SQLiteLine(writer, reader)


@asynccontextmanager
async def postgres_line(url: str, durability: Durability) -> AsyncIterator[Line]:
    pool = await postgres.open_pool(url, durability)
    try:
        yield PostgresLine(pool)
    finally:
        await pool.close()
