"""A model that opens a ticket for each question and answers in more than one message.

Every question has a token, such as k000017x, and all that is said is numbered, so that an answer
proves what it is an answer to, and that it is whole.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

from bot.model import ModelRequest
from memory.messages import ToolResult
from tests.faults.echo import TOKEN, questions, split
from tests.servers.openai.wire import Answer, Stream, says, whole
from tests.servers.openai.wire import call as opened

FIRST = "Let me open a ticket for that."


def final(token: str, ticket: str, lines: int) -> str:
    told = (f"Line {number} of {lines} for {token}." for number in range(1, lines + 1))
    return "\n".join([f"Ticket {ticket} is open.", *told])


def squeezed(text: str) -> str:
    """Without what a cut between two messages may take away."""
    return "".join(text.split())


class Clerk:
    """`lines`: how long an answer is. `hold`: what is waited for in the middle of it."""

    def __init__(self, lines: int, hold: Callable[[], Awaitable[object]]) -> None:
        self._lines = lines
        self._hold = hold

    def __call__(self, request: ModelRequest) -> Answer:
        _, now = split(request.messages)
        [token, *_] = TOKEN.findall(" ".join(questions(now)))
        results = [part for each in now for part in each.parts if isinstance(part, ToolResult)]
        if not results:
            return _ticket(token)
        return self._told(final(token, _number(results[-1]), self._lines))

    def _told(self, text: str) -> Stream:
        middle = len(text) // 2
        chunks = says(text[:middle], text[middle:]).chunks
        return Stream((*chunks[:2], self._hold, *chunks[2:]))  # the first one only opens


def _ticket(token: str) -> Stream:
    arguments = {"category": "damage", "summary": f"For {token}.", "order_id": 1042}
    call = opened(0, f"call_{token}", "create_support_ticket", json.dumps(arguments))
    return whole({"content": FIRST}, call, finish="tool_calls")


def _number(result: ToolResult) -> str:
    return str(json.loads(result.text).get("ticket", "?"))
