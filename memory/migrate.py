"""Applies what is new in `migrations/`: numbered SQL files, each in a transaction, once."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

from memory.database import Database, Transaction
from memory.errors import (
    ConstraintError,
    DatabaseTooNewError,
    MigrationChangedError,
    StorageError,
)

FOLDER = Path(__file__).parent.parent / "migrations"  # in a checkout and in a wheel alike


@dataclass(frozen=True, slots=True)
class Migration:
    number: int
    name: str
    script: str

    @property
    def checksum(self) -> str:
        return sha256(self.script.encode()).hexdigest()

    @property
    def statements(self) -> Iterator[str]:
        """Each ends with the line on which its semicolon stands."""
        statement = ""
        for line in self.script.splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                yield statement.strip()
                statement = ""


async def migrate(database: Database, migrations: Sequence[Migration] | None = None) -> list[str]:
    """Bring the schema up to date; the names of what was new. Several processes may do it at once.

    Raise DatabaseTooNewError or MigrationChangedError, and touch nothing then.
    """
    if migrations is None:
        migrations = await asyncio.to_thread(read_migrations)
    applied = await _read_or_make_notes(database)
    _refuse_strangers(migrations, applied)
    news = [
        migration.name
        for migration in migrations
        if migration.number not in applied and await database.write(partial(_apply, migration))
    ]
    if len(applied) < len(migrations):  # another process may have applied something else
        _refuse_strangers(migrations, await database.read(_read_notes))
    return news


def read_migrations(folder: Path = FOLDER) -> list[Migration]:
    """The migrations of this version, in order. Raise StorageError when there are none."""
    files = sorted(folder.glob("[0-9]*_*.sql"))
    if not files:
        raise StorageError(f"This installation is damaged: no migrations in {folder}.")
    # Text mode: line ends of another system do not change the checksum.
    return [
        Migration(int(file.name.partition("_")[0]), file.stem, file.read_text("utf-8"))
        for file in files
    ]


async def _read_or_make_notes(database: Database) -> dict[int, str]:
    try:
        return await database.read(_read_notes)
    except StorageError:
        # A new database has no such table; whatever else is wrong is met here again. On
        # PostgreSQL two processes can be in each other's way here: then the table is there.
        with suppress(ConstraintError):
            await database.write(_make_notes)
        return await database.read(_read_notes)


async def _read_notes(tx: Transaction) -> dict[int, str]:
    rows = await tx.fetch("SELECT number, checksum FROM schema_migrations")
    return {row["number"]: row["checksum"] for row in rows}


async def _make_notes(tx: Transaction) -> None:
    await tx.execute(
        """
        CREATE TABLE IF NOT EXISTS schema_migrations (
          number BIGINT PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL,
          applied_at BIGINT NOT NULL)
        """
    )


def _refuse_strangers(migrations: Sequence[Migration], applied: Mapping[int, str]) -> None:
    known = {migration.number: migration for migration in migrations}
    for number, checksum in sorted(applied.items()):
        if number not in known:
            raise DatabaseTooNewError(
                f"A newer Nimbus has used this database (migration {number:04}); install that one."
            )
        if checksum != known[number].checksum:
            raise MigrationChangedError(
                f"The migration {known[number].name} is not the one that this database was made"
                " with; install the Nimbus that made it, or put the file back."
            )


async def _apply(migration: Migration, tx: Transaction) -> bool:
    """False: another process was faster. The note comes first: who notes the same waits for us."""
    noted = await tx.execute(
        """
        INSERT INTO schema_migrations (number, name, checksum, applied_at)
        VALUES (:number, :name, :checksum, :now) ON CONFLICT (number) DO NOTHING
        """,
        number=migration.number,
        name=migration.name,
        checksum=migration.checksum,
        now=await tx.now(),
    )
    if not noted:
        return False
    for statement in migration.statements:
        await tx.execute(statement)
    return True
