"""What the conversation shows: which order is the matter, what was offered, what was opened."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adapters.offline.desk import OPEN, lookups, ticket
from adapters.offline.facts import Exchange, Facts
from adapters.offline.references import reference

_QUOTED = re.compile(r"“[^”]*”")
_ORDER = re.compile(
    r"(?:\border (?:number |no\.? ?)?#?|#)(\d{1,9})\b|(?<![\w.,-])(\d{4,9})(?![\w-]|[.,]\d)"
)
_OFFER = re.compile(
    r"\b(?:open|create|file|raise|submit)\b[^.?!]*\b(?:request|ticket|case|claim)\b[^.?!]*\?\W*$",
    re.IGNORECASE,
)
_OPENED = re.compile(r"\b(T-\d+)\b[^.!?\n]*?\border #?(\d+)", re.IGNORECASE)


def orders_named(text: str) -> tuple[int, ...]:
    """The orders that an answer speaks of, in their order; what it only quotes does not count."""
    pairs = _ORDER.findall(_QUOTED.sub("", text))
    return tuple(dict.fromkeys(int(marked or bare) for marked, bare in pairs))


def orders_of(exchange: Exchange) -> tuple[int, ...]:
    """The orders that a turn was about: its offer, its answer, its question. What was only looked
    up on the way is not what anybody spoke of."""
    if offered := offer(exchange):
        return (offered,)
    if _QUOTED.search(exchange.answer):
        return ()
    return orders_named(exchange.answer) or asked_about(exchange)


def asked_about(exchange: Exchange) -> tuple[int, ...]:
    numbers = [n for text in exchange.questions for n in reference(text.lower()).numbers]
    return tuple(dict.fromkeys(numbers))


def offer(exchange: Exchange) -> int | None:
    """The order for which the turn's answer ends in the offer to open a request."""
    answer = _QUOTED.sub("", exchange.answer)
    if not (found := _OFFER.search(answer)):
        return None
    named = orders_named(found.group()) or orders_named(answer)
    return named[0] if len(named) == 1 else None


def last_offer(facts: Facts) -> int | None:
    """The offer of the answer just before; an older one was not answered and counts no more."""
    return offer(facts.earlier[-1]) if facts.earlier else None


def standing_offer(facts: Facts) -> int | None:
    """The newest offer of the conversation for which nothing was opened since."""
    offers = (offer(exchange) for exchange in reversed(facts.earlier))
    order = next((order for order in offers if order), None)
    return None if order in tickets(facts) else order


def focus(facts: Facts) -> tuple[int, ...]:
    """What "it" means: the orders of the newest turn that was about any."""
    return next(_focuses(facts), ())


def single_focus(facts: Facts) -> int | None:
    """The newest order that was spoken of alone: what "the other" is other than."""
    return next((orders[0] for orders in _focuses(facts) if len(orders) == 1), None)


def _focuses(facts: Facts) -> Iterator[tuple[int, ...]]:
    found = (orders_of(exchange) for exchange in reversed(facts.earlier))
    yield from (orders for orders in found if orders)


def mentioned(facts: Facts) -> tuple[int, ...]:
    """All orders of the conversation, in the order in which they came up."""
    found = (
        order
        for exchange in facts.earlier
        for order in (orders_named(exchange.answer) or orders_of(exchange))
    )
    return tuple(dict.fromkeys(found))


def tickets(facts: Facts) -> dict[int, str]:
    """The tickets that this conversation shows as opened, by order."""
    told = {
        int(order): number.upper()
        for exchange in facts.earlier
        for number, order in _OPENED.findall(_QUOTED.sub("", exchange.answer))
    }
    return told | dict(_opened_by_call(facts))


def _opened_by_call(facts: Facts) -> Iterator[tuple[int, str]]:
    for lookup in lookups(facts, OPEN):
        number, order = ticket(lookup.value), lookup.arguments.get("order_id")
        if number and isinstance(order, int):
            yield order, number


def may_be_open(facts: Facts, order: int) -> bool:
    """Whether a request was tried for before, and what came of it was an error or nothing."""
    return any(
        lookup.tool == OPEN and lookup.arguments.get("order_id") == order
        for exchange in facts.earlier
        for lookup in exchange.lookups
        if not ticket(lookup.value)
    )
