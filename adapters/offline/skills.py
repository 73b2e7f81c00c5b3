"""What is done about each thing asked: the calls that are needed next, or an answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from adapters.offline import replies
from adapters.offline.desk import (
    CHECK,
    GET,
    LIST,
    OPEN,
    Call,
    Verdict,
    lookups,
    order,
    ticket,
    verdict,
)
from adapters.offline.facts import Facts, Lookup
from adapters.offline.intents import Ask
from adapters.offline.phrases import Intent
from adapters.offline.recollection import recall, said
from adapters.offline.resolve import listed, look_up, resolve
from adapters.offline.thread import (
    last_offer,
    may_be_open,
    orders_of,
    standing_offer,
    tickets,
)

Step = tuple[Call, ...] | str
Skill = Callable[[Ask, Facts], Step]
_MOST_ORDERS = 10


def answer(asks: Sequence[Ask], facts: Facts) -> Step:
    """The calls that are needed next, side by side, or what there is to say."""
    step = _together(_SKILLS[ask.intent](ask, facts) for ask in asks)
    if isinstance(step, str) and any(ask.intent in {"refund", "yes"} for ask in asks):
        return f"{step}{_offer(facts)}"
    return step


def _together(steps: Iterable[Step]) -> Step:
    known = list(steps)
    calls = tuple(call for step in known if isinstance(step, tuple) for call in step)
    if calls:
        return tuple(dict.fromkeys(calls))
    return "\n\n".join(dict.fromkeys(step for step in known if isinstance(step, str)))


def _offer(facts: Facts) -> str:
    """One offer, at the very end, so that a yes can only mean that."""
    eligible = [each.order for each in _verdicts(facts) if each.eligible]
    acted = {
        lookup.arguments.get("order_id") for lookup in facts.now.lookups if lookup.tool == OPEN
    }
    fresh = [order for order in eligible if order not in acted and order not in tickets(facts)]
    if OPEN not in facts.tools or not fresh:
        return ""
    return f" {replies.offer(fresh[0]) if len(fresh) == 1 else replies.offers(fresh)}"


def _verdicts(facts: Facts) -> list[Verdict]:
    """What was found out about refunds in this turn, by order."""
    known = (verdict(each.value) for each in facts.now.lookups if each.tool == CHECK)
    return list({each.order: each for each in known if each}.values())


def _for_each(ask: Ask, facts: Facts, one: Callable[[int, Facts], Step]) -> Step:
    orders = resolve(ask.reference, facts)
    if isinstance(orders, Call):
        return (orders,)
    if isinstance(orders, str):
        return orders
    return _together(one(number, facts) for number in orders[:_MOST_ORDERS])


def _list(ask: Ask, facts: Facts) -> Step:
    del ask
    orders = listed(facts)
    if isinstance(orders, Call):
        return (orders,)
    return orders if isinstance(orders, str) else replies.order_list(orders)


def _details(ask: Ask, facts: Facts) -> Step:
    return _for_each(ask, facts, _details_of)


def _details_of(number: int, facts: Facts) -> Step:
    result = look_up(facts, _about(GET, number))
    if not isinstance(result, Lookup):
        return _not_yet(result)
    if result.error is not None:
        return _refused(number, result.error)
    shown = order(result.value)
    return replies.details(shown) if shown else replies.unreadable()


def _refund(ask: Ask, facts: Facts) -> Step:
    return _for_each(ask, facts, _refund_of)


def _refund_of(number: int, facts: Facts) -> Step:
    judged = _judged(number, facts)
    if not isinstance(judged, Verdict):
        return judged
    if not judged.eligible:
        return replies.not_eligible(judged)
    opened = tickets(facts).get(number)
    return replies.eligible(judged) + (f" {replies.is_open(number, opened)}" if opened else "")


def _judged(number: int, facts: Facts) -> Verdict | Step:
    result = look_up(facts, _about(CHECK, number))
    if not isinstance(result, Lookup):
        return _not_yet(result)
    if result.error is not None:
        return _refused(number, result.error)
    return verdict(result.value) or replies.unreadable()


def _open(ask: Ask, facts: Facts) -> Step:
    return _for_each(ask, facts, _open_for)


def _open_for(number: int, facts: Facts) -> Step:
    """Open a request once, and only when this turn's own check has proved it possible."""
    if tried := _tried(number, facts):
        return _came_of(number, tried, facts)
    if opened := tickets(facts).get(number):
        return replies.already_open(number, opened)
    if may_be_open(facts, number) and (step := _found_open(number, facts)) is not None:
        return step
    judged = _judged(number, facts)
    if not isinstance(judged, Verdict):
        return judged
    if not judged.eligible:
        return f"{replies.not_eligible(judged)} {replies.so_not_opened()}"
    result = look_up(facts, _opening(judged))
    return replies.unreadable() if isinstance(result, Lookup) else _not_yet(result)


