"""Whether a file is sound, and a copy of the whole memory in one, made while others go on."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from memory.database import Database, finish
from memory.engines import is_postgres, sqlite_path
from memory.errors import DatabaseCorruptError, StorageError
from memory.installation import COPIED
from memory.sqlite import SQLite
from memory.sqlite_file import DAMAGED, named_errors


async def backup(url: str, file: Path) -> None:
    """Copy the database into `file`, which is new, and prove the copy. Raise StorageError."""
    if is_postgres(url):
        raise StorageError("Make a copy of a PostgreSQL database with its own program, pg_dump.")
    path = sqlite_path(url)
    if not await asyncio.to_thread(path.exists):
        raise StorageError(f"There is no database to copy: {path}")
    database = await SQLite.open(path)
    try:
        await asyncio.to_thread(_make_empty, file)
        try:
            await database.copy_to(file)
            await asyncio.to_thread(_prove, file)
        except BaseException:
            await finish(asyncio.to_thread(file.unlink))
            raise
    finally:
        await database.close()


async def check_sound(url: str, database: Database) -> None:
    """Read all of SQLite's file; a server looks after its own. Raise DatabaseCorruptError: whoever
    went on writing would damage more of it, and put off the day a backup is restored."""
    if is_postgres(url):
        return
    found = await database.read(lambda tx: tx.fetch("PRAGMA quick_check(1)"))
    if [row["quick_check"] for row in found] != ["ok"]:
        raise DatabaseCorruptError(DAMAGED)


def _make_empty(file: Path) -> None:
    """Ours alone from the first moment, and never somebody's file."""
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise StorageError(f"The file exists already and is left as it is: {file}") from error
    except OSError as error:
        raise StorageError(f"The copy cannot be made: {file}: {error.strerror}.") from error
    os.close(descriptor)
    file.chmod(0o600)


def _prove(file: Path) -> None:
    """And note in it that it is a copy."""
    # Not opened read-only: the rules of the tables would not be looked at then.
    with named_errors(), closing(sqlite3.connect(file)) as copy:
        found = copy.execute("PRAGMA integrity_check").fetchall()
        if copy.execute("SELECT 1 FROM sqlite_schema WHERE name = 'installation'").fetchone():
            copy.execute(COPIED)
            copy.commit()
    if found != [("ok",)]:
        raise DatabaseCorruptError("The database is damaged, and so would be the copy.")
    with file.open("rb+") as written:
        os.fsync(written.fileno())
