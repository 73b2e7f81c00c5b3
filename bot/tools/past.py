"""What the person who asks has asked before, in other conversations, as a tool."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field

from bot.errors import ToolError
from bot.tools.tool import Tool, ToolContext
from memory import past
from memory.database import Database
from memory.text import cut_middle

PAST = "past"
_QUESTION, _SUMMARY = 200, 500  # characters in the list
_TEXT, _ALL = 800, 6_000  # characters of a question or an answer, and of all that is opened

Id = Annotated[str, Field(max_length=32, description="The id of one of the listed, to open it")]


def past_tools(database: Database) -> list[Tool]:
    return [Tool.of(Archive(database).past, risk="read")]


class Archive:
    """Shows who asks their own turns, and nobody else's. Its docstring is read by the model."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def past(self, context: ToolContext, conversation: Id | None = None) -> dict[str, object]:
        """Look up what the person who asks has talked about with you in other conversations:
        without arguments a list of the last ones by date, each with its id, its first question and
        a summary where there is one; with an id from that list what was asked and answered in it.
        Only for questions about earlier conversations; this one you see already."""
        if conversation is None:
            listed = await self._database.read(
                lambda tx: past.read_last(tx, context.conversation, context.person)
            )
            return {"conversations": list(map(_listed, listed))}
        opened = await self._database.read(
            lambda tx: past.open_one(tx, context.conversation, context.person, conversation)
        )
        if opened is None:
            raise ToolError("This person has no such conversation that could be shown here.")
        return {"turns": _bounded(opened)}


def _listed(earlier: past.Earlier) -> dict[str, object]:
    told = {
        "conversation": earlier.id,
        "last_active": _day(earlier.active_at),
        "first_question": cut_middle(earlier.question, _QUESTION),
    }
    summary = cut_middle(earlier.summary, _SUMMARY)
    return {**told, "summary": summary} if summary else {**told}


def _bounded(exchanges: Sequence[past.Exchange]) -> list[dict[str, object]]:
    """The newest, as far as there is room."""
    room = _ALL
    kept: list[dict[str, object]] = []
    for exchange in reversed(exchanges):
        question, answer = (
            cut_middle(text, _TEXT) for text in (exchange.question, exchange.answer)
        )
        room -= len(question) + len(answer)
        if room < 0:
            break
        day = _day(exchange.asked_at)
        kept.append({"asked_on": day, "question": question, "answer": answer})
    return kept[::-1]


def _day(milliseconds: int) -> str:
    return f"{datetime.fromtimestamp(milliseconds / 1000, UTC):%Y-%m-%d}"
