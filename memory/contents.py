"""What is stored of one turn, as a model reads it."""

from __future__ import annotations

from dataclasses import dataclass

from memory import voices
from memory.database import Transaction
from memory.voices import Talk, Unnamed
from memory.window import compact_size, full_size


@dataclass(frozen=True, slots=True)
class Contents:
    """What is stored of a turn: the question's messages in the platform's order, then the steps as
    they happened; and what is still to be asked of the platform, also of messages of
    the turn before. `asked_at`: when the newest of the question's messages was said, or 0."""

    talk: Talk
    unnamed: tuple[Unnamed, ...]
    may_call_in: bool
    is_wordless: bool
    asked_at: int

    @property
    def has_gaps(self) -> bool:
        return self.may_call_in or bool(self.unnamed)


async def read(tx: Transaction, conversation: str, number: int) -> Contents:
    rows = await tx.fetch(
        """
        SELECT m.role, m.state, m.turn, m.position, m.author, m.author_name, p.name AS known,
          m.edited_at, COALESCE(m.edited_at, m.said_at) AS said_at, m.content,
          c.surface, c.called_in
        FROM messages m JOIN conversations c ON c.id = m.conversation
        LEFT JOIN participants p ON p.conversation = m.conversation AND p.person = m.author
        WHERE m.conversation = :conversation AND m.turn BETWEEN :number - 1 AND :number
          AND (m.turn = :number OR m.author_name = '')
        ORDER BY CASE m.role WHEN 'user' THEN 0 ELSE 1 END, m.sent_order, m.position
        """,
        conversation=conversation,
        number=number,
    )
    unnamed = tuple(voices.find_unnamed(rows))
    rows = [row for row in rows if row["turn"] == number]
    return Contents(
        voices.listen(rows),
        unnamed,
        may_call_in=any(voices.is_shared(row) and not row["called_in"] for row in rows[:1]),
        is_wordless=voices.are_wordless(rows),
        asked_at=max((row["said_at"] for row in rows if voices.is_question(row)), default=0),
    )


async def measure(tx: Transaction, conversation: str, number: int) -> None:
    """A finished turn's messages have changed, and so has its size."""
    talk = (await read(tx, conversation, number)).talk
    await tx.execute(
        """
        UPDATE turns SET full_size = :full_size, compact_size = :compact_size
        WHERE conversation = :conversation AND number = :number AND state <> 'running'
        """,
        full_size=full_size(talk.whole),
        compact_size=compact_size(talk.messages),
        conversation=conversation,
        number=number,
    )
