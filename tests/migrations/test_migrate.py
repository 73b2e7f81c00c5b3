"""Every database arrives at today's schema, once, whole, and no other is touched."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

from memory.database import Database, Row, T, Work
from memory.engines import open_database
from memory.errors import DatabaseTooNewError, MigrationChangedError, StorageError
from memory.migrate import Migration, migrate, read_migrations
from memory.sqlite import SQLite
from tests.postgres import Server

ONE = Migration(1, "0001_one", "-- a; comment\nCREATE TABLE one (a BIGINT);\n-- the end\n")
TWO = Migration(
    2, "0002_two", "CREATE TABLE two (\n  a TEXT);\nINSERT INTO two VALUES ('one; :a 1%');\n"
)
TORN = replace(TWO, script="CREATE TABLE two (a TEXT);\nINSERT INTO nowhere VALUES (1);\n")

ALL = read_migrations()

SCHEMA = {
    "sqlite": "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name",
    "postgres": """
        SELECT table_name, column_name, data_type, is_nullable, column_default, indexdef
        FROM information_schema.columns
        LEFT JOIN pg_indexes ON tablename = table_name
        WHERE table_schema = 'public' ORDER BY 1, 2, 6
        """,
}


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def new_url(engine: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database with nothing in it."""
    if engine == "sqlite":
        yield f"sqlite:///{tmp_path}/new.db"
        return
    server: Server = request.getfixturevalue("postgres_server")
    with server.fresh() as url:
        yield url


@asynccontextmanager
async def _opened(url: str) -> AsyncIterator[Database]:
    database = await open_database(url)
    try:
        yield database
    finally:
        await database.close()


@pytest.fixture
async def database(new_url: str) -> AsyncIterator[Database]:
    async with _opened(new_url) as opened:
        yield opened


async def _rows(database: Database, sql: str) -> list[Row]:
    return await database.read(lambda tx: tx.fetch(sql))


async def test_all_that_is_new_is_applied_in_order(database: Database) -> None:
    assert await migrate(database, [ONE, TWO]) == ["0001_one", "0002_two"]

    assert await _rows(database, "SELECT * FROM two") == [{"a": "one; :a 1%"}]


async def test_a_migration_is_applied_once(database: Database) -> None:
    await migrate(database, [ONE])

    assert await migrate(database, [ONE]) == []
    assert await migrate(database, [ONE, TWO]) == ["0002_two"]


async def test_several_processes_at_once_apply_each_one_once(new_url: str) -> None:
    async def start() -> list[str]:
        async with _opened(new_url) as database:
            return await migrate(database, [ONE, TWO])

    applied = await asyncio.gather(*(start() for _ in range(4)))

    assert sorted(chain.from_iterable(applied)) == ["0001_one", "0002_two"]


async def test_a_migration_that_fails_leaves_nothing_of_itself(database: Database) -> None:
    with pytest.raises(StorageError, match="nowhere"):
        await migrate(database, [ONE, TORN])

    assert await migrate(database, [ONE, TWO]) == ["0002_two"]


async def test_a_newer_database_is_left_alone(database: Database) -> None:
    await migrate(database, [ONE, TWO])

    with pytest.raises(DatabaseTooNewError, match="0002"):
        await migrate(database, [ONE])


async def test_a_changed_migration_is_refused_before_anything_is_done(database: Database) -> None:
    await migrate(database, [ONE])

    with pytest.raises(MigrationChangedError, match="0001_one"):
        await migrate(database, [replace(ONE, script="CREATE TABLE another (a BIGINT);"), TWO])

    assert await migrate(database, [ONE, TWO]) == ["0002_two"]


async def test_what_another_version_applied_meanwhile_is_noticed(database: Database) -> None:
    await migrate(database, [])
    other = replace(ONE, script="CREATE TABLE other (a BIGINT);")

    with pytest.raises(MigrationChangedError):
        await migrate(Overtaken(database, other), [ONE])


class Overtaken:
    """A database in which another process applies something between our look and our write."""

    def __init__(self, database: Database, other: Migration) -> None:
        self._database = database
        self._other = other

    async def read(self, work: Work[T]) -> T:
        return await self._database.read(work)

    async def write(self, work: Work[T]) -> T:
        await migrate(self._database, [self._other])
        return await self._database.write(work)

    async def truncate_log(self) -> bool:
        return await self._database.truncate_log()

    async def close(self) -> None:
        await self._database.close()


async def test_every_older_database_arrives_at_the_schema_of_a_fresh_one(
    engine: str, database: Database, request: pytest.FixtureRequest
) -> None:
    for count in range(1, len(ALL) + 1):
        await migrate(database, ALL[:count])
    grown = await _rows(database, SCHEMA[engine])

    fresh_url = request.getfixturevalue(f"{engine}_url")
    async with _opened(fresh_url) as fresh:
        assert await _rows(fresh, SCHEMA[engine]) == grown


async def test_a_conversation_of_the_first_schema_hangs_from_nothing(database: Database) -> None:
    await migrate(database, ALL[:1])
    await database.write(
        lambda tx: tx.execute(
            """
            INSERT INTO conversations (id, place, platform, workspace, channel, thread, surface,
              owner, created_at, active_at)
            VALUES ('1', 'slack:T1:C1:1.0', 'slack', 'T1', 'C1', '1.0', 'public', 'slack:T1:U1',
              1, 1)
            """
        )
    )
    await migrate(database)

    assert await _rows(database, "SELECT id, parent FROM conversations") == [
        {"id": "1", "parent": ""}
    ]


async def test_what_is_up_to_date_is_opened_without_a_write(sqlite_url: str) -> None:
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    database = await SQLite.open(file, busy_ms=1)

    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert await migrate(database) == []
    await database.close()


def test_the_end_of_lines_does_not_count(tmp_path: Path) -> None:
    for folder, end in (("unix", "\n"), ("windows", "\r\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "0001_one.sql").write_bytes(f"SELECT 1;{end}".encode())

    assert read_migrations(tmp_path / "unix") == read_migrations(tmp_path / "windows")


def test_an_installation_without_migrations_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no migrations"):
        read_migrations(tmp_path)


def test_each_migration_has_a_number_of_its_own_and_ends_with_its_last_statement() -> None:
    numbers = [each.number for each in ALL]
    assert numbers == sorted(set(numbers))
    for each in ALL:
        text = each.script.rstrip()
        assert text.endswith(";")
        assert text.endswith(list(each.statements)[-1])
