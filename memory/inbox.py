"""Messages that wait for an answer: written down once, in the platform's order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memory import conversations, people
from memory.database import Transaction
from memory.errors import SaidBeforeForgetError
from memory.keys import Digests, PersonKey, PlaceKey, Surface
from memory.messages import Message, encode

_TRIES = 5  # a conversation can be forgotten between look-up and lock; more often is a defect


@dataclass(frozen=True, slots=True)
class Arrival:
    """One addressed message as it is stored. `address` is JSON."""

    place: PlaceKey
    surface: Surface
    author: PersonKey
    author_name: str
    message_id: str
    sent_order: str
    said_at: int
    address: str
    message: Message


@dataclass(frozen=True, slots=True)
class Accepted:
    """Where the message waits; `changed`: the open turn of its author is to begin anew."""

    conversation: str
    changed: bool


async def accept(tx: Transaction, arrival: Arrival, digests: Digests) -> Accepted | None:
    """Write the message down; None: it was said before.

    Raise SaidBeforeForgetError when the place or its author was forgotten after it was said.
    """
    now = await tx.now()
    seen = digests.said(arrival.place, arrival.message_id)
    if not await _is_new(tx, seen, now):
        return None
    conversation, position = await _lock_current(tx, arrival, now)
    # After the lock: on PostgreSQL an earlier look may miss a forget that commits meanwhile.
    if await _is_forgotten(tx, arrival, digests):
        raise SaidBeforeForgetError
    await _insert(tx, arrival, conversation, position)
    await people.take_part(
        tx, conversation, person=arrival.author, name=arrival.author_name, now=now
    )
    return Accepted(conversation, await _wish_to_begin_anew(tx, arrival, conversation))


async def was_forgotten(tx: Transaction, key: str) -> bool:
    """Whether there is a watermark under this digest."""
    return bool(await tx.fetch("SELECT 1 FROM forgotten WHERE key = :key", key=key))


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
    return "abandoned" if lease_until < await tx.now() else None


async def _is_new(tx: Transaction, key: str, now: int) -> bool:
    rows = await tx.fetch(
        """
        INSERT INTO seen (key, seen_at) VALUES (:key, :now)
        ON CONFLICT (key) DO NOTHING RETURNING key
        """,
        key=key,
        now=now,
    )
    return bool(rows)


async def _lock_current(tx: Transaction, arrival: Arrival, now: int) -> tuple[str, int]:
    for _ in range(_TRIES):
        conversation = await conversations.find_current(
            tx, arrival.place
        ) or await conversations.insert_current(
            tx, arrival.place, surface=arrival.surface, owner=arrival.author, now=now
        )
        if conversation is None:
            continue
        rows = await tx.fetch(
            """
            UPDATE conversations SET next_position = next_position + 1, active_at = :now
            WHERE id = :id AND is_current = 1 RETURNING next_position
            """,
            id=conversation,
            now=now,
        )
        if rows:
            return conversation, rows[0]["next_position"] - 1
    raise RuntimeError("a place lost its current conversation again and again")


async def _is_forgotten(tx: Transaction, arrival: Arrival, digests: Digests) -> bool:
    rows = await tx.fetch(
        """
        SELECT 1 FROM forgotten
        WHERE key IN (:place, :person, :person_in_place) AND said_before > :said_at
        """,
        place=digests.place(arrival.place),
        person=digests.person(arrival.author),
        person_in_place=digests.person_in_place(arrival.author, arrival.place),
        said_at=arrival.said_at,
    )
    return bool(rows)


async def _insert(tx: Transaction, arrival: Arrival, conversation: str, position: int) -> None:
    """A message whose `seen` was cleaned away is still not doubled: its remote id is unique."""
    await tx.execute(
        """
        INSERT INTO messages (conversation, position, role, state, remote_id, sent_order,
          author, author_name, said_at, address, content)
        VALUES (:conversation, :position, 'user', 'waiting', :remote_id, :sent_order,
          :author, :author_name, :said_at, :address, :content)
        ON CONFLICT (remote_id, conversation) WHERE remote_id IS NOT NULL DO NOTHING
        """,
        conversation=conversation,
        position=position,
        remote_id=arrival.message_id,
        sent_order=arrival.sent_order,
        author=str(arrival.author),
        author_name=arrival.author_name,
        said_at=arrival.said_at,
        address=arrival.address,
        content=encode(arrival.message),
    )


async def _wish_to_begin_anew(tx: Transaction, arrival: Arrival, conversation: str) -> bool:
    """A second quick message of the asker: the turn begins anew with both, if its worker agrees.

    A wish to stop is never overwritten, and nobody who wrote in between is passed over. The open
    turn is found by the index `turns_open`, which SQLite uses only for its very condition.
    """
    rows = await tx.fetch(
        """
        UPDATE turns SET stop = 'changed'
        WHERE place = :place AND conversation = :conversation
          AND state IN ('running', 'sending') AND state = 'running'
          AND asker = :author AND stop IS NULL
          AND NOT EXISTS (SELECT 1 FROM messages m JOIN conversations c ON c.id = m.conversation
            WHERE c.place = :place AND m.state = 'waiting'
              AND m.author <> :author AND m.sent_order < :sent_order)
        RETURNING id
        """,
        conversation=conversation,
        author=str(arrival.author),
        place=str(arrival.place),
        sent_order=arrival.sent_order,
    )
    return bool(rows)
