"""What nobody listened to: conversations whose places are to be read, and from when on."""

from __future__ import annotations

from dataclasses import dataclass

from memory.conversations import read_to
from memory.database import Transaction
from memory.installation import was_restored
from memory.keys import PlaceKey

MOST = 50
"""Conversations that are caught up with, of each platform: the newest."""

_DAY = 24 * 3_600_000  # ms; what rests longer is left


@dataclass(frozen=True, slots=True)
class Behind:
    """A conversation in whose place something may have been said since `said_after` (UTC ms);
    `address` is that of a message there."""

    id: str
    place: PlaceKey
    said_after: int
    address: str


async def note(tx: Transaction, platform: str, *, since: int | None = None) -> None:
    """All that is said on the platform since then may have been missed; without a time, all since
    the newest message that is known of each place. What is noted already stays."""
    missed_from = """
        CASE WHEN behind_from IS NOT NULL THEN behind_from
          WHEN read_to = '' THEN active_at ELSE CAST(read_to AS BIGINT) END"""
    if since is not None:
        missed_from = "CASE WHEN behind_from < :since THEN behind_from ELSE :since END"
    await tx.execute(
        f"""
        UPDATE conversations SET behind_from = {missed_from}
        WHERE id IN (SELECT id FROM conversations
          WHERE platform = :platform AND is_current = 1 AND active_at > :active_after
          ORDER BY active_at DESC LIMIT :most)
        """,  # noqa: S608 - a text of ours
        platform=platform,
        active_after=await tx.now() - _DAY,
        most=MOST,
        **({} if since is None else {"since": since}),
    )


async def find(tx: Transaction, platform: str) -> list[Behind]:
    """The newest first, where somebody has spoken to us."""
    now = await tx.now()
    rows = await tx.fetch(
        """
        SELECT c.id, c.place, c.behind_from, COALESCE(
            (SELECT t.address FROM conversations o JOIN turns t ON t.conversation = o.id
                AND t.number = (SELECT max(newest.number) FROM turns newest
                  WHERE newest.conversation = o.id)
              WHERE o.place = c.place ORDER BY t.started_at DESC LIMIT 1),
            (SELECT m.address FROM messages m
              WHERE m.conversation = c.id AND m.state = 'waiting' LIMIT 1)) AS address
        FROM conversations c
        WHERE c.platform = :platform AND c.behind_from IS NOT NULL AND c.is_current = 1
          AND c.active_at > :active_after
        ORDER BY c.active_at DESC, c.id LIMIT :most
        """,
        platform=platform,
        active_after=now - _DAY,
        most=MOST,
    )
    return [
        Behind(
            id=row["id"],
            place=PlaceKey.parse(row["place"]),
            said_after=max(row["behind_from"], now - _DAY),
            address=row["address"],
        )
        for row in rows
        if row["address"] is not None
    ]


async def caught_up(tx: Transaction, conversation: str, *, said_after: int) -> None:
    """It was read since then; unless still more was missed meanwhile."""
    await tx.execute(
        """
        UPDATE conversations SET behind_from = NULL
        WHERE id = :id AND behind_from >= :said_after
        """,
        id=conversation,
        said_after=said_after,
    )


async def begin_afresh(tx: Transaction) -> bool:
    """Whether this is a copy that was put in the place of what it was made of: then what was said
    until now is taken for read. Says so once."""
    if not await was_restored(tx):
        return False
    await tx.execute(
        "UPDATE conversations SET behind_from = NULL, read_to = :now WHERE read_to < :now",
        now=read_to(await tx.now()),
    )
    return True
