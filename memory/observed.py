"""What is said in a conversation's place and not to us: kept, for a while, as context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory.database import Transaction
from memory.messages import Message, Text, encode, user
from memory.text import cut_middle

MOST = 50
MOST_CHARACTERS = 3_000
"""Of the words of observed messages that no turn has taken along yet, and of one call-in."""


_EMPTY = len(encode(user("")))


def shorten(message: Message) -> Message:
    """What is not said to us has no right to more room than there is."""
    parts = (
        replace(part, text=cut_middle(part.text, MOST_CHARACTERS))
        if isinstance(part, Text)
        else part
        for part in message.parts
    )
    return replace(message, parts=tuple(parts))


async def trim(tx: Transaction, conversation: str) -> None:
    """Delete what is too much: the oldest of what no turn has taken along."""
    rows = await tx.fetch(
        """
        SELECT position, length(content) AS size FROM messages
        WHERE conversation = :conversation AND turn IS NULL AND state = 'observed'
        ORDER BY sent_order DESC, position DESC
        """,
        conversation=conversation,
    )
    kept = count_kept([row["size"] - _EMPTY for row in rows])
    for row in rows[kept:]:
        await tx.execute(
            "DELETE FROM messages WHERE conversation = :conversation AND position = :position",
            conversation=conversation,
            position=row["position"],
        )


def count_kept(sizes: Sequence[int]) -> int:
    """How many of the newest, which come first, may stay; the newest always."""
    characters = 0
    for count, size in enumerate(sizes[:MOST]):
        characters += size
        if count and characters > MOST_CHARACTERS:
            return count
    return min(len(sizes), MOST)
