"""What is done about each thing asked: the calls that are needed next, or an answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from adapters.offline import replies
from adapters.offline.asks import Ask
from adapters.offline.desk import (
    CHECK,
    GET,
    LIST,
    OPEN,
    Call,
    Verdict,
    lookups,
    order,
    verdict,
)
from adapters.offline.facts import Facts, Lookup
from adapters.offline.opening import open_for
from adapters.offline.phrases import Intent
from adapters.offline.recollection import recall, said
from adapters.offline.resolve import listed, look_up, resolve
from adapters.offline.steps import Step, about, judge, not_yet, refused, together
from adapters.offline.thread import (
    last_offer,
    orders_of,
    standing_offer,
    tickets,
)

Skill = Callable[[Ask, Facts], Step]
_MOST_ORDERS = 10


def answer(asks: Sequence[Ask], facts: Facts) -> Step:
    """The calls that are needed next, side by side, or what there is to say."""
    known = [ask for ask in asks if ask.intent != "other"]
    step = together(_SKILLS[ask.intent](ask, facts) for ask in known or asks)
    if isinstance(step, tuple):
        return step
    rest = "" if len(known) in {0, len(asks)} else f"\n\n{replies.partly_not_understood()}"
    may_offer = any(ask.intent in {"open", "refund", "yes"} for ask in known)
    return f"{step}{rest}{_offer(facts) if may_offer else ''}"


def _offer(facts: Facts) -> str:
    """One offer, at the very end, so that a yes can only mean that."""
    eligible = [each.order for each in _verdicts(facts) if each.eligible and not each.open_ticket]
    acted = _acted(facts)
    fresh = [order for order in eligible if str(order) not in acted and order not in tickets(facts)]
    if OPEN not in facts.tools or not fresh:
        return ""
    return f" {replies.offer(fresh[0]) if len(fresh) == 1 else replies.offers(fresh)}"


def _acted(facts: Facts) -> set[str]:
    """The orders for which this turn has tried to open a request."""
    calls = (lookup for lookup in facts.now.lookups if lookup.tool == OPEN)
    return {str(call.arguments.get("order_id")) for call in calls}


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
    return together(one(number, facts) for number in orders[:_MOST_ORDERS])


def _list(ask: Ask, facts: Facts) -> Step:
    del ask
    orders = listed(facts)
    if isinstance(orders, Call):
        return (orders,)
    return orders if isinstance(orders, str) else replies.order_list(orders)


def _details(ask: Ask, facts: Facts) -> Step:
    return _for_each(ask, facts, _details_of)


def _details_of(number: int, facts: Facts) -> Step:
    result = look_up(facts, about(GET, number))
    if not isinstance(result, Lookup):
        return not_yet(result)
    if result.error is not None:
        return refused(number, result.error)
    shown = order(result.value)
    return replies.details(shown) if shown else replies.unreadable()


def _refund(ask: Ask, facts: Facts) -> Step:
    return _for_each(ask, facts, _refund_of)


def _refund_of(number: int, facts: Facts) -> Step:
    judged = judge(number, facts)
    if not isinstance(judged, Verdict):
        return judged
    opened = judged.open_ticket or tickets(facts).get(number)
    told = replies.eligible(judged) if judged.eligible else replies.not_eligible(judged)
    return (
        f"{told} {replies.is_open(number, opened)}"
        if opened and str(number) not in _acted(facts)
        else told
    )


def _open(ask: Ask, facts: Facts) -> Step:
    return _for_each(ask, facts, lambda number, known: open_for(number, known, ask.reference.names))


def _yes(ask: Ask, facts: Facts) -> Step:
    """A yes counts for the order that was offered; for another one it is a question."""
    offered = last_offer(facts)
    if offered is None:
        return _yes_to_nothing(facts)
    orders = resolve(ask.reference, facts)
    if isinstance(orders, Call):
        return (orders,)
    if orders == (offered,):
        return open_for(offered, facts, ask.reference.names)
    return orders if isinstance(orders, str) else _refund(ask, facts)


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
    result = look_up(facts, about(CHECK, orders[0].number))
    return (result,) if isinstance(result, Call) else replies.no_policy()


def _all_verdicts(facts: Facts) -> list[Verdict]:
    known = (verdict(each.value) for each in lookups(facts, CHECK))
    return [each for each in known if each]


def _date(ask: Ask, facts: Facts) -> Step:
    del ask
    found = re.search(r"\[Now: ([^\]]+)\]", facts.now.note)
    return replies.today(found.group(1)) if found else replies.no_date()


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
