"""Where a run is stored, on either engine; it outlives every process."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

import psycopg
from psycopg.rows import dict_row
from psycopg.sql import SQL, Identifier

from memory.database import Clock, Database
from memory.keys import PersonKey
from memory.postgres import Postgres, translate
from memory.sqlite import SQLite
from tests.faults.facts import Records, Row, Values
from tests.faults.fresh import empty_database, link_customers
from tests.faults.inline import InlineConnection, connect
from tests.faults.inline_postgres import InlinePool
from tests.faults.virtual import run


@dataclass(frozen=True, slots=True)
class Opened:
    """The database as one process has it; `drop` is what the kernel does when that dies."""

    database: Database
    drop: Callable[[], None]


class Store(Protocol):
    """The database of one run."""

    records: Records

    async def open(self, clock: Clock) -> Opened: ...

    def contents(self) -> bytes:
        """All bytes in which something forgotten could still stand."""
        ...

    def close(self) -> None: ...


class Engine(Protocol):
    name: str

    def prepare(self, people: Sequence[PersonKey]) -> None:
        """Called before each run, outside of every loop."""
        ...

    def store(self, folder: Path, people: Sequence[PersonKey]) -> Store: ...


class OnSQLite:
    name = "sqlite"

    def prepare(self, people: Sequence[PersonKey]) -> None:
        empty_database(people)

    def store(self, folder: Path, people: Sequence[PersonKey]) -> Store:
        file = folder / "nimbus.db"
        shutil.copyfile(empty_database(people), file)
        return _Files(file)


class _Files:
    def __init__(self, file: Path) -> None:
        self._file = file
        self._reader = sqlite3.connect(file, isolation_level=None)
        self._reader.row_factory = sqlite3.Row
        self.records = Records(self._rows)

    async def open(self, clock: Clock) -> Opened:
        connections: list[InlineConnection] = []

        async def connected(make: Callable[[], sqlite3.Connection]) -> InlineConnection:
            connections.append(await connect(make))
            return connections[-1]

        database = await SQLite.open(
            self._file, durability="normal", clock=clock, connect=connected, busy_ms=0
        )

        def drop() -> None:
            for connection in connections:
                connection.sqlite.close()

        return Opened(database, drop)

    def contents(self) -> bytes:
        name = self._file
        files = [name, Path(f"{name}-wal"), Path(f"{name}-shm")]
        return b"".join(file.read_bytes() for file in files if file.exists())

    def close(self) -> None:
        self._reader.close()

    def _rows(self, sql: str, values: Values) -> Iterable[Row]:
        return [dict(row) for row in self._reader.execute(sql, values)]


class OnPostgres:
    """In one database, emptied before each run."""

    name = "postgres"

    def __init__(self, url: str) -> None:
        self._url = url

    def prepare(self, people: Sequence[PersonKey]) -> None:
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute("SET session_replication_role = replica")
            for table in _tables(connection):
                connection.execute(SQL("DELETE FROM {}").format(Identifier(table)))

        async def link() -> None:
            pool = InlinePool(self._url)
            await link_customers(Postgres(pool), people)
            await pool.close()

        run(lambda _loop: link())

    def store(self, folder: Path, people: Sequence[PersonKey]) -> Store:
        del folder, people
        return _Tables(self._url)


class _Tables:
    def __init__(self, url: str) -> None:
        self._url = url
        self._reader = psycopg.connect(url, autocommit=True, row_factory=dict_row)
        self.records = Records(self._rows)

    async def open(self, clock: Clock) -> Opened:
        pool = InlinePool(self._url)
        return Opened(Postgres(pool, clock), pool.postgres.close)

    def contents(self) -> bytes:
        with psycopg.connect(self._url, autocommit=True) as connection:
            rows = [
                row[0]
                for table in _tables(connection)
                for row in connection.execute(
                    SQL("SELECT t::text FROM {} t").format(Identifier(table))
                )
            ]
        return "\n".join(rows).encode()

    def close(self) -> None:
        self._reader.close()

    def _rows(self, sql: str, values: Values) -> Iterable[Row]:
        if isinstance(values, tuple):
            values = {f"v{number}": value for number, value in enumerate(values)}
        return self._reader.execute(translate(_named(sql)), values).fetchall()


@cache
def _named(sql: str) -> str:
    """Each `?` by its place."""
    first, *others = sql.split("?")
    return first + "".join(f":v{number}{text}" for number, text in enumerate(others))


def _tables(connection: psycopg.Connection) -> list[str]:
    rows = connection.execute(
        "SELECT tablename FROM pg_tables"
        " WHERE schemaname = 'public' AND tablename <> 'schema_migrations'"
    )
    return [row[0] for row in rows]


ON_SQLITE = OnSQLite()
