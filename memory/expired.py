"""What goes because its time is over: conversations and notes past their window, digests, sums
of use."""

from __future__ import annotations

from dataclasses import dataclass

from memory import conversations, unnoted, usage
from memory.database import Transaction
from memory.keys import SEEN_KEPT
from memory.workspaces import DAY


@dataclass(frozen=True, slots=True)
class Expired:
    """A conversation past its window, with what `find_expired` goes on after."""

    id: str
    active_at: int
    workspace: str


async def find_expired(
    tx: Transaction, *, now: int, days: int, limit: int, after: Expired | None = None
) -> list[Expired]:
    """Conversations past the window of their workspace, or of `days`, that nobody is about to
    answer, the oldest first."""
    rows = await tx.fetch(
        f"""
        SELECT c.id, c.active_at, c.platform, c.workspace FROM conversations c
        LEFT JOIN workspaces w ON w.platform = c.platform AND w.workspace = c.workspace
        WHERE c.active_at < :now - :day * {_SHORTEST}
          AND c.active_at < :now - :day * COALESCE(w.retention_days, :days)
          AND c.active_at >= :after_at AND (c.active_at > :after_at OR c.id > :after)
          AND NOT EXISTS (SELECT 1 FROM turns t
            WHERE t.conversation = c.id AND t.state IN ('running', 'sending'))
          AND NOT EXISTS (SELECT 1 FROM messages m
            WHERE m.conversation = c.id AND m.state = 'waiting')
        ORDER BY c.active_at, c.id LIMIT :limit
        """,  # noqa: S608 - a text of ours
        now=now,
        day=DAY,
        days=days,
        after=after.id if after else "",
        after_at=after.active_at if after else 0,
        limit=limit,
    )
    return [
        Expired(row["id"], row["active_at"], f"{row['platform']}:{row['workspace']}")
        for row in rows
    ]


# So that the index on `active_at` is read no further than something may be past its window.
_SHORTEST = """COALESCE((SELECT min(retention_days) FROM workspaces
            WHERE retention_days < :days), :days)"""


async def purge(tx: Transaction, conversation: str, *, now: int, days: int) -> bool:
    """Delete one conversation past its window, unless somebody is about to answer. What is known
    from it stays, as long as that is used."""
    await conversations.lock(tx, conversation)
    due = await tx.fetch(
        """
        SELECT 1 FROM conversations WHERE id = :id AND active_at < :now - :day * COALESCE(
            (SELECT w.retention_days FROM workspaces w
              WHERE w.platform = conversations.platform
                AND w.workspace = conversations.workspace), :days)
          AND NOT EXISTS (SELECT 1 FROM turns t
            WHERE t.conversation = :id AND t.state IN ('running', 'sending'))
          AND NOT EXISTS (SELECT 1 FROM messages m
            WHERE m.conversation = :id AND m.state = 'waiting')
        """,
        id=conversation,
        now=now,
        day=DAY,
        days=days,
    )
    if not due:
        return False
    await unnoted.outlive(tx, conversation)
    return await tx.execute("DELETE FROM conversations WHERE id = :id", id=conversation) > 0


async def sweep_notes(tx: Transaction, *, now: int, days: int) -> int:
    """Delete the notes that nobody has used for the window of their workspace, or `days`; how many
    went. What tells that a note was deleted goes with its conversation."""
    return await tx.execute(
        f"""
        DELETE FROM notes WHERE (text <> '' OR conversation IS NULL)
          AND used_at < :now - :day * {_SHORTEST}
          AND used_at < :now - :day * COALESCE(
            (SELECT w.retention_days FROM workspaces w
              WHERE w.platform = notes.platform AND w.workspace = notes.workspace), :days)
        """,  # noqa: S608 - a text of ours
        now=now,
        day=DAY,
        days=days,
    )


async def sweep_digests(tx: Transaction, *, longest: int = 0) -> None:
    """Delete digests of messages, watermarks and sums of use whose time is over. `longest` is the
    longest window in days: one that became longer since keeps the watermarks."""
    now = await tx.now()
    await tx.execute("DELETE FROM seen WHERE seen_at < :before", before=now - SEEN_KEPT)
    await tx.execute(
        "DELETE FROM forgotten WHERE expires_at < :now AND said_before < :oldest",
        now=now,
        oldest=now - longest * DAY,
    )
    await usage.sweep(tx)
