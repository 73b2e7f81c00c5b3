"""The database of a service: what is wrong with it is told once, and in a damaged one nothing more
is written."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Literal, NoReturn, TypeVar

from bot.health import Health
from memory import leases
from memory.database import Database, Transaction, Work
from memory.engines import Check
from memory.errors import DatabaseCorruptError, DatabaseGoneError, StorageError

T = TypeVar("T")
Kind = Literal["read", "write"]

PROMISE = "What is said meanwhile is not lost: it is answered when that is over."
SLOW = (
    "The database does not answer in time; see whether another program holds it, and whether its "
    "disk or its server is overloaded."
)
_PATIENCE_SECONDS = 1.0  # who is not served for so long and goes away met a database that is slow


@dataclass(slots=True)
class WatchedDatabase(Database):
    """Passes everything on. Nobody sits before a service, so its health and its log say what is
    wrong: one line when it begins, one when it is over, however many messages meet it.

    `still_there` is the check of `watch_file`. In `settle_ms` after a failure no success counts:
    on a disk that is nearly full small writes succeed between larger ones that fail.
    """

    database: Database
    health: Health
    still_there: Check
    look_ms: int
    settle_ms: int = 10_000
    _failed_at: dict[Kind, float] = field(default_factory=dict)
    _end: StorageError | None = None
    _has_ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def read(self, work: Work[T]) -> T:
        self._refuse_after_the_end()
        return await self._noted("read", self.database.read(work))

    async def write(self, work: Work[T]) -> T:
        self._refuse_after_the_end()
        return await self._noted("write", self.database.write(work))

    async def truncate_log(self) -> bool:
        self._refuse_after_the_end()
        return await self.database.truncate_log()

    async def close(self) -> None:
        await self.database.close()

    async def watch(self) -> NoReturn:
        """Look every now and then whether the file is there and can be written to again. Raise
        StorageError when it is damaged or gone: whoever goes on would lose what is said."""
        while self._end is None:
            try:
                async with asyncio.timeout(self.look_ms / 1000):
                    await self._has_ended.wait()
            except TimeoutError:
                await self._look()
        raise self._end

    async def _look(self) -> None:
        try:
            await self.still_there()
            if "write" in self._failed_at:
                await self.write(_probe)
        except DatabaseGoneError as error:
            self._note_failure("read", error)
        except StorageError:  # noted by the write
            pass

    async def _noted(self, kind: Kind, call: Awaitable[T]) -> T:
        began = _now()
        try:
            result = await call
        except StorageError as error:
            self._note_failure(kind, error)
            raise
        except asyncio.CancelledError:
            if _now() - began >= _PATIENCE_SECONDS:
                self._note_failure(kind, StorageError(SLOW))
            raise
        self._note_success(kind)
        return result

    def _note_failure(self, kind: Kind, error: StorageError) -> None:
        self._failed_at[kind] = _now()
        if isinstance(error, DatabaseCorruptError | DatabaseGoneError):
            self._end = error
            self._has_ended.set()
            self.health.note_database("dead", str(error))
        elif self.health.database.how == "connected":
            self.health.note_database("lost", f"{error} {PROMISE}")

    def _note_success(self, kind: Kind) -> None:
        failed_at = self._failed_at.get(kind)
        if failed_at is None or _now() - failed_at < self.settle_ms / 1000:
            return
        del self._failed_at[kind]
        if not self._failed_at:
            self.health.note_database("connected")

    def _refuse_after_the_end(self) -> None:
        if self._end is not None:
            raise self._end


async def _probe(tx: Transaction) -> None:
    """A write, where nobody else has something to write."""
    await leases.acquire(tx, "probe", "", 0)


def _now() -> float:
    return asyncio.get_running_loop().time()
