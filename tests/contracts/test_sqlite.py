"""What is SQLite's own: the file, who may read it, and what goes wrong."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from memory.database import Transaction
from memory.engines import sqlite_path
from memory.errors import (
    DatabaseCorruptError,
    DatabaseFullError,
    DatabaseLockedError,
    DatabaseReadOnlyError,
    StorageError,
)
from memory.sqlite import Connection, SQLite, in_thread
from memory.sqlite_file import open_file

NOBODY = 65534


@pytest.fixture
def file(sqlite_url: str) -> Path:
    """Of today's schema, with nothing in it."""
    return sqlite_path(sqlite_url)


@pytest.fixture
async def database(file: Path) -> AsyncIterator[SQLite]:
    opened = await SQLite.open(file, busy_ms=1)
    yield opened
    await opened.close()


async def _put(tx: Transaction, value: str) -> None:
    await tx.execute("INSERT INTO installation (name, value) VALUES ('n', :value)", value=value)


def _modes(file: Path) -> dict[str, int]:
    return {each.name: each.stat().st_mode & 0o777 for each in file.parent.iterdir()}


@contextmanager
def _umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def _not_root() -> Iterator[Path]:
    """A folder of our own, as somebody whom the rights of files bind."""
    is_root = os.geteuid() == 0
    with TemporaryDirectory() as name:
        if is_root:
            os.chown(name, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            yield Path(name)
        finally:
            Path(name).chmod(0o700)
            if is_root:
                os.seteuid(0)


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
async def test_the_files_are_the_owner_s_only(tmp_path: Path, mask: int) -> None:
    file = tmp_path / "new.db"

    with _umask(mask):
        database = await SQLite.open(file)
        await database.write(lambda tx: tx.execute("CREATE TABLE t (a)"))
        modes = _modes(file)
    await database.close()

    assert modes == {"new.db": 0o600, "new.db-wal": 0o600, "new.db-shm": 0o600}


@pytest.fixture
def readable_file(file: Path) -> Path:
    file.chmod(0o644)
    return file


async def test_a_file_that_others_could_read_is_closed_to_them(readable_file: Path) -> None:
    file = readable_file

    database = await SQLite.open(file)
    await database.close()

    assert _modes(file) == {"nimbus.db": 0o600}


async def test_a_link_to_a_file_that_is_not_there_makes_it_private(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "real.db")

    database = await SQLite.open(tmp_path / "link.db")
    await database.close()

    assert (tmp_path / "real.db").stat().st_mode & 0o777 == 0o600


def test_what_is_no_file_keeps_its_rights(tmp_path: Path) -> None:
    """A mistake may name a folder, or put one where the log has to be."""
    (tmp_path / "nimbus.db").touch()
    log = tmp_path / "nimbus.db-wal"
    log.mkdir()
    for folder in (tmp_path, log):
        folder.chmod(0o755)
    for path in (tmp_path, tmp_path / "nimbus.db"):
        with pytest.raises(StorageError):
            open_file(path)

    assert [each.stat().st_mode & 0o777 for each in (tmp_path, log)] == [0o755, 0o755]


@pytest.mark.parametrize(("durability", "level"), [("full", 2), ("normal", 1)])
async def test_each_connection_is_set_up(file: Path, durability: str, level: int) -> None:
    wanted = {
        "foreign_keys": 1,
        "secure_delete": 1,
        "temp_store": 2,
        "journal_mode": "wal",
        "busy_timeout": 7,
        "synchronous": level,
    }

    async def pragmas(tx: Transaction) -> dict[str, object]:
        rows = {name: await tx.fetch(f"PRAGMA {name}") for name in wanted}
        return {name: next(iter(row.values())) for name, [row] in rows.items()}

    database = await SQLite.open(
        file, durability="normal" if durability == "normal" else "full", busy_ms=7
    )
    found = await database.read(pragmas), await database.write(pragmas)
    await database.close()

    assert found == (wanted, wanted)


async def test_a_database_that_another_holds_is_locked(file: Path, database: SQLite) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        with pytest.raises(DatabaseLockedError):
            await database.write(lambda tx: _put(tx, "1"))

    await database.write(lambda tx: _put(tx, "1"))


async def test_a_full_disk_has_its_name_and_loses_nothing(file: Path) -> None:
    def connect(make: Callable[[], sqlite3.Connection]) -> Awaitable[Connection]:
        def small() -> sqlite3.Connection:
            made = make()
            made.execute("PRAGMA max_page_count = 1")  # no page more than there are
            return made

        return in_thread(small)

    database = await SQLite.open(file, connect=connect)
    await database.write(lambda tx: _put(tx, "fits"))

    with pytest.raises(DatabaseFullError):
        await database.write(lambda tx: tx.execute("UPDATE installation SET value = :v", v=_LONG))

    [row] = await database.read(lambda tx: tx.fetch("SELECT value FROM installation"))
    assert row["value"] == "fits"
    await database.close()


_LONG = "x" * 1_000_000


async def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.db").write_text("Dear reader, this is no database. " * 100)

    with pytest.raises(DatabaseCorruptError, match="not a database"):
        await SQLite.open(tmp_path / "letter.db")


@pytest.fixture
def damaged_file(file: Path) -> Path:
    whole = file.read_bytes()
    file.write_bytes(whole[:4096] + b"\xa5" * (len(whole) - 4096))
    return file


async def test_a_damaged_database_is_refused(damaged_file: Path) -> None:
    with pytest.raises(DatabaseCorruptError, match="damaged"):
        await SQLite.open(damaged_file)


async def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="nowhere"):
        await SQLite.open(tmp_path / "nowhere" / "nimbus.db")


async def test_a_folder_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="this is a folder"):
        await SQLite.open(tmp_path)


async def test_a_folder_that_may_not_be_written_to_is_named() -> None:
    with _not_root() as folder:
        folder.chmod(0o500)

        with pytest.raises(DatabaseReadOnlyError, match="cannot be made"):
            await SQLite.open(folder / "nimbus.db")


async def test_a_file_that_may_only_be_read_is_read() -> None:
    with _not_root() as folder:
        file = folder / "nimbus.db"
        database = await SQLite.open(file)
        await database.write(lambda tx: tx.execute("CREATE TABLE schema_migrations (a)"))
        await database.close()
        file.chmod(0o400)

        database = await SQLite.open(file)
        assert await database.read(lambda tx: tx.fetch("SELECT * FROM schema_migrations")) == []
        with pytest.raises(DatabaseReadOnlyError, match="may not be written to"):
            await database.write(lambda tx: tx.execute("INSERT INTO schema_migrations VALUES (1)"))
        await database.close()


async def test_a_failure_to_open_leaves_no_thread(file: Path) -> None:
    opened: list[Connection] = []

    async def connect(make: Callable[[], sqlite3.Connection]) -> Connection:
        if opened:
            raise LookupError
        opened.append(await in_thread(make))
        return opened[0]

    before = set(threading.enumerate())
    with pytest.raises(LookupError):
        await SQLite.open(file, connect=connect)

    left = set(threading.enumerate()) - before
    for thread in left:
        thread.join(timeout=5)
    assert not any(thread.is_alive() for thread in left)


@pytest.mark.inline
async def test_the_database_is_used_as_it_was_opened_elsewhere(file: Path) -> None:
    """The fault harness opens the file itself, on a connection that runs inline."""
    with closing(open_file(file)) as connection:
        connection.execute("INSERT INTO installation VALUES ('n', 'v')")

    database = await SQLite.open(file)
    assert len(await database.read(lambda tx: tx.fetch("SELECT * FROM installation"))) == 1
    await database.close()
