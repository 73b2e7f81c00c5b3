"""The demo shop: somebody else's system, with a file, a schema and rules of its own."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NoReturn, Protocol, TypeVar

from bot.errors import ToolError

T = TypeVar("T")

# One statement, so that of two requests at the same time only one can win.
_OPEN = """
INSERT INTO tickets (request_key, customer, order_id, category, summary, opened_on)
SELECT :request_key, :customer, :order_id, :category, :summary, :opened_on
WHERE NOT EXISTS (
  SELECT 1 FROM tickets
  WHERE :category = 'refund' AND category = 'refund' AND order_id = :order_id
)
ON CONFLICT (request_key) DO NOTHING
"""


@dataclass(frozen=True, slots=True)
class Order:
    id: int
    item: str
    price: str
    paid: bool
    status: str
    bought_on: date
    days_since_purchase: int


@dataclass(frozen=True, slots=True)
class Ticket:
    number: str
    category: str
    summary: str
    order_id: int | None
    opened_on: str


class Run(Protocol):
    """Where blocking work is done: `asyncio.to_thread`, or at once, where time is virtual."""

    def __call__(self, work: Callable[[], T], /) -> Awaitable[T]: ...


def utc_today() -> date:
    return datetime.now(UTC).date()


class Shop:
    """Opens its file for each request. Raise `ToolError` when it cannot be used."""

    def __init__(
        self,
        path: Path,
        *,
        run: Run = asyncio.to_thread,
        today: Callable[[], date] = utc_today,
    ) -> None:
        self._path = path
        self._run = run
        self._today = today

    async def orders(self, customer: str) -> list[Order]:
        """A customer's orders, the newest first."""

        def work(shop: sqlite3.Connection) -> list[Order]:
            found = shop.execute(
                "SELECT * FROM orders WHERE customer = ? ORDER BY bought_days_ago, id DESC",
                (customer,),
            )
            return [self._order(row) for row in found]

        return await self._use(work)

    async def order(self, customer: str, order_id: int) -> Order | None:
        """One order, if it is this customer's."""
        return next((o for o in await self.orders(customer) if o.id == order_id), None)

    async def tickets(self, customer: str) -> list[Ticket]:
        """A customer's tickets, the oldest first."""

        def work(shop: sqlite3.Connection) -> list[Ticket]:
            found = shop.execute(
                "SELECT * FROM tickets WHERE customer = ? ORDER BY number", (customer,)
            )
            return [_ticket(row) for row in found]

        return await self._use(work)

    async def ticket_of(self, customer: str, request_key: str) -> Ticket | None:
        """What a customer's earlier request with this key has opened."""

        def work(shop: sqlite3.Connection) -> Ticket | None:
            return _ticket_of(shop, customer, request_key)

        return await self._use(work)

    async def open_ticket(
        self, customer: str, *, request_key: str, category: str, summary: str, order_id: int | None
    ) -> Ticket:
        """Open a ticket, once for each request key: asked again, the shop gives the same one.
        Raise `ToolError` for a second refund of one order."""
        values = {
            "request_key": request_key,
            "customer": customer,
            "order_id": order_id,
            "category": category,
            "summary": summary,
            "opened_on": self._today().isoformat(),
        }

        def work(shop: sqlite3.Connection) -> Ticket:
            shop.execute(_OPEN, values)
            return _ticket_of(shop, customer, request_key) or _refuse_second(shop, values)

        return await self._use(work)

    async def _use(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def visit() -> T:
            if not self._path.exists():
                self._path.touch(mode=0o600)
            with closing(sqlite3.connect(self._path)) as shop, shop:
                shop.row_factory = sqlite3.Row
                shop.execute("PRAGMA foreign_keys = ON")
                _furnish(shop)
                return work(shop)

        try:
            return await self._run(visit)
        except (sqlite3.Error, OSError) as error:
            raise ToolError("The shop cannot be reached right now.") from error

    def _order(self, row: sqlite3.Row) -> Order:
        days = row["bought_days_ago"]
        return Order(
            id=row["id"],
            item=row["item"],
            price=f"{row['price_cents'] / 100:.2f} {row['currency']}",
            paid=bool(row["paid"]),
            status=row["status"],
            bought_on=self._today() - timedelta(days=days),
            days_since_purchase=days,
        )


def _furnish(shop: sqlite3.Connection) -> None:
    """Make the tables and the demo's orders when the file is new."""
    version: int = shop.execute("PRAGMA user_version").fetchone()[0]
    if version == 0:
        schema = Path(__file__).with_name("shop.sql").read_text(encoding="utf-8")
        shop.executescript(f"BEGIN IMMEDIATE; {schema} PRAGMA user_version = 1; COMMIT;")


def _ticket_of(shop: sqlite3.Connection, customer: str, request_key: str) -> Ticket | None:
    found = shop.execute(
        "SELECT * FROM tickets WHERE customer = ? AND request_key = ?", (customer, request_key)
    ).fetchone()
    return _ticket(found) if found else None


def _refuse_second(shop: sqlite3.Connection, values: dict[str, str | int | None]) -> NoReturn:
    first = shop.execute(
        "SELECT * FROM tickets WHERE category = 'refund' AND order_id = :order_id", values
    ).fetchone()
    raise ToolError(
        f"Order {values['order_id']} has an open refund ticket already: {_ticket(first).number}."
        " No other one was opened."
    )


def _ticket(row: sqlite3.Row) -> Ticket:
    return Ticket(
        number=f"T-{row['number']:04}",
        category=row["category"],
        summary=row["summary"],
        order_id=row["order_id"],
        opened_on=row["opened_on"],
    )
