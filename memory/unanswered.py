"""What waits to be answered: the queue is the waiting messages themselves."""

from __future__ import annotations

from typing import Literal

from memory import deliveries, turns
from memory.database import Transaction
from memory.keys import PlaceKey
from memory.turns import LONGEST_LEASE


async def find_waiting(tx: Transaction, *, platform: str, said_before: int) -> list[str]:
    """Conversations of a platform in whose place a message waits and no turn is open.

    Who has waited longest comes first.
    """
    rows = await tx.fetch(
        """
        SELECT m.conversation FROM messages m
        JOIN conversations c ON c.id = m.conversation
        WHERE m.state = 'waiting' AND m.said_at < :said_before AND c.platform = :platform
          AND NOT EXISTS (SELECT 1 FROM turns t
            WHERE t.place = c.place AND t.state IN ('running', 'sending'))
        GROUP BY m.conversation ORDER BY min(m.said_at)
        """,
        platform=platform,
        said_before=said_before,
    )
    return [row["conversation"] for row in rows]


async def find_message(tx: Transaction, remote_id: str) -> list[str]:
    """Conversations in which a message with this id waits."""
    rows = await tx.fetch(
        "SELECT conversation FROM messages WHERE remote_id = :remote_id AND state = 'waiting'",
        remote_id=remote_id,
    )
    return [row["conversation"] for row in rows]


Next = Literal["waiting", "abandoned"]


async def look(tx: Transaction, conversation: str) -> Next | None:
    """What is to be done in the conversation's place: nothing while somebody works there."""
    rows = await tx.fetch(
        """
        SELECT t.lease_until,
          EXISTS (SELECT 1 FROM messages m JOIN conversations o ON o.id = m.conversation
            WHERE o.place = c.place AND m.state = 'waiting') AS waits
        FROM conversations c
        LEFT JOIN turns t ON t.place = c.place AND t.state IN ('running', 'sending')
        WHERE c.id = :conversation
        """,
        conversation=conversation,
    )
    if not rows:
        return None
    lease_until, waits = rows[0]["lease_until"], rows[0]["waits"]
    if lease_until is None:
        return "waiting" if waits else None
    now = await tx.now()
    return None if now <= lease_until <= now + LONGEST_LEASE else "abandoned"


async def find_answered(
    tx: Transaction, place: PlaceKey, remote_id: str, *, turn: str
) -> PlaceKey | None:
    """The place of an answer, which may not be recorded yet: then by its turn."""
    found = await deliveries.find_place(tx, place.platform, place.workspace, remote_id)
    return found or await turns.find_place(tx, turn)
