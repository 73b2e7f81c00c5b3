"""What a skill comes to at each step: the calls that are needed next, or words."""

from __future__ import annotations

from collections.abc import Iterable

from adapters.offline import replies
from adapters.offline.desk import CHECK, Call, Verdict, verdict
from adapters.offline.facts import Facts, Lookup
from adapters.offline.resolve import look_up

Step = tuple[Call, ...] | str


def together(steps: Iterable[Step]) -> Step:
    known = list(steps)
    calls = tuple(call for step in known if isinstance(step, tuple) for call in step)
    if calls:
        return tuple(dict.fromkeys(calls))
    return "\n\n".join(dict.fromkeys(step for step in known if isinstance(step, str)))


def judge(number: int, facts: Facts) -> Verdict | Step:
    result = look_up(facts, about(CHECK, number))
    if not isinstance(result, Lookup):
        return not_yet(result)
    if result.error is not None:
        return refused(number, result.error)
    return verdict(result.value) or replies.unreadable()


def about(tool: str, number: int) -> Call:
    return Call(tool, (("order_id", number),))


def not_yet(result: Call | str) -> Step:
    return (result,) if isinstance(result, Call) else result


def refused(number: int, error: str) -> str:
    return replies.not_yours(number) if f"no order {number}" in error else replies.failed(error)
