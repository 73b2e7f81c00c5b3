"""A database that writes down its statements, and what becomes of them on bare SQLite."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, closing
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

import aiosqlite

from memory.database import Database, Durability, Row, T, Transaction, Value, Work
from memory.sqlite_file import open_file


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement; `rows` is what it returned."""

    sql: str
    values: dict[str, Value]
    fetches: bool
    rows: int = 0


@dataclass(frozen=True, slots=True)
class Recorded:
    """One transaction that was committed. Those of one lane came one after the other."""

    kind: Literal["read", "write"]
    statements: list[Statement] = field(default_factory=list)
    lane: str = ""


LANE = ContextVar("LANE", default="")
"""Whoever begins something tells on which lane its transactions are."""


@dataclass(slots=True)
class RecordedDatabase(Database):
    """Passes everything on. `asks_time` is how the engine itself is asked for the time."""

    database: Database
    asks_time: str = ""
    transactions: list[Recorded] = field(default_factory=list)

    async def read(self, work: Work[T]) -> T:
        return await self.database.read(self._recorded("read", work))

    async def write(self, work: Work[T]) -> T:
        return await self.database.write(self._recorded("write", work))

    async def truncate_log(self) -> bool:
        return await self.database.truncate_log()

    async def close(self) -> None:
        await self.database.close()

    def take(self) -> list[Recorded]:
        """What was recorded since it was last taken."""
        taken, self.transactions = self.transactions, []
        return taken

    def _recorded(self, kind: Literal["read", "write"], work: Work[T]) -> Work[T]:
        async def recorded(tx: Transaction) -> T:
            transaction = Recorded(kind, lane=LANE.get())
            notes = _RecordedTransaction(tx, transaction.statements, self.asks_time)
            result = await work(notes)
            self.transactions.append(transaction)
            return result

        return recorded


@dataclass(frozen=True, slots=True)
class _RecordedTransaction(Transaction):
    tx: Transaction
    statements: list[Statement]
    asks_time: str

    async def fetch(self, sql: str, /, **values: Value) -> list[Row]:
        rows = await self.tx.fetch(sql, **values)
        self.statements.append(Statement(sql, values, fetches=True, rows=len(rows)))
        return rows

    async def execute(self, sql: str, /, **values: Value) -> int:
        touched = await self.tx.execute(sql, **values)
        self.statements.append(Statement(sql, values, fetches=False))
        return touched

    async def now(self) -> int:
        now = await self.tx.now()
        if self.asks_time:
            self.statements.append(Statement(self.asks_time, {}, fetches=True, rows=1))
        return now


def statements(transactions: Iterable[Recorded]) -> list[str]:
    """The SQL texts, in order, with where each transaction begins."""
    texts: list[str] = []
    for transaction in transactions:
        texts += [transaction.kind, *(statement.sql for statement in transaction.statements)]
    return texts


def rows(transactions: Iterable[Recorded]) -> int:
    """How many rows were returned."""
    return sum(statement.rows for each in transactions for statement in each.statements)


@dataclass(frozen=True, slots=True)
class Bare:
    """aiosqlite and nothing else: one connection that writes and one that reads."""

    writer: aiosqlite.Connection
    reader: aiosqlite.Connection

    async def replay(self, transactions: Iterable[Recorded]) -> None:
        """The same statements in the same transactions."""
        for transaction in transactions:
            is_read = transaction.kind == "read"
            connection = self.reader if is_read else self.writer
            await connection.execute("BEGIN" if is_read else "BEGIN IMMEDIATE")
            for statement in transaction.statements:
                run = connection.execute_fetchall if statement.fetches else connection.execute
                await run(statement.sql, statement.values)
            await connection.execute("COMMIT")


@asynccontextmanager
async def bare(file: Path, durability: Durability) -> AsyncIterator[Bare]:
    """Open a file as `memory.sqlite` does."""
    opened = partial(open_file, file, durability=durability)
    async with (
        aiosqlite.Connection(opened, iter_chunk_size=64) as writer,
        aiosqlite.Connection(partial(opened, read_only=True), iter_chunk_size=64) as reader,
    ):
        yield Bare(writer, reader)


def machine_steps(file: Path, transactions: Iterable[Recorded]) -> int:
    """How many instructions SQLite runs for these statements: what it scans, not what it returns.

    They are carried out on the file.
    """
    counted = 0

    def count() -> int:
        nonlocal counted
        counted += 1
        return 0  # go on

    with closing(open_file(file)) as connection:
        connection.set_progress_handler(count, 1)
        for transaction in transactions:
            connection.execute("BEGIN IMMEDIATE")
            for statement in transaction.statements:
                connection.execute(statement.sql, statement.values).fetchall()
            connection.execute("COMMIT")
    return counted
