"""The seam to a storage engine, and what both engines share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, Protocol, TypeVar

from memory.text import clean

T = TypeVar("T")
Row = Mapping[str, Any]
Value = str | int | None
Clock = Callable[[], int]
Durability = Literal["full", "normal"]


class Transaction(Protocol):
    """One open transaction. SQL is written once for both engines, with `:name` parameters.

    After a statement has failed the transaction can only be rolled back, on both engines.
    """

    async def fetch(self, sql: str, /, **values: Value) -> list[Row]:
        """All rows of a query or of a `RETURNING`."""
        ...

    async def execute(self, sql: str, /, **values: Value) -> int:
        """Run a statement; the number of rows it touched."""
        ...

    async def now(self) -> int:
        """The database's clock in UTC milliseconds: leases and ages are counted by it."""
        ...


Work = Callable[[Transaction], Awaitable[T]]


class Database(Protocol):
    """A storage engine. `work` may run again after a deadlock, so it touches nothing else."""

    async def read(self, work: Work[T]) -> T:
        """Run `work` on a snapshot."""
        ...

    async def write(self, work: Work[T]) -> T:
        """Run `work` in a transaction: committed when it returns, rolled back when it raises.

        Who is cancelled while the commit itself runs cannot know which of the two it was.
        """
        ...

    async def truncate_log(self) -> bool:
        """Empty the write-ahead log, in which erased text may still stand; False: try again."""
        ...

    async def close(self) -> None: ...


def wall_clock() -> int:
    return time.time_ns() // 1_000_000


def storable(values: Mapping[str, Value]) -> dict[str, Value]:
    """What both engines take: each refuses some of what people type (NUL, lone surrogates)."""
    return {
        name: clean(value) if isinstance(value, str) else value for name, value in values.items()
    }


async def finish(awaitable: Awaitable[T]) -> T:
    """Wait until it is done, however often we are cancelled meanwhile; then be cancelled."""
    task = asyncio.ensure_future(awaitable)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        if not task.cancelled():
            task.exception()  # looked at, or asyncio reports it as forgotten
        raise cancelled
    return task.result()
