"""Notes about the person who asks, as tools: what they said of themselves, and want kept."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from bot.errors import ToolError
from bot.tools.tool import Tool, ToolContext
from memory import notes, unnoted
from memory.database import Database, Transaction
from memory.knowledge import LONGEST, Note, Told, Topic

REMEMBER, FORGET_FACT = "remember", "forget_fact"
NAMES = frozenset({REMEMBER, FORGET_FACT})

Fact = Annotated[
    str,
    Field(
        min_length=1,
        max_length=LONGEST,
        description="What is to be known, in a few words and without the person's own name for "
        "themselves: lives in Lisbon; prefers short answers",
    ),
]
Subject = Annotated[
    str,
    Field(
        max_length=40,
        description="What it is about, in one or two words: favourite drink. A newer note about "
        "the same takes the older one's place",
    ),
]
Number = Annotated[int, Field(ge=1, description="The note's number, as it stands in the notes")]


def note_tools(database: Database) -> list[Tool]:
    """The tools on the notes in this database."""
    notebook = Notebook(database)
    return [
        Tool.of(notebook.remember, risk="write", idempotent=True),
        Tool.of(notebook.forget_fact, risk="write", idempotent=True),
    ]


class Notebook:
    """Has the notes of who asks, and of nobody else. Its docstrings are read by the model."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def remember(
        self, context: ToolContext, topic: Topic, text: Fact, subject: Subject = ""
    ) -> dict[str, object]:
        """Note something lasting that the person who asks has just said about themselves: their
        name, role, place, a preference, a plan, another fact. Never anything about somebody else,
        never a password or another secret, and nothing that they want not to be kept. What is in
        their notes already needs no other note."""
        told = Told.of(context.call_key, topic, text, subject)
        note = await self._database.write(lambda tx: _note_down(tx, context, told))
        if note is None:
            return {"noted": False, "reason": "It is known already, or something newer is."}
        return {"noted": True, "note": note.number}

    async def forget_fact(self, context: ToolContext, note: Number) -> dict[str, object]:
        """Delete one of the notes about the person who asks, because they say that it is wrong or
        that it should not be kept. What was said stays in its conversation."""
        if not await self._database.write(lambda tx: _delete(tx, context, note)):
            raise ToolError(f"There is no note {note} here.")
        return {"deleted": note}


async def _note_down(tx: Transaction, context: ToolContext, told: Told) -> Note | None:
    if not await unnoted.is_on(tx, context.person):
        raise ToolError("This person wants no notes to be kept, so nothing was noted.")
    return await notes.add_to(tx, context.turn, told)


async def _delete(tx: Transaction, context: ToolContext, note: int) -> bool:
    """Only one that the person sees here: elsewhere nobody is told that there is another."""
    asker = await notes.find_asker_of(tx, context.turn)
    if asker is None:
        return False
    return await unnoted.delete(tx, asker.person, note, asker.surfaces) is not None
