"""SQLite's file: made private, opened as we need it, and what can be wrong with it."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from memory.database import Durability
from memory.errors import (
    ConstraintError,
    DatabaseCorruptError,
    DatabaseFullError,
    DatabaseLockedError,
    DatabaseReadOnlyError,
    StorageError,
)
from memory.heap import give_back

BUSY_MS = 2000  # how long we wait for another program; accept has 2.5 s

FULL = "The disk is full; make room, then try again."
DAMAGED = (
    "The database is damaged. Stop whatever uses it, remove the files beside it that end in -wal "
    "and -shm, then copy a backup to its place."
)


def open_file(
    path: Path,
    *,
    durability: Durability = "full",
    busy_ms: int = BUSY_MS,
    read_only: bool = False,
) -> sqlite3.Connection:
    """Open the file, making it when it is new, as the connections of `SQLite` need it."""
    path = path.resolve()
    if path.is_dir():
        raise StorageError(f"The database must be a file, and this is a folder: {path}")
    _keep_private(path)
    with named_errors():
        connection = sqlite3.connect(path, timeout=busy_ms / 1000, isolation_level=None)
        connection.row_factory = sqlite3.Row
        try:
            _configure(connection, durability, read_only=read_only)
        except BaseException:
            connection.close()
            raise
    return connection


def _configure(connection: sqlite3.Connection, durability: Durability, *, read_only: bool) -> None:
    _refuse_a_stranger_s(connection)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # erased text is overwritten
    connection.execute("PRAGMA temp_store = MEMORY")  # and was never in a temporary file
    connection.create_function("give_back", 0, give_back)  # so that it runs where statements do
    connection.execute(f"PRAGMA synchronous = {durability.upper()}")
    [mode] = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":  # pragma: no cover - takes a disk without shared memory
        raise StorageError("The database's disk cannot keep a write-ahead log; use a local disk.")
    if read_only:
        connection.execute("PRAGMA query_only = ON")


def _refuse_a_stranger_s(connection: sqlite3.Connection) -> None:
    """A file with tables, but not the one that Nimbus makes first, is another program's."""
    tables = {row["name"] for row in connection.execute("SELECT name FROM sqlite_schema")}
    if tables and "schema_migrations" not in tables:
        raise StorageError(
            "The database is another program's and is left as it is; name another file in "
            "DATABASE_URL."
        )


def _keep_private(path: Path) -> None:
    """Only the owner may read: the file is made so, whatever the umask, and SQLite makes those
    beside it alike. A file that exists is never opened here: closing it again would drop the
    locks that SQLite's other connections in this process hold on it."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        for file in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
            with suppress(OSError):  # somebody else's file, or a disk that is read-only
                mode = file.stat().st_mode
                if stat.S_ISREG(mode):  # a folder or a device is not ours to close
                    file.chmod(mode & 0o700)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise StorageError(f"The folder of the database does not exist: {path.parent}") from error
    except OSError as error:
        raise DatabaseReadOnlyError(
            f"The database cannot be made in {path.parent}: {error.strerror}."
        ) from error
    else:
        os.close(descriptor)
        path.chmod(0o600)


@contextmanager
def named_errors() -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError:
        # Without its cause, here and below: its text holds what somebody wrote.
        raise DatabaseCorruptError(DAMAGED) from None
    except sqlite3.Error as error:
        if str(error).startswith("Could not decode"):
            raise DatabaseCorruptError(DAMAGED) from None
        # Of an extended code the lowest byte is the kind; the module's own errors have none.
        code = getattr(error, "sqlite_errorcode", 0)
        unnamed = (StorageError, f"The database failed: {error}.")
        name, sentence = _ERRORS.get(code) or _ERRORS.get(code & 0xFF, unnamed)
        raise name(sentence) from error


_ERRORS: Mapping[int, tuple[type[Exception], str]] = {
    sqlite3.SQLITE_BUSY: (
        DatabaseLockedError,
        "Another program holds the database; try again when it is done.",
    ),
    sqlite3.SQLITE_READONLY: (
        DatabaseReadOnlyError,
        "The database may not be written to; check the owner and the rights of its file.",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        DatabaseReadOnlyError,
        "The database cannot be opened; check the rights of its file and of its folder.",
    ),
    sqlite3.SQLITE_FULL: (DatabaseFullError, FULL),
    sqlite3.SQLITE_IOERR_SHMSIZE: (DatabaseFullError, FULL),  # no room for the file beside it
    sqlite3.SQLITE_IOERR: (
        StorageError,
        "The disk failed while the database was used.",
    ),
    sqlite3.SQLITE_CORRUPT: (
        DatabaseCorruptError,
        DAMAGED,
    ),
    sqlite3.SQLITE_NOTADB: (
        DatabaseCorruptError,
        "The file is not a database; check DATABASE_URL.",
    ),
    sqlite3.SQLITE_CONSTRAINT: (
        ConstraintError,
        "What was to be written contradicts what is stored.",
    ),
}
