"""Queries on conversations: the current one of a place, its row lock, its window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from uuid import uuid4

from memory.database import Row, Transaction
from memory.errors import UnknownConversationError
from memory.keys import PersonKey, PlaceKey, Surface


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation's row, as far as others ask for it; times in UTC milliseconds."""

    id: str
    place: PlaceKey
    is_current: bool
    surface: Surface
    owner: PersonKey
    parent: str
    created_at: int
    active_at: int
    window_from: int
    revision: int


async def get(tx: Transaction, conversation: str) -> Conversation:
    """Raise UnknownConversationError."""
    rows = await tx.fetch("SELECT * FROM conversations WHERE id = :id", id=conversation)
    if not rows:
        raise UnknownConversationError(conversation)
    return _conversation(rows[0])


async def find_current(tx: Transaction, place: PlaceKey) -> str | None:
    rows = await tx.fetch(
        "SELECT id FROM conversations WHERE place = :place AND is_current = 1", place=str(place)
    )
    return rows[0]["id"] if rows else None


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a conversation has come; `outcome` is the newest turn's, None while it is open."""

    turns: int
    outcome: str | None


async def read_standing(tx: Transaction, conversation: str) -> Standing:
    rows = await tx.fetch(
        """
        SELECT count(*) AS turns, (SELECT t.outcome FROM turns t
            WHERE t.conversation = :id ORDER BY t.number DESC LIMIT 1) AS outcome
        FROM turns WHERE conversation = :id
        """,
        id=conversation,
    )
    return Standing(rows[0]["turns"], rows[0]["outcome"])


async def drop_if_empty(tx: Transaction, conversation: str) -> bool:
    """Delete a conversation in which nothing was ever said."""
    dropped = await tx.execute(
        """
        DELETE FROM conversations WHERE id = :id
          AND NOT EXISTS (SELECT 1 FROM messages WHERE conversation = :id)
        """,
        id=conversation,
    )
    return dropped > 0


async def insert_current(
    tx: Transaction,
    place: PlaceKey,
    *,
    surface: Surface,
    owner: PersonKey,
    now: int,
    parent: str = "",
    called_in: Literal[0, 1] = 0,
    muted: int = 0,
) -> str | None:
    """A new current conversation, or None when the place has one already."""
    rows = await tx.fetch(
        """
        INSERT INTO conversations (id, place, platform, workspace, channel, parent, thread,
          surface, owner, muted, created_at, active_at, called_in)
        VALUES (:id, :place, :platform, :workspace, :channel, :parent, :thread,
          :surface, :owner, :muted, :now, :now, :called_in)
        ON CONFLICT (place) WHERE is_current = 1 DO NOTHING
        RETURNING id
        """,
        id=uuid4().hex,
        place=str(place),
        platform=place.platform,
        workspace=place.workspace,
        channel=place.channel,
        parent=parent,
        thread=place.thread,
        surface=surface,
        owner=str(owner),
        muted=muted,
        now=now,
        called_in=called_in,
    )
    return rows[0]["id"] if rows else None


async def start_new(tx: Transaction, place: PlaceKey, *, surface: Surface, owner: PersonKey) -> str:
    """Make another conversation current; what waits in the old one ends there.

    It is `called_in` at once: what was said before belongs to the old one. The place stays muted.
    """
    old = await tx.fetch(
        """
        UPDATE conversations SET is_current = 0, next_position = next_position + 1
        WHERE place = :place AND is_current = 1 RETURNING muted, parent
        """,
        place=str(place),
    )
    kept = {name: old[0][name] for name in ("muted", "parent")} if old else {}
    new = await insert_current(
        tx, place, surface=surface, owner=owner, now=await tx.now(), called_in=1, **kept
    )
    if new is None:  # another `new` was faster; its conversation is as new
        new = await find_current(tx, place)
    assert new is not None  # noqa: S101 - one of the two inserts won
    return new


async def touch(tx: Transaction, conversation: str) -> None:
    """Somebody came back to it: retention counts from now."""
    await tx.execute(
        "UPDATE conversations SET active_at = :now WHERE id = :id",
        id=conversation,
        now=await tx.now(),
    )


async def mute(tx: Transaction, place: PlaceKey, *, muted: bool, said_at: int) -> bool:
    """Mute the place's current conversation, or no more; False: there is none. What was said
    before is not read back."""
    changed = await tx.execute(
        """
        UPDATE conversations SET muted = :muted, next_position = next_position + 1,
          read_to = CASE WHEN read_to < :read_to THEN :read_to ELSE read_to END
        WHERE place = :place AND is_current = 1
        """,
        muted=int(muted),
        read_to=read_to(said_at),
        place=str(place),
    )
    return changed > 0


def read_to(said_at: int) -> str:
    """How `conversations.read_to` tells that what was said until then (UTC ms) is known: as text
    that sorts by time."""
    return f"{said_at:015}"


async def lock(tx: Transaction, conversation: str, *, positions: int = 1) -> int | None:
    """Lock the row and reserve `positions` message positions: the first, or None: it is gone.

    Every transaction on a conversation does this before it touches turns; the other order
    deadlocks on PostgreSQL, and a forget would be the victim.
    """
    rows = await tx.fetch(
        """
        UPDATE conversations SET next_position = next_position + :positions
        WHERE id = :id RETURNING next_position
        """,
        id=conversation,
        positions=positions,
    )
    return rows[0]["next_position"] - positions if rows else None


def _conversation(row: Row) -> Conversation:
    return Conversation(
        id=row["id"],
        place=PlaceKey.parse(row["place"]),
        is_current=bool(row["is_current"]),
        surface=row["surface"],
        owner=PersonKey.parse(row["owner"]),
        parent=row["parent"],
        created_at=row["created_at"],
        active_at=row["active_at"],
        window_from=row["window_from"],
        revision=row["revision"],
    )
