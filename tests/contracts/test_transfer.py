"""A copy of the memory in one file."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import pytest

import memory
from memory import missed
from memory.database import Database, Transaction
from memory.engines import open_database, sqlite_path
from memory.errors import DatabaseCorruptError, StorageError
from memory.transfer import backup, check_sound


async def _put(tx: Transaction, name: str) -> None:
    await tx.execute("INSERT INTO installation (name, value) VALUES (:name, 'v')", name=name)


async def _names(tx: Transaction) -> list[str]:
    return [row["name"] for row in await tx.fetch("SELECT name FROM installation ORDER BY name")]


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
async def database(sqlite_url: str) -> AsyncIterator[Database]:
    opened = await open_database(sqlite_url)
    await opened.write(lambda tx: _put(tx, "before"))
    yield opened
    await opened.close()


async def test_a_copy_is_made_while_others_write(
    database: Database, sqlite_url: str, tmp_path: Path
) -> None:
    copied = asyncio.Event()

    async def hold(tx: Transaction) -> None:
        await _put(tx, "not yet committed")
        await copied.wait()

    async with asyncio.TaskGroup() as group:
        group.create_task(database.write(hold))
        await backup(sqlite_url, tmp_path / "copy.db")
        copied.set()

    async with memory.open(f"sqlite:///{tmp_path}/copy.db") as copy:
        assert await copy.database.read(_names) == ["before", "copied"]


@pytest.mark.usefixtures("umask", "database")
async def test_a_copy_is_its_owner_s_only(sqlite_url: str, tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()

    await backup(sqlite_url, folder / "copy.db")

    assert {each.name: each.stat().st_mode & 0o777 for each in folder.iterdir()} == {
        "copy.db": 0o600
    }


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    file = tmp_path / "letter.txt"
    file.write_text("Dear reader")
    return file


async def test_no_file_is_overwritten(sqlite_url: str, letter: Path) -> None:
    with pytest.raises(StorageError, match="exists already"):
        await backup(sqlite_url, letter)

    assert await asyncio.to_thread(letter.read_text) == "Dear reader"


async def test_a_place_where_nothing_can_be_made_is_named(sqlite_url: str, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="nowhere"):
        await backup(sqlite_url, tmp_path / "nowhere" / "copy.db")


async def test_what_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no database"):
        await backup(f"sqlite:///{tmp_path}/none.db", tmp_path / "copy.db")

    assert not await asyncio.to_thread(lambda: list(tmp_path.iterdir()))


async def test_postgresql_has_a_program_for_it(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="pg_dump"):
        await backup("postgresql://host/name", tmp_path / "copy.db")


@pytest.fixture
def damaged_url(sqlite_url: str) -> str:
    """One row breaks a rule of its table: only a thorough look finds it."""
    with closing(sqlite3.connect(sqlite_path(sqlite_url))) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(
            "INSERT INTO conversations VALUES"
            " ('i', 'p', 7, 't', 'l', 'c', 'x', 'direct', 'o', 0, 0, 0, 1, 1, 1, NULL, '', 0, 1,"
            " '', NULL)"
        )
    return sqlite_url


async def test_a_damaged_copy_is_not_kept(damaged_url: str, tmp_path: Path) -> None:
    with pytest.raises(DatabaseCorruptError):
        await backup(damaged_url, tmp_path / "copy.db")

    assert "copy.db" not in await asyncio.to_thread(os.listdir, tmp_path)


async def test_a_sound_file_is_found_sound_and_a_server_looks_after_its_own(
    database: Database, sqlite_url: str
) -> None:
    await check_sound(sqlite_url, database)
    await database.close()
    await check_sound("postgresql://host/name", database)


async def test_a_damaged_file_is_found_damaged(damaged_url: str) -> None:
    database = await open_database(damaged_url)

    with pytest.raises(DatabaseCorruptError, match="copy a backup"):
        await check_sound(damaged_url, database)
    await database.close()


async def test_a_copy_knows_once_that_it_is_one(
    database: Database, sqlite_url: str, tmp_path: Path
) -> None:
    file = tmp_path / "copy.db"
    await backup(sqlite_url, file)
    assert not await database.write(missed.begin_afresh)
    copy = await open_database(f"sqlite:///{file}")

    assert [await copy.write(missed.begin_afresh) for _ in range(2)] == [True, False]
    await copy.close()


async def test_a_file_in_which_nothing_is_yet_can_be_copied(tmp_path: Path) -> None:
    await (await open_database(f"sqlite:///{tmp_path / 'empty.db'}")).close()

    await backup(f"sqlite:///{tmp_path / 'empty.db'}", tmp_path / "copy.db")

    assert await asyncio.to_thread((tmp_path / "copy.db").exists)
