"""The support desk's tools: what is called, and what is read out of their results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from adapters.offline.facts import Facts, Json, Lookup

LIST, GET, CHECK, OPEN = (
    "list_orders",
    "get_order",
    "check_refund_eligibility",
    "create_support_ticket",
)
TOOLS = frozenset({LIST, GET, CHECK, OPEN})
_LONGEST_WORDING = 200
_NO_MARKS = str.maketrans("“”", "''", "?")  # quotes and questions in an answer are our own


@dataclass(frozen=True, slots=True)
class Call:
    tool: str
    arguments: tuple[tuple[str, JsonValue], ...] = ()


@dataclass(frozen=True, slots=True)
class Order:
    """An order as the shop described it; the list comes with the newest first."""

    number: int
    item: str
    price: str
    paid: bool
    status: str
    bought_on: str
    days: int | None
    tickets: tuple[str, ...]
    open_ticket: str | None


@dataclass(frozen=True, slots=True)
class Verdict:
    order: int
    item: str
    eligible: bool
    days: int | None
    limit: int | None
    left: int | None
    reason: str
    open_ticket: str | None


def found(facts: Facts, call: Call) -> Lookup | None:
    """The result of this call in the present turn."""
    wanted = dict(call.arguments)
    hits = [hit for hit in facts.now.lookups if hit.tool == call.tool and hit.arguments == wanted]
    return hits[-1] if hits else None


def listing(facts: Facts) -> tuple[Order, ...] | None:
    """The orders as they were last listed, in this turn or in one that is shown in full."""
    for lookup in lookups(facts, LIST):
        rows = lookup.value.get("orders") if isinstance(lookup.value, dict) else None
        if isinstance(rows, list):
            orders = (order(row) for row in rows)
            return tuple(each for each in orders if each)
    return None


def lookups(facts: Facts, tool: str) -> Iterator[Lookup]:
    """All results of a tool that the request shows, the newest first."""
    for exchange in (facts.now, *reversed(facts.earlier)):
        yield from (each for each in reversed(exchange.lookups) if each.tool == tool)


def order(value: JsonValue) -> Order | None:
    fields = value if isinstance(value, dict) else {}
    if (number := _whole(fields, "order_id")) is None:
        return None
    shown = fields.get("tickets")
    return Order(
        number=number,
        item=_wording(fields, "item"),
        price=_wording(fields, "price"),
        paid=fields.get("paid") is True,
        status=_wording(fields, "status"),
        bought_on=_wording(fields, "bought_on"),
        days=_whole(fields, "days_since_purchase"),
        tickets=tuple(str(each) for each in shown) if isinstance(shown, list) else (),
        open_ticket=_wording(fields, "open_ticket") or None,
    )


def verdict(value: JsonValue) -> Verdict | None:
    fields = value if isinstance(value, dict) else {}
    number, eligible = _whole(fields, "order_id"), fields.get("eligible")
    if number is None or not isinstance(eligible, bool):
        return None
    return Verdict(
        order=number,
        item=_wording(fields, "item"),
        eligible=eligible,
        days=_whole(fields, "days_since_purchase"),
        limit=_whole(fields, "limit_days"),
        left=_whole(fields, "days_left"),
        reason=_wording(fields, "reason"),
        open_ticket=_wording(fields, "open_ticket") or None,
    )


def ticket(value: JsonValue) -> str | None:
    return (_wording(value, "ticket") or None) if isinstance(value, dict) else None


def _wording(fields: Json, name: str) -> str:
    """Somebody else's text on one line: data, which must not look like a sentence of ours."""
    value = fields.get(name)
    text = value if isinstance(value, str) else ""
    return " ".join(text.translate(_NO_MARKS).split())[:_LONGEST_WORDING]


def _whole(value: Json, name: str) -> int | None:
    number = value.get(name)
    return number if isinstance(number, int) and not isinstance(number, bool) else None
