"""The support desk: what it tells whom."""

import json
import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from bot.settings import Limits, Timing
from bot.tools import Toolbox, ToolContext
from bot.tools.shop import Shop
from bot.tools.support import desk_tools
from memory.messages import ToolCall

OWN = {"demo": (1042, 1043), "other": (2051, 2052)}
ALL = (1042, 1043, 2051, 2052, 9999, -1, 10**30)
DETAILS = ("headphones", "grinder", "desk", "lamp", "129.00", "89.50", "399.00", "45.00")


class Desk:
    """The desk as the agent meets it; each call has a key of its own."""

    def __init__(self, folder: Path) -> None:
        shop = Shop(folder / "shop.db", today=lambda: date(2026, 11, 30))
        self._box = Toolbox(desk_tools(shop), Timing(), Limits())
        self._calls = 0

    async def ask(self, name: str, customer: str | None = "demo", /, **arguments: Any) -> Any:
        self._calls += 1
        return await self.ask_again(name, customer, **arguments)

    async def ask_again(self, name: str, customer: str | None = "demo", /, **arguments: Any) -> Any:
        context = ToolContext("terminal:ann", customer, "c" * 32, f"key{self._calls}", 1e9)
        result = await self._box.run(ToolCall("c1", name, json.dumps(arguments)), context)
        return json.loads(result.text)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


async def test_orders_are_listed_with_all_that_is_known(desk: Desk) -> None:
    told = await desk.ask("list_orders")

    assert told["orders"][0] == {
        "order_id": 1042,
        "item": "wireless headphones",
        "price": "129.00 EUR",
        "paid": True,
        "status": "shipped",
        "bought_on": "2026-11-27",
        "days_since_purchase": 3,
        "tickets": [],
        "open_ticket": None,
    }
    assert [order["order_id"] for order in told["orders"]] == [1042, 1043]


async def test_an_order_is_told_with_its_tickets(desk: Desk) -> None:
    await desk.ask("create_support_ticket", category="refund", summary="Refund.", order_id=1042)
    await desk.ask("create_support_ticket", category="other", summary="Hello.")

    assert (await desk.ask("get_order", order_id=1042))["tickets"] == ["T-0001"]
    assert (await desk.ask("get_order", order_id=1043))["tickets"] == []


async def test_a_paid_order_of_three_days_ago_can_be_refunded(desk: Desk) -> None:
    assert await desk.ask("check_refund_eligibility", order_id=1042) == {
        "order_id": 1042,
        "item": "wireless headphones",
        "eligible": True,
        "reason": "Bought 3 days ago and paid; within the 14 days of purchase.",
        "days_since_purchase": 3,
        "limit_days": 14,
        "days_left": 11,
        "open_ticket": None,
    }


async def test_an_order_of_twenty_days_ago_cannot_be_refunded(desk: Desk) -> None:
    assert await desk.ask("check_refund_eligibility", order_id=1043) == {
        "order_id": 1043,
        "item": "coffee grinder",
        "eligible": False,
        "reason": "Bought 20 days ago; a refund is possible within 14 days of purchase.",
        "days_since_purchase": 20,
        "limit_days": 14,
        "days_left": 0,
        "open_ticket": None,
    }


@pytest.mark.parametrize(
    ("days", "eligible", "left", "bought"),
    [
        (0, True, 14, "Bought 0 days ago"),
        (1, True, 13, "Bought 1 day ago"),
        (14, True, 0, "Bought 14 days ago"),
        (15, False, 0, "Bought 15 days ago"),
    ],
)
async def test_the_fourteenth_day_is_the_last(
    desk: Desk, tmp_path: Path, days: int, *, eligible: bool, left: int, bought: str
) -> None:
    await desk.ask("list_orders")
    with closing(sqlite3.connect(tmp_path / "shop.db")) as shop, shop:
        shop.execute("UPDATE orders SET bought_days_ago = ? WHERE id = 1042", (days,))

    told = await desk.ask("check_refund_eligibility", order_id=1042)

    assert (told["eligible"], told["days_left"]) == (eligible, left)
    assert told["reason"].startswith(bought)


async def test_an_unpaid_order_cannot_be_refunded(desk: Desk) -> None:
    told = await desk.ask("check_refund_eligibility", "other", order_id=2052)

    assert (told["eligible"], told["days_left"]) == (False, 0)
    assert told["reason"] == "The order is not paid, so there is nothing to refund."


async def test_a_ticket_is_opened_once_for_each_call(desk: Desk) -> None:
    wish = {"category": "refund", "summary": "Refund, please.", "order_id": 1042}

    first = await desk.ask("create_support_ticket", **wish)
    again = await desk.ask_again("create_support_ticket", **wish)
    other = await desk.ask("create_support_ticket", **wish)

    assert first == again == {"ticket": "T-0001", "status": "open", **wish}
    assert other == {
        "error": "Order 1042 has an open refund ticket already: T-0001. No other one was opened."
    }


async def test_only_a_refund_is_opened_once_for_an_order(desk: Desk) -> None:
    wish = {"summary": "Please.", "order_id": 1042}
    asked = [
        await desk.ask("create_support_ticket", category=category, **wish)
        for category in ("delivery", "delivery", "refund", "damage")
    ]

    assert [told["ticket"] for told in asked] == ["T-0001", "T-0002", "T-0003", "T-0004"]


