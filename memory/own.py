"""What one person has said, asked and been answered, and what is noted about them: for them alone.

A conversation in which nobody else took part is theirs as a whole. Of any other, also one that they
began, they get their own messages and the turns that they asked, and nobody else's words.
"""

from __future__ import annotations

from dataclasses import dataclass

from memory.database import Row, Transaction
from memory.keys import PersonKey

PAGE = 100  # messages; what is decoded at once holds up nobody


@dataclass(frozen=True, slots=True)
class Part:
    """A conversation in which the person took part; times in UTC milliseconds."""

    id: str
    place: str
    surface: str
    created_at: int
    active_at: int
    is_alone: bool
    summary: str


async def find_parts(tx: Transaction, person: PersonKey) -> list[Part]:
    """The oldest first. A summary tells what others said, too, unless there were none."""
    rows = await tx.fetch(
        """
        SELECT c.id, c.place, c.surface, c.created_at, c.active_at, c.summary,
          (SELECT count(*) FROM participants o
            WHERE o.conversation = c.id AND o.person <> :person) AS others
        FROM participants p JOIN conversations c ON c.id = p.conversation
        WHERE p.person = :person ORDER BY c.created_at, c.id
        """,
        person=str(person),
    )
    return [
        Part(
            id=row["id"],
            place=row["place"],
            surface=row["surface"],
            created_at=row["created_at"],
            active_at=row["active_at"],
            is_alone=row["others"] == 0,
            summary="" if row["others"] else row["summary"] or "",
        )
        for row in rows
    ]


async def read_page(
    tx: Transaction, conversation: str, person: PersonKey, *, after: int
) -> list[Row]:
    """The next of the person's messages and answers, after a position. Whether somebody else has
    taken part is looked at anew: they may have come since."""
    return await tx.fetch(
        """
        SELECT m.position, m.turn, m.role, m.said_at, m.content FROM messages m
        LEFT JOIN turns t ON t.conversation = m.conversation AND t.number = m.turn
        WHERE m.conversation = :conversation AND m.position > :after
          AND ((m.role = 'user' AND m.author = :person)
            OR (m.role <> 'user' AND t.asker = :person)
            OR NOT EXISTS (SELECT 1 FROM participants o
              WHERE o.conversation = :conversation AND o.person <> :person))
        ORDER BY m.position LIMIT :page
        """,
        conversation=conversation,
        person=str(person),
        after=after,
        page=PAGE,
    )


async def read_notes(tx: Transaction, person: PersonKey) -> list[Row]:
    """What is noted about the person, wherever that was said."""
    return await tx.fetch(
        """
        SELECT topic, subject, text, said_at FROM notes
        WHERE person = :person AND text <> '' ORDER BY said_at, id
        """,
        person=str(person),
    )
