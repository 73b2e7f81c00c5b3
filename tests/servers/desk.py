"""A support desk's brain by plain rules, to hold the example conversation on every real wire.

It sees only the request. When the memory is broken, so are its answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bot.model import ModelRequest
from memory.messages import Message, ToolResult

Json = dict[str, Any]

OFFER = "Shall I open a refund request for order {}?"
HELP = "I can list your orders, tell whether one can be refunded, and open a refund request."

_ORDER = re.compile(r"#?\b(\d{4})\b")
_OFFERED = re.compile(re.escape(OFFER).replace(r"\{\}", r"(\d+)"))
_YES = re.compile(r"(yes|ok|okay|sure|please do|go ahead)\b", re.IGNORECASE)
_NOTE = re.compile(r"^\[[^\]]*\]\s*")  # the tail note that stands before the question


@dataclass(frozen=True, slots=True)
class Said:
    """What the desk says, word by word."""

    pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """The tools it asks for: name and arguments."""

    calls: tuple[tuple[str, Json], ...]


def desk(request: ModelRequest) -> Said | Asked:
    """Look up what the last question is about, then say it."""
    last = request.messages[-1]
    if last.role == "tool":
        return _spoken(" ".join(_reports(_latest_results(request.messages))))
    question = _question(last)
    offered = _offered(request.messages)
    orders = _ORDER.findall(question)
    if _YES.match(question) and offered and not orders:
        return _call(request, ("create_support_ticket", _refund(offered)))
    if orders:
        wanted = [("check_refund_eligibility", {"order_id": int(order)}) for order in orders]
        return _call(request, *wanted)
    if re.search(r"\borders?\b", question, re.IGNORECASE):
        return _call(request, ("list_orders", {}))
    if re.search(r"\bfirst\b", question, re.IGNORECASE):
        return _spoken(f"The first that I know of was: {_question(request.messages[0])}")
    return _spoken(HELP)


def _question(message: Message) -> str:
    return _NOTE.sub("", message.text)


def _offered(messages: Sequence[Message]) -> int | None:
    """The order whose refund was offered in the answer before this question."""
    answers = [message.text for message in messages if message.role == "assistant"]
    found = _OFFERED.search(answers[-1]) if answers else None
    return int(found[1]) if found else None


def _refund(order: int) -> Json:
    return {"category": "refund", "summary": f"Refund for order {order}", "order_id": order}


def _call(request: ModelRequest, *wanted: tuple[str, Json]) -> Said | Asked:
    offered = {tool.name for tool in request.tools}
    if request.tool_choice == "none" or not all(name in offered for name, _ in wanted):
        return _spoken("I cannot look that up.")
    return Asked(wanted)


def _spoken(text: str) -> Said:
    return Said(tuple(re.findall(r"\S+\s*", text)))


def _latest_results(messages: Sequence[Message]) -> list[ToolResult]:
    start = max(i for i, message in enumerate(messages) if message.calls)
    return [result for message in messages[start:] for result in message.results]


def _reports(results: Sequence[ToolResult]) -> Iterator[str]:
    for result in results:
        value: Json = json.loads(result.text)
        if "error" in value:
            yield f"That did not work: {value['error']}"
            continue
        match result.name:
            case "check_refund_eligibility":
                yield _eligibility(value)
            case "create_support_ticket":
                yield f"I opened ticket {value['ticket']} for order {value['order_id']}."
            case "list_orders":
                yield "; ".join(f"{o['order_id']}: {o['item']}" for o in value["orders"]) + "."


def _eligibility(value: Json) -> str:
    order = value["order_id"]
    if not value["eligible"]:
        return f"Order {order} cannot be refunded. {value['reason']}"
    left = f"Order {order} can be refunded for {value['days_left']} more days."
    return f"{left} {OFFER.format(order)}"