async def test_an_open_refund_is_told_with_its_order(desk: Desk) -> None:
    for category in ("delivery", "refund"):
        await desk.ask("create_support_ticket", category=category, summary=".", order_id=1042)

    for name in ("get_order", "check_refund_eligibility"):
        assert (await desk.ask(name, order_id=1042))["open_ticket"] == "T-0002"
        assert (await desk.ask(name, order_id=1043))["open_ticket"] is None


@pytest.mark.parametrize(
    ("customer", "order_id", "reason"),
    [
        ("demo", 1043, "Bought 20 days ago; a refund is possible within 14 days of purchase."),
        ("other", 2052, "The order is not paid, so there is nothing to refund."),
    ],
)
async def test_what_is_not_eligible_gets_no_refund_ticket(
    desk: Desk, customer: str, order_id: int, reason: str
) -> None:
    wish = {"summary": "Please.", "order_id": order_id}
    refused = await desk.ask("create_support_ticket", customer, category="refund", **wish)
    other = await desk.ask("create_support_ticket", customer, category="damage", **wish)

    assert refused["error"].endswith(f"so no ticket was opened. {reason}")
    assert other["ticket"] == "T-0001"


async def test_a_refund_ticket_needs_its_order(desk: Desk) -> None:
    told = await desk.ask("create_support_ticket", category="refund", summary="Refund.")

    assert told == {"error": "A refund request needs the order's number."}


async def test_a_call_that_is_repeated_too_late_still_gets_its_ticket(
    desk: Desk, tmp_path: Path
) -> None:
    wish = {"category": "refund", "summary": "Refund, please.", "order_id": 1042}
    first = await desk.ask("create_support_ticket", **wish)
    with closing(sqlite3.connect(tmp_path / "shop.db")) as shop, shop:
        shop.execute("UPDATE orders SET bought_days_ago = 15 WHERE id = 1042")

    assert await desk.ask_again("create_support_ticket", **wish) == first
    assert "not eligible" in (await desk.ask("create_support_ticket", **wish))["error"]


@pytest.mark.parametrize(
    "wish",
    [
        {"category": "prize", "summary": "Hello."},
        {"category": "refund", "summary": ""},
        {"category": "refund", "summary": "x" * 501},
        {"category": "refund"},
        {"category": "refund", "summary": "Hello.", "customer": "other"},
    ],
)
async def test_a_ticket_with_wrong_arguments_is_not_opened(
    desk: Desk, wish: dict[str, str]
) -> None:
    told = await desk.ask("create_support_ticket", **wish)
    good = await desk.ask("create_support_ticket", category="other", summary="Hello.")

    assert told["error"].startswith("The arguments are wrong.")
    assert good["ticket"] == "T-0001"


ASKED = {
    "get_order": {},
    "check_refund_eligibility": {},
    "create_support_ticket": {"category": "other", "summary": "Hello."},
}


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("customer", ["demo", "other", "nobody", ""])
@pytest.mark.parametrize("order_id", ALL)
async def test_a_person_gets_only_their_own_orders(
    desk: Desk, name: str, customer: str, order_id: int
) -> None:
    told = await desk.ask(name, customer, order_id=order_id, **ASKED[name])

    if order_id in OWN.get(customer, ()):
        assert told["order_id"] == order_id
    else:
        assert told == {"error": f"This customer has no order {order_id}."}


@pytest.mark.parametrize(("customer", "own"), [*OWN.items(), ("nobody", ()), ("", ())])
async def test_a_list_has_only_own_orders(desk: Desk, customer: str, own: tuple[int, ...]) -> None:
    told = await desk.ask("list_orders", customer)

    assert {order["order_id"] for order in told["orders"]} == set(own)


@pytest.mark.parametrize("name", ["list_orders", *ASKED])
async def test_who_is_not_linked_learns_how_to_be(desk: Desk, name: str) -> None:
    arguments = {} if name == "list_orders" else {"order_id": 1042, **ASKED[name]}

    told = await desk.ask(name, None, **arguments)

    assert "not linked to a customer" in told["error"]
    assert told["error"].endswith("nimbus link terminal:ann CUSTOMER")
    assert not any(detail in told["error"] for detail in DETAILS)


@pytest.mark.parametrize("name", ["list_orders", *ASKED])
async def test_the_model_cannot_say_who_asks(desk: Desk, name: str) -> None:
    for identity in ("customer", "person", "context", "self"):
        told = await desk.ask(name, "demo", **{identity: "other"}, **ASKED.get(name, {}))

        assert f"{identity}: Unexpected keyword argument" in told["error"]


async def test_only_opening_a_ticket_is_a_write(tmp_path: Path) -> None:
    box = Toolbox(desk_tools(Shop(tmp_path / "shop.db")), Timing(), Limits())

    assert [spec.name for spec in box.specs if not box.is_read(spec.name)] == [
        "create_support_ticket"
    ]
    assert all(box.may_repeat(spec.name) for spec in box.specs)