def _tried(number: int, facts: Facts) -> Lookup | None:
    """The call of this turn that was to open a request for this order."""
    calls = (each for each in facts.now.lookups if each.tool == OPEN)
    return next((each for each in calls if each.arguments.get("order_id") == number), None)


def _came_of(number: int, tried: Lookup, facts: Facts) -> Step:
    if opened := ticket(tried.value):
        return replies.opened(number, opened)
    step = _found_open(number, facts)
    return replies.not_opened(number, tried.error or "") if step is None else step


def _found_open(number: int, facts: Facts) -> Step | None:
    """After a failure the shop knows best; None: it shows no ticket for this order."""
    result = look_up(facts, _about(GET, number))
    if not isinstance(result, Lookup):
        return _not_yet(result)
    if (shown := order(result.value)) is None:
        return replies.open_is_unknown(number)
    return replies.is_open(number, shown.tickets[-1]) if shown.tickets else None


def _opening(judged: Verdict) -> Call:
    item = f" ({judged.item})" if judged.item else ""
    return Call(
        OPEN,
        (
            ("category", "refund"),
            ("summary", f"The customer asks for a refund of order {judged.order}{item}."),
            ("order_id", judged.order),
        ),
    )


def _yes(ask: Ask, facts: Facts) -> Step:
    """A yes counts for the order that was offered; for another one it is a question."""
    offered = last_offer(facts)
    if offered is None:
        return _yes_to_nothing(facts)
    orders = resolve(ask.reference, facts)
    if isinstance(orders, Call):
        return (orders,)
    return _open_for(offered, facts) if orders == (offered,) else replies.unclear(offered)


def _yes_to_nothing(facts: Facts) -> Step:
    """ "Do it anyway": why there was no offer, if the last answer was about an order."""
    about = orders_of(facts.earlier[-1]) if facts.earlier else ()
    if len(about) != 1:
        return replies.nothing_offered()
    if opened := tickets(facts).get(about[0]):
        return replies.already_open(about[0], opened)
    return _refund_of(about[0], facts)


def _unsure(ask: Ask, facts: Facts) -> Step:
    del ask
    return replies.unclear(standing_offer(facts))


def _no(ask: Ask, facts: Facts) -> Step:
    del ask
    return replies.declined(last_offer(facts))


def _ticket(ask: Ask, facts: Facts) -> Step:
    """What was opened: as the conversation shows it, else as the shop does."""
    if known := tickets(facts):
        return replies.ticket_known(known)
    del ask
    if LIST not in facts.tools:
        return replies.ticket_unknown()
    orders = listed(facts)
    if isinstance(orders, Call):
        return (orders,)
    if isinstance(orders, str):
        return orders
    shown = {each.number: each.tickets[-1] for each in orders if each.tickets}
    return replies.ticket_known(shown) if shown else replies.ticket_unknown()


def _policy(ask: Ask, facts: Facts) -> Step:
    """The limit stands in every check, so any order of the customer tells it."""
    del ask
    if limits := [each.limit for each in _all_verdicts(facts) if each.limit is not None]:
        return replies.policy(limits[0])
    orders = listed(facts)
    if isinstance(orders, Call):
        return (orders,)
    if isinstance(orders, str) or not orders:
        return replies.no_policy()
    result = look_up(facts, _about(CHECK, orders[0].number))
    return (result,) if isinstance(result, Call) else replies.no_policy()


def _all_verdicts(facts: Facts) -> list[Verdict]:
    known = (verdict(each.value) for each in lookups(facts, CHECK))
    return [each for each in known if each]


def _date(ask: Ask, facts: Facts) -> Step:
    del ask
    found = re.search(r"\[Now: ([^\]]+)\]", facts.now.note)
    return replies.today(found.group(1)) if found else replies.no_date()


def _about(tool: str, number: int) -> Call:
    return Call(tool, (("order_id", number),))


def _not_yet(result: Call | str) -> Step:
    return (result,) if isinstance(result, Call) else result


def _refused(number: int, error: str) -> str:
    return replies.not_yours(number) if f"no order {number}" in error else replies.failed(error)


def _saying(words: Callable[[], str]) -> Skill:
    return lambda _ask, _facts: words()


_SKILLS: dict[Intent, Skill] = {
    "bye": _saying(replies.goodbye),
    "cannot": _saying(replies.cannot),
    "date": _date,
    "details": _details,
    "forget": _saying(replies.erasing),
    "greet": _saying(replies.hello),
    "help": _saying(replies.capabilities),
    "hold": _saying(replies.on_hold),
    "list": _list,
    "mood": _saying(replies.fine),
    "no": _no,
    "note": _saying(replies.noted),
    "okay": _saying(replies.okay),
    "open": _open,
    "other": _saying(replies.not_understood),
    "policy": _policy,
    "recall": recall,
    "refund": _refund,
    "said": said,
    "thanks": _saying(replies.you_are_welcome),
    "ticket": _ticket,
    "unsure": _unsure,
    "who": _saying(replies.who),
    "yes": _yes,
}
