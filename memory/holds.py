"""Who holds an open turn: the lease, the take-over, and the wishes of others."""

from __future__ import annotations

from memory import conversations
from memory.database import Transaction
from memory.errors import Superseded
from memory.keys import PlaceKey
from memory.turns import LONGEST_LEASE, WISH, Stop, Turn, superseded, turn_of


async def renew(tx: Transaction, turn: Turn, *, lease: int) -> Stop | None:
    """Hold the turn for another `lease` ms by the database's clock; the wish of somebody else.

    One statement, and on turns alone: it may not wait for a row lock behind others.
    """
    rows = await tx.fetch(
        f"""
        UPDATE turns SET lease_until = :until
        WHERE id = :id AND fence = :fence AND state IN ('running', 'sending')
        RETURNING {WISH} AS wish
        """,  # noqa: S608 - a text of ours
        until=await tx.now() + lease,
        id=turn.id,
        fence=turn.fence,
    )
    if not rows:
        raise await superseded(tx, turn)
    wish: Stop | None = rows[0]["wish"]
    return wish


async def take_over(tx: Transaction, conversation: str, *, worker: str, lease: int) -> Turn | None:
    """Take the open turn of the conversation's place when its lease is over."""
    now = await tx.now()
    rows = await tx.fetch(
        """
        UPDATE turns SET fence = fence + 1, attempts = attempts + 1, worker = :worker,
          lease_until = :until
        WHERE place = (SELECT place FROM conversations WHERE id = :conversation)
          AND state IN ('running', 'sending') AND lease_until NOT BETWEEN :now AND :latest
        RETURNING *
        """,
        worker=worker,
        until=now + lease,
        conversation=conversation,
        now=now,
        latest=now + LONGEST_LEASE,
    )
    return turn_of(rows[0]) if rows else None


async def end_leases(tx: Transaction, *, workers: str) -> int:
    """End the leases of workers that are proved dead: those whose name begins so."""
    return await tx.execute(
        """
        UPDATE turns SET lease_until = 0
        WHERE state IN ('running', 'sending') AND substr(worker, 1, :length) = :workers
        """,
        length=len(workers),
        workers=workers,
    )


async def find_abandoned(tx: Transaction, *, platform: str, started_before: int) -> list[str]:
    """Conversations of a platform whose open turn's lease is over, the oldest first."""
    now = await tx.now()
    rows = await tx.fetch(
        """
        SELECT t.conversation FROM turns t JOIN conversations c ON c.id = t.conversation
        WHERE t.state IN ('running', 'sending') AND t.lease_until NOT BETWEEN :now AND :latest
          AND t.started_at < :started_before AND c.platform = :platform
        ORDER BY t.started_at
        """,
        now=now,
        latest=now + LONGEST_LEASE,
        started_before=started_before,
        platform=platform,
    )
    return [row["conversation"] for row in rows]


async def lease_left(tx: Transaction, place: PlaceKey) -> int:
    """Milliseconds for which somebody may still be working on the place's open turn."""
    rows = await tx.fetch(
        """
        SELECT lease_until FROM turns
        WHERE place = :place AND state IN ('running', 'sending')
        """,
        place=str(place),
    )
    return max(0, rows[0]["lease_until"] - await tx.now()) if rows else 0


async def wish_to_stop(tx: Transaction, place: PlaceKey) -> str | None:
    """Wish that the place's running turn ends; its conversation, or None: nothing runs."""
    rows = await tx.fetch(
        """
        SELECT conversation FROM turns
        WHERE place = :place AND state IN ('running', 'sending') AND state = 'running'
        """,  # both conditions: the index `turns_open` is used only for its very own
        place=str(place),
    )
    if not rows:
        return None
    conversation: str = rows[0]["conversation"]
    await conversations.lock(tx, conversation)
    stopped = await tx.execute(
        """
        UPDATE turns SET stop = 'stopped'
        WHERE place = :place AND conversation = :conversation
          AND state IN ('running', 'sending') AND state = 'running'
        """,
        place=str(place),
        conversation=conversation,
    )
    return conversation if stopped else None


async def clear_changed(tx: Transaction, turn: Turn) -> None:
    """Too late to begin anew: the asker's new message waits for a turn of its own."""
    if await conversations.lock(tx, turn.conversation) is None:
        raise Superseded("erased")
    await tx.execute(
        "UPDATE turns SET stop = NULL WHERE id = :id AND fence = :fence AND stop = 'changed'",
        id=turn.id,
        fence=turn.fence,
    )
