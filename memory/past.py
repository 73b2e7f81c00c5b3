"""Queries on what a person asked before, in other conversations, as far as it may be shown here."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from memory.database import Row, Transaction
from memory.errors import DamagedMessageError
from memory.messages import Message, decode

_CONVERSATIONS = 10
_TURNS = 20

# What is known from there, by the rule of notes: see memory/keys.py, `surface_of`. Its own turns
# only: what others said, and what was said to them, is theirs.
_SHOWN = """
    FROM conversations here
    JOIN participants p ON p.person = :person
    JOIN conversations c ON c.id = p.conversation AND c.id <> here.id
      AND c.platform = here.platform AND c.workspace = here.workspace
      AND (c.surface = 'public'
        OR c.surface IN ('direct', 'terminal') AND here.surface IN ('direct', 'terminal')
        OR c.surface = 'private' AND here.surface = 'private' AND c.channel = here.channel
          AND (c.channel <> '-' OR c.thread = here.thread))
    """


@dataclass(frozen=True, slots=True)
class Earlier:
    """A conversation with its first question; its `summary` only where nobody else has asked."""

    id: str
    active_at: int
    question: str
    summary: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """What was asked in a turn, and the last that was answered."""

    asked_at: int
    question: str
    answer: str


async def read_last(tx: Transaction, conversation: str, person: str) -> list[Earlier]:
    """The person's last conversations that may be shown in this one, the newest first."""
    rows = await tx.fetch(
        f"""
        SELECT c.id, c.active_at, 'user' AS role,
          CASE WHEN EXISTS (SELECT 1 FROM turns o
              WHERE o.conversation = c.id AND o.asker <> :person) THEN NULL ELSE c.summary
            END AS summary,
          (SELECT m.content FROM messages m WHERE m.conversation = c.id AND m.author = :person
            AND m.role = 'user' AND m.state = 'taken' AND m.turn = (SELECT min(t.number)
              FROM turns t WHERE t.conversation = c.id AND t.asker = :person)
            ORDER BY m.sent_order LIMIT 1) AS content
        {_SHOWN}
        WHERE here.id = :conversation AND EXISTS (SELECT 1 FROM turns t
          WHERE t.conversation = c.id AND t.asker = :person AND t.state IN ('done', 'failed'))
        ORDER BY c.active_at DESC, c.id LIMIT :most
        """,  # noqa: S608 - texts of ours
        conversation=conversation,
        person=person,
        most=_CONVERSATIONS,
    )
    return [Earlier(row["id"], row["active_at"], _text(row), row["summary"] or "") for row in rows]


async def open_one(
    tx: Transaction, conversation: str, person: str, wanted: str
) -> list[Exchange] | None:
    """The person's newest turns in one of those, the oldest first; None: it is none of those."""
    rows = await tx.fetch(
        f"""
        SELECT t.number, t.asked_at, m.role, m.content
        {_SHOWN}
        JOIN turns t ON t.conversation = c.id AND t.asker = :person
          AND t.state IN ('done', 'failed')
        JOIN messages m ON m.conversation = c.id AND m.turn = t.number AND m.state = 'taken'
        WHERE here.id = :conversation AND c.id = :wanted AND t.number > (SELECT max(number) - :most
          FROM turns WHERE conversation = :wanted)
        ORDER BY t.number, CASE m.role WHEN 'user' THEN 0 ELSE 1 END, m.sent_order, m.position
        """,  # noqa: S608 - texts of ours
        conversation=conversation,
        person=person,
        wanted=wanted,
        most=_TURNS,
    )
    turns = [list(turn) for _, turn in groupby(rows, lambda row: int(row["number"]))]
    return [_exchange(turn) for turn in turns] or None


def _exchange(rows: list[Row]) -> Exchange:
    questions = [_text(row) for row in rows if row["role"] == "user"]
    answers = [text for row in rows if row["role"] == "assistant" and (text := _text(row))]
    return Exchange(
        rows[0]["asked_at"], "\n".join(filter(None, questions)), answers[-1] if answers else ""
    )


def _text(row: Row) -> str:
    message = _decoded(row)
    return message.text if message else ""


def _decoded(row: Row) -> Message | None:
    try:
        return decode(row["role"], row["content"])
    except DamagedMessageError:
        return None
