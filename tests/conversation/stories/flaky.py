"""A database that is away, and one in whose commits something else happens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from memory.database import Database, Work
from memory.errors import DatabaseLockedError, StorageError

T = TypeVar("T")


@dataclass
class Flaky:
    """A database that can be away, locked by another program, or refuse to be written to.

    `before` names transactions (`Turns._deliver`) before which something happens, each once;
    `after` those after whose commit something happens, before anybody hears of it.
    """

    database: Database
    away: bool = False
    locked: bool = False
    refusal: StorageError | None = None
    commits: int = 0
    before: dict[str, Callable[[], Awaitable[None]]] = field(default_factory=dict)
    after: dict[str, Callable[[], Awaitable[None]]] = field(default_factory=dict)

    async def read(self, work: Work[T]) -> T:
        await self._meet(work)
        return await self.database.read(work)

    async def write(self, work: Work[T]) -> T:
        name = await self._meet(work)
        if self.locked:
            raise DatabaseLockedError("Another program holds the database.")
        if self.refusal is not None:
            raise self.refusal
        result = await self.database.write(work)
        self.commits += 1
        if name in self.after:
            await self.after.pop(name)()
        return result

    async def truncate_log(self) -> bool:
        return await self.database.truncate_log()

    async def close(self) -> None:
        await self.database.close()

    async def _meet(self, work: Callable[..., object]) -> str:
        name: str = getattr(work, "__qualname__", "").split(".<locals>")[0]
        if name in self.before:
            await self.before.pop(name)()
        if self.away:
            raise StorageError("The database is away.")
        return name


async def fail() -> None:
    raise StorageError("The database is away.")
