"""The demo shop: a system of its own, asked on any day."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from pathlib import Path
from typing import TypeVar

import pytest

from bot.errors import ToolError
from bot.tools.shop import Order, Shop, Ticket, utc_today
from tests.faults import virtual

T = TypeVar("T")
TODAY = date(2026, 11, 30)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path / "shop.db", today=lambda: TODAY)


async def open_one(shop: Shop, key: str, order_id: int | None = 1042) -> Ticket:
    return await shop.open_ticket(
        "demo", request_key=key, category="refund", summary="Refund, please.", order_id=order_id
    )


async def test_the_demo_customer_has_two_orders(shop: Shop) -> None:
    assert await shop.orders("demo") == [
        Order(1042, "wireless headphones", "129.00 EUR", True, "shipped", date(2026, 11, 27), 3),  # noqa: FBT003 - paid
        Order(1043, "coffee grinder", "89.50 EUR", True, "delivered", date(2026, 11, 10), 20),  # noqa: FBT003 - paid
    ]


async def test_the_other_customer_has_others(shop: Shop) -> None:
    orders = await shop.orders("other")

    assert [(o.id, o.item, o.paid, o.days_since_purchase) for o in orders] == [
        (2052, "desk lamp", False, 1),
        (2051, "standing desk", True, 5),
    ]


async def test_a_customer_that_nobody_knows_has_none(shop: Shop) -> None:
    assert await shop.orders("'; DROP TABLE orders; --") == []
    assert len(await shop.orders("demo")) == 2


@pytest.mark.parametrize("later", [1, 45, 4000])
async def test_the_demo_is_the_same_on_every_later_day(
    shop: Shop, tmp_path: Path, later: int
) -> None:
    await open_one(shop, "a")
    day = TODAY + timedelta(days=later)

    orders = await Shop(tmp_path / "shop.db", today=lambda: day).orders("demo")

    assert [order.days_since_purchase for order in orders] == [3, 20]
    assert orders[1].bought_on == day - timedelta(days=20)


async def test_an_order_is_found_only_for_its_customer(shop: Shop) -> None:
    found = {(c, n): await shop.order(c, n) for c in ("demo", "other") for n in (1042, 2051, 9)}

    assert [place for place, order in found.items() if order] == [("demo", 1042), ("other", 2051)]


async def test_tickets_are_numbered_and_kept(shop: Shop, tmp_path: Path) -> None:
    first, second = await open_one(shop, "a"), await open_one(shop, "b", None)

    assert (first.number, second.number) == ("T-0001", "T-0002")
    assert await Shop(tmp_path / "shop.db").tickets("demo") == [first, second]
    assert await shop.tickets("other") == []


async def test_the_same_request_is_the_same_ticket(shop: Shop) -> None:
    first = await open_one(shop, "a")
    again = await open_one(shop, "a")

    assert first == again == Ticket("T-0001", "refund", "Refund, please.", 1042, "2026-11-30")
    assert len(await shop.tickets("demo")) == 1


async def test_requests_side_by_side_open_each_ticket_once(shop: Shop) -> None:
    wishes = [("a", 1042), ("b", 1043), ("a", 1042), ("b", 1043)]
    tickets = await asyncio.gather(*(open_one(shop, *wish) for wish in wishes))

    assert {ticket.number for ticket in tickets} == {"T-0001", "T-0002"}


async def test_of_two_refunds_of_one_order_side_by_side_the_shop_refuses_one(shop: Shop) -> None:
    told = await asyncio.gather(open_one(shop, "a"), open_one(shop, "b"), return_exceptions=True)

    assert sorted(type(each).__name__ for each in told) == ["Ticket", "ToolError"]
    assert [ticket.number for ticket in await shop.tickets("demo")] == ["T-0001"]


@pytest.mark.inline
async def test_a_crash_after_the_effect_leaves_one_ticket(shop: Shop, tmp_path: Path) -> None:
    class Crash(BaseException): ...

    async def crash_after(work: Callable[[], T], /) -> T:
        work()
        raise Crash

    with pytest.raises(Crash):
        await open_one(Shop(tmp_path / "shop.db", run=crash_after), "a")
    await open_one(shop, "a")

    assert [ticket.number for ticket in await shop.tickets("demo")] == ["T-0001"]


@pytest.mark.inline
def test_the_shop_can_do_its_work_at_once_where_time_is_virtual(tmp_path: Path) -> None:
    async def at_once(work: Callable[[], T], /) -> T:
        return work()

    async def main(_loop: virtual.VirtualLoop) -> list[Order]:
        return await Shop(tmp_path / "shop.db", run=at_once).orders("demo")

    assert len(virtual.run(main)) == 2


def test_the_file_is_the_owners_only(tmp_path: Path) -> None:
    asyncio.run(Shop(tmp_path / "shop.db").orders("demo"))

    assert (tmp_path / "shop.db").stat().st_mode & 0o777 == 0o600


Ask = Callable[[Shop], Awaitable[object]]


@pytest.mark.parametrize(
    "ask", [lambda shop: shop.orders("demo"), lambda shop: open_one(shop, "a")]
)
async def test_a_shop_that_cannot_be_used_says_so(tmp_path: Path, ask: Ask) -> None:
    (tmp_path / "file").write_bytes(b"this is no database" * 100)

    for path in (tmp_path / "file", tmp_path / "none" / "shop.db", tmp_path):
        with pytest.raises(ToolError) as caught:
            await ask(Shop(path))
        assert str(caught.value) == "The shop cannot be reached right now."


async def test_a_ticket_for_an_order_that_is_not_there_is_refused(shop: Shop) -> None:
    with pytest.raises(ToolError):
        await open_one(shop, "a", 9999)

    assert await shop.tickets("demo") == []


async def test_a_failed_request_leaves_nothing_open(shop: Shop, tmp_path: Path) -> None:
    await open_one(shop, "a")

    with sqlite3.connect(tmp_path / "shop.db", timeout=0) as other:
        other.execute("DELETE FROM tickets")
    other.close()

    assert await shop.tickets("demo") == []


def test_today_is_a_date() -> None:
    assert utc_today() >= TODAY.replace(year=2020)
