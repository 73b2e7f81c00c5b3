"""What is known of a conversation when somebody speaks there without a word to us."""

from __future__ import annotations

from dataclasses import dataclass

from memory.database import Transaction
from memory.keys import PersonKey, PlaceKey


@dataclass(frozen=True, slots=True)
class Standing:
    """`knows_author`: we have answered them there, or are about to. `others_since`: somebody else
    has written since our last answer."""

    muted: bool
    knows_author: bool
    others_since: bool


async def read_standing(tx: Transaction, conversation: str, author: PersonKey) -> Standing:
    """Only the newest turns are looked at: a turn more costs nothing.

    Of an open turn, the author's own counts as an answer from its beginning, since what they say
    more belongs to it; somebody else's has not been answered yet.
    """
    rows = await tx.fetch(
        """
        SELECT c.muted,
          EXISTS (SELECT 1 FROM (SELECT asker FROM turns WHERE conversation = :conversation
              ORDER BY number DESC LIMIT 50) AS newest WHERE newest.asker = :author)
            OR EXISTS (SELECT 1 FROM messages m WHERE m.conversation = :conversation
              AND m.state = 'waiting' AND m.author = :author) AS knows_author,
          EXISTS (SELECT 1 FROM participants p WHERE p.conversation = :conversation
            AND p.person <> :author AND p.last_at > COALESCE((
              SELECT MAX(COALESCE(newest.ended_at,
                CASE WHEN newest.asker = :author THEN newest.started_at END))
              FROM (SELECT asker, started_at, ended_at FROM turns
                WHERE conversation = :conversation ORDER BY number DESC LIMIT 2) AS newest
            ), c.created_at)) AS others_since
        FROM conversations c WHERE c.id = :conversation
        """,
        conversation=conversation,
        author=str(author),
    )
    row = rows[0]
    return Standing(bool(row["muted"]), bool(row["knows_author"]), bool(row["others_since"]))


async def is_overheard(tx: Transaction, place: PlaceKey) -> bool:
    """Whether what is said in the place and not to us can matter: a look before any write."""
    return bool(
        await tx.fetch(
            "SELECT 1 FROM conversations WHERE place = :place AND is_current = 1 AND muted = 0",
            place=str(place),
        )
    )
