"""From what was said of an order to its number: out of the conversation, or by the list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from adapters.offline import replies
from adapters.offline.desk import LIST, Call, Order, found, listing
from adapters.offline.facts import Facts, Lookup
from adapters.offline.pointers import Pointer
from adapters.offline.references import STATES, Reference
from adapters.offline.thread import focus, mentioned, orders_of, single_focus
from adapters.offline.words import closest

_ALSO_CALLED = {
    "headset": "headphones",
    "earphones": "headphones",
    "earbuds": "headphones",
    "mill": "grinder",
}

Orders = tuple[int, ...]
Found = Orders | Call | str  # the orders, the call that is needed first, or why there are none


def look_up(facts: Facts, call: Call) -> Lookup | Call | str:
    """The result of a call in this turn, or the call, or why it cannot be made."""
    if result := found(facts, call):
        return result
    if call.tool not in facts.tools:
        return replies.without_tools()
    return call if facts.may_call else replies.out_of_steps()


def resolve(reference: Reference, facts: Facts) -> Found:
    """The orders that are meant."""
    if reference.numbers:
        return reference.numbers
    if reference.names:
        return _by_name(reference, facts)
    return _BY_POINTER[reference.pointer](facts)


def listed(facts: Facts) -> tuple[Order, ...] | Call | str:
    """The list of orders: fresh where it can be had, else as it stands in the conversation."""
    result = look_up(facts, Call(LIST))
    if isinstance(result, Call):
        return result
    if isinstance(result, Lookup) and result.error:
        return replies.failed(result.error)
    orders = listing(facts)
    if orders is None:
        return result if isinstance(result, str) else replies.unreadable()
    return orders


def _by_name(reference: Reference, facts: Facts) -> Found:
    orders = listed(facts)
    if not isinstance(orders, tuple):
        return orders
    hits = tuple(order.number for order in orders if _is_named(order, reference.names))
    if hits:
        return hits
    if reference.bare and reference.pointer == "none":
        return replies.nothing_like_it(reference.names)
    if reference.named and reference.pointer in {"none", "it", "them"}:
        return replies.no_such_item(reference.names, orders)
    return _BY_POINTER[reference.pointer](facts)


def fits(item: str, names: Iterable[str]) -> bool:
    """Whether all these words may speak of the item."""
    return all(_is_part(name, item) for name in names if name not in STATES)


def _is_named(order: Order, names: Iterable[str]) -> bool:
    return any(_is_part(name, f"{order.item} {order.status}") for name in names)


def _is_part(name: str, wording: str) -> bool:
    words = wording.lower().split()
    known = (*words, *(f"{word}s" for word in words))
    return closest(_ALSO_CALLED.get(name, name), known) is not None


def _nothing_said(facts: Facts) -> Found:
    """No word of which order: the one that is the matter, or the only one there is."""
    if spoken_of := focus(facts):
        return spoken_of if len(spoken_of) == 1 else _which(facts, spoken_of)
    orders = listed(facts)
    if not isinstance(orders, tuple):
        return orders
    return (orders[0].number,) if len(orders) == 1 else replies.which(orders)


def _it(facts: Facts) -> Found:
    spoken_of = focus(facts)
    if not spoken_of:
        return replies.nothing_to_point_at()
    return spoken_of if len(spoken_of) == 1 else _which(facts, spoken_of)


def _them(facts: Facts) -> Found:
    """Headphones are "them" too."""
    return focus(facts) or replies.nothing_to_point_at()


def _which(facts: Facts, numbers: Orders) -> Found:
    orders = listed(facts)
    if isinstance(orders, Call):
        return orders
    known = orders if isinstance(orders, tuple) else ()
    return replies.which(tuple(order for order in known if order.number in numbers), numbers)


def _other(facts: Facts) -> Found:
    this = single_focus(facts)
    if this is None:
        return replies.nothing_to_point_at()
    orders = listed(facts)
    if not isinstance(orders, tuple):
        return orders
    rest = tuple(order for order in orders if order.number != this)
    if not rest:
        return replies.no_other(this)
    return (rest[0].number,) if len(rest) == 1 else replies.which(rest)


def _all(facts: Facts) -> Found:
    spoken_of = focus(facts)
    if len(spoken_of) > 1:
        return spoken_of
    orders = listed(facts)
    if not isinstance(orders, tuple):
        return orders
    return tuple(order.number for order in orders) or replies.no_orders()


def _chosen(facts: Facts, choose: Callable[[Sequence[Order]], Order]) -> Found:
    orders = listed(facts)
    if not isinstance(orders, tuple):
        return orders
    return (choose(orders).number,) if orders else replies.no_orders()


def _nth(facts: Facts, place: int) -> Found:
    """Of several orders in one answer the nth, else the nth that came up at all."""
    last = orders_of(facts.earlier[-1]) if facts.earlier else ()
    spoken_of = last if len(last) > 1 else mentioned(facts)
    return spoken_of[place : place + 1] or replies.nothing_to_point_at()


def _age(order: Order) -> int:
    return order.days or 0


def _price(order: Order) -> float:
    digits = order.price.split(" ", maxsplit=1)[0]
    return float(digits) if digits.replace(".", "", 1).isdigit() else 0.0


_BY_POINTER: dict[Pointer, Callable[[Facts], Found]] = {
    "none": _nothing_said,
    "it": _it,
    "them": _them,
    "other": _other,
    "all": _all,
    "first": lambda facts: _nth(facts, 0),
    "second": lambda facts: _nth(facts, 1),
    "oldest": lambda facts: _chosen(facts, lambda orders: max(orders, key=_age)),
    "newest": lambda facts: _chosen(facts, lambda orders: min(orders, key=_age)),
    "dearest": lambda facts: _chosen(facts, lambda orders: max(orders, key=_price)),
    "cheapest": lambda facts: _chosen(facts, lambda orders: min(orders, key=_price)),
}
