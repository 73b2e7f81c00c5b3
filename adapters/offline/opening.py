"""Opening a refund request: once, for an order that this turn's own check has proved eligible."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.offline import replies
from adapters.offline.desk import GET, OPEN, Call, Verdict, order, ticket
from adapters.offline.facts import Facts, Lookup
from adapters.offline.resolve import fits, look_up
from adapters.offline.steps import Step, about, judge, not_yet
from adapters.offline.thread import may_be_open, tickets


def open_for(number: int, facts: Facts, names: Sequence[str] = ()) -> Step:
    """`names`: words that were said of the order; one that does not fit it leaves a doubt."""
    if tried := _tried(number, facts):
        return _came_of(number, tried, facts)
    if opened := tickets(facts).get(number):
        return replies.already_open(number, opened)
    if may_be_open(facts, number) and (step := _found_open(number, facts)) is not None:
        return step
    judged = judge(number, facts)
    if not isinstance(judged, Verdict):
        return judged
    return _open_if_right(judged, facts, names)


def _open_if_right(judged: Verdict, facts: Facts, names: Sequence[str]) -> Step:
    if judged.open_ticket:
        return replies.already_open(judged.order, judged.open_ticket)
    if not judged.eligible:
        return f"{replies.not_eligible(judged)} {replies.so_not_opened()}"
    if not fits(judged.item, names):
        return replies.eligible(judged)
    result = look_up(facts, _opening(judged))
    return replies.unreadable() if isinstance(result, Lookup) else not_yet(result)


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
    result = look_up(facts, about(GET, number))
    if not isinstance(result, Lookup):
        return not_yet(result)
    if (shown := order(result.value)) is None:
        return replies.open_is_unknown(number)
    return replies.is_open(number, shown.open_ticket) if shown.open_ticket else None


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
