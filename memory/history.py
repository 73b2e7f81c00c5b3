"""Queries on a conversation's past: its window, single turns, the sizes that move the cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from memory.database import Row, Transaction
from memory.voices import listen
from memory.window import StoredTurn


async def read_window(tx: Transaction, conversation: str, before: int) -> list[StoredTurn]:
    """The finished turns from the cut on, older than turn `before`, and nothing else."""
    first = "(SELECT window_from FROM conversations WHERE id = :conversation)"
    which = f"BETWEEN {first} AND :before - 1"
    return await _read(tx, which, conversation=conversation, before=before)


async def read_range(
    tx: Transaction, conversation: str, first: int, before: int
) -> list[StoredTurn]:
    """The finished turns from `first` on, older than turn `before`, oldest first."""
    which = "BETWEEN :first AND :before - 1"
    return await _read(tx, which, conversation=conversation, first=first, before=before)


AT_ONCE = 4
"""Single turns that are read together."""


async def read_turns(
    tx: Transaction, conversation: str, numbers: Sequence[int]
) -> list[StoredTurn]:
    """These finished turns, oldest first; at most `AT_ONCE` of them."""
    asked = {f"n{at}": number for at, number in enumerate((*numbers, *[0] * AT_ONCE)[:AT_ONCE])}
    which = f"IN ({', '.join(f':{name}' for name in asked)})"
    return await _read(tx, which, conversation=conversation, **asked)


async def _read(tx: Transaction, which: str, **values: str | int) -> list[StoredTurn]:
    """`which` is what is asked of their numbers: a text of ours."""
    turns = await tx.fetch(
        f"""
        SELECT id, number, state, outcome, asked_at, full_size, compact_size FROM turns
        WHERE conversation = :conversation AND number {which}
          AND state IN ('done', 'failed') ORDER BY number
        """,  # noqa: S608
        **values,
    )
    messages = await tx.fetch(
        f"""
        SELECT m.turn AS number, m.role, m.state, m.author_name, p.name AS known, m.content,
          c.surface
        FROM conversations c JOIN messages m ON m.conversation = c.id AND m.turn {which}
        LEFT JOIN participants p ON p.conversation = m.conversation AND p.person = m.author
        WHERE c.id = :conversation
        ORDER BY m.turn, CASE m.role WHEN 'user' THEN 0 ELSE 1 END, m.sent_order, m.position
        """,  # noqa: S608
        **values,
    )
    by_turn = {key: list(rows) for key, rows in groupby(messages, lambda row: int(row["number"]))}
    return [_stored_turn(row, by_turn.get(row["number"], [])) for row in turns]


@dataclass(frozen=True, slots=True)
class TurnSize:
    """A finished turn of the window, as the cut sees it."""

    number: int
    full_size: int
    compact_size: int


@dataclass(frozen=True, slots=True)
class Sizes:
    """The window as the cut sees it, oldest turn first; all zero for a conversation that is gone
    or has no finished turn. `summary`: of what is before the cut; None: there is none (any
    more)."""

    revision: int
    window_from: int
    turns: tuple[TurnSize, ...]
    summary: str | None = None


async def read_sizes(tx: Transaction, conversation: str) -> Sizes:
    rows = await tx.fetch(
        """
        SELECT c.revision, c.window_from, c.summary, t.number, t.full_size, t.compact_size
        FROM conversations c
        JOIN turns t ON t.conversation = c.id AND t.number >= c.window_from
        WHERE c.id = :conversation AND t.state IN ('done', 'failed') ORDER BY t.number
        """,
        conversation=conversation,
    )
    if not rows:
        return Sizes(0, 0, ())
    turns = (TurnSize(row["number"], row["full_size"], row["compact_size"]) for row in rows)
    return Sizes(rows[0]["revision"], rows[0]["window_from"], tuple(turns), rows[0]["summary"])


async def read_summary(tx: Transaction, conversation: str) -> str:
    """Of what is before the cut; empty without."""
    rows = await tx.fetch("SELECT summary FROM conversations WHERE id = :id", id=conversation)
    return rows[0]["summary"] or "" if rows else ""


async def move_cut(
    tx: Transaction, conversation: str, *, to: int, revision: int, summary: str | None = None
) -> bool:
    """Move the cut, and keep the summary of what is before it, unless something was erased or
    changed since `revision` was read."""
    rows = await tx.fetch(
        """
        UPDATE conversations SET window_from = :to, summary = :summary, revision = revision + 1
        WHERE id = :conversation AND revision = :revision RETURNING id
        """,
        conversation=conversation,
        to=to,
        summary=summary,
        revision=revision,
    )
    return bool(rows)


def _stored_turn(row: Row, messages: list[Row]) -> StoredTurn:
    talk = listen(messages)
    return StoredTurn(
        id=row["id"],
        number=row["number"],
        state=row["state"],
        outcome=row["outcome"],
        asked_at=row["asked_at"],
        full_size=row["full_size"],
        compact_size=row["compact_size"],
        messages=talk.messages,
        aside=talk.aside,
    )
