"""Which storage engine is behind an address."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from memory.database import Clock, Database, Durability, wall_clock
from memory.errors import DatabaseGoneError, StorageError
from memory.sqlite import REWRITTEN, SQLite

if TYPE_CHECKING:
    from memory.postgres import Postgres

_SQLITE = "sqlite:///"

Check = Callable[[], Awaitable[None]]


async def open_database(
    url: str,
    *,
    durability: Durability = "full",
    clock: Clock | None = None,
    rewritten: int = REWRITTEN,
) -> Database:
    """Open `sqlite:///nimbus.db`, `sqlite:////an/absolute/path.db` or `postgresql://…`.

    `clock` stands in for the database's own clock; up to `rewritten` bytes a file is written anew
    after each erasure. Raise StorageError, in words.
    """
    if is_postgres(url):
        return await _open_postgres(url, durability, clock)
    return await SQLite.open(
        sqlite_path(url),
        durability=durability,
        clock=clock or wall_clock,
        rewritten=rewritten,
    )


async def watch_file(url: str) -> Check:
    """To be called when the database was opened: the check raises DatabaseGoneError as soon as
    the address names another file, or none. SQLite itself would go on, in a file without a name."""
    if is_postgres(url):
        return _nothing
    path = await asyncio.to_thread(sqlite_path(url).absolute)
    opened = await asyncio.to_thread(_identity, path)

    async def check() -> None:
        if await asyncio.to_thread(_identity, path) != opened:
            raise DatabaseGoneError(
                f"{path} was deleted or replaced while it was open; what was said here is lost."
            )

    return check


async def _nothing() -> None:
    """A server has no file that could go."""


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def is_postgres(url: str) -> bool:
    return url.startswith(("postgresql://", "postgres://"))


def sqlite_path(url: str) -> Path:
    """The file that a `sqlite:///` address names. Raise StorageError for any other address."""
    path = url.removeprefix(_SQLITE)
    if path == url or not path or path.startswith(":") or "?" in path:
        # The address itself is not repeated: there may be a password in it.
        raise StorageError(
            "The database's address must be sqlite:///file.db, sqlite:////folder/file.db"
            " or postgresql://user@host/name."
        )
    return Path(path)


async def _open_postgres(url: str, durability: Durability, clock: Clock | None) -> Database:
    try:
        engine = await asyncio.to_thread(_import_postgres)  # it reads files, at length
    except ImportError as error:
        raise StorageError(
            "PostgreSQL needs two more packages: pip install 'nimbus[postgres]'."
        ) from error
    return await engine.open(url, durability=durability, clock=clock)


def _import_postgres() -> type[Postgres]:
    from memory.postgres import Postgres

    return Postgres
