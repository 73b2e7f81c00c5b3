"""The seam to a storage engine, and SQLite behind it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
Row = Mapping[str, Any]
Value = str | int | None


class Transaction(Protocol):
    """One open transaction. SQL is written once for both engines, with `:name` parameters."""

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
        """Run `work` in a transaction: committed when it returns, rolled back when it raises."""
        ...

    async def truncate_log(self) -> bool:
        """Empty the write-ahead log, in which erased text may still stand; False: try again."""
        ...

    async def close(self) -> None: ...
