"""Messages that wait for an answer: written down once, in the platform's order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from memory import conversations, follow, observed, people, usage
from memory.database import Transaction
from memory.errors import NotForUsError, SaidBeforeForgetError
from memory.follow import Standing
from memory.keys import Digests, PersonKey, PlaceKey, Surface
from memory.messages import Message, encode
from memory.usage import UNLIMITED, Allowance, Refused
from memory.workspaces import Windows

MOST_WAITING = 20
"""So many messages may wait in a conversation."""

Verdict = Literal["waiting", "observed", "noted", "ignored"]
"""What a message is that may not be for us; `noted`: only that its author wrote is kept."""

_WEEK = 7 * 24 * 3_600_000  # ms
_TRIES = 5  # a conversation can be forgotten between look-up and lock; more often is a defect


@dataclass(frozen=True, slots=True)
class Arrival:
    """One message as it is stored. `address` is JSON; `edited_at` when it was changed since."""

    place: PlaceKey
    surface: Surface
    author: PersonKey
    author_name: str
    message_id: str
    sent_order: str
    said_at: int
    address: str
    message: Message
    edited_at: int | None = None
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Accepted:
    """Where the message is; `changed`: the open turn of its author is to begin anew. One that is
    `too_many`, or `refused` because its author has used up what they may, is not stored."""

    conversation: str
    changed: bool = False
    how: Literal["waiting", "observed", "noted", "too_many", "refused"] = "waiting"
    refused: Refused | None = None


async def accept(
    tx: Transaction,
    arrival: Arrival,
    digests: Digests,
    judge: Callable[[Standing], Verdict] | None = None,
    *,
    windows: Windows | None = None,
    allowance: Allowance = UNLIMITED,
) -> Accepted | None:
    """Write the message down; None: it was said before.

    Without `judge` it is said to us. With it, it was overheard, and NotForUsError is raised, to be
    rolled back, when nothing is to be stored.
    Raise SaidBeforeForgetError when the place or its author was forgotten after it was said, and
    when it is too old for the place's window.
    """
    now = await tx.now()
    if windows and await windows.is_too_old(tx, arrival.place, now - arrival.said_at):
        raise SaidBeforeForgetError
    seen = digests.said(arrival.place, arrival.message_id)
    if not await mark(tx, seen):
        return None
    locked = await _lock_current(tx, arrival, now, is_addressed=judge is None)
    conversation = locked.conversation
    # After the lock: on PostgreSQL an earlier look may miss a forget that commits meanwhile.
    if await is_forgotten(tx, arrival.place, arrival.author, digests, said_at=arrival.said_at):
        raise SaidBeforeForgetError
    verdict: Verdict = "waiting"
    if judge is not None:
        verdict = judge(await follow.read_standing(tx, conversation, arrival.author))
    if verdict == "ignored":
        raise NotForUsError
    refused = verdict == "waiting" and await _turn_away(
        tx, locked, digests.payer(arrival.author), allowance
    )
    if refused:
        return refused
    await _store(tx, arrival, conversation, locked.position, seen=seen, verdict=verdict)
    await people.take_part(
        tx, conversation, person=arrival.author, name=arrival.author_name, now=now
    )
    if verdict != "waiting":
        return Accepted(conversation, how=verdict)
    return Accepted(conversation, await _wish_to_begin_anew(tx, arrival, conversation))


async def was_said(tx: Transaction, key: str) -> bool:
    """Whether there is a mark under this digest."""
    return bool(await tx.fetch("SELECT 1 FROM seen WHERE key = :key", key=key))


async def mark(tx: Transaction, key: str) -> bool:
    """Leave a mark that a message was told of; False: it was before."""
    rows = await tx.fetch(
        """
        INSERT INTO seen (key, seen_at) VALUES (:key, :now)
        ON CONFLICT (key) DO NOTHING RETURNING key
        """,
        key=key,
        now=await tx.now(),
    )
    return bool(rows)


async def tell_once(tx: Transaction, key: str) -> bool:
    """Leave a mark that something was told; False: it was, within the last week."""
    now = await tx.now()
    rows = await tx.fetch(
        """
        INSERT INTO seen (key, seen_at) VALUES (:key, :now)
        ON CONFLICT (key) DO UPDATE SET seen_at = excluded.seen_at
        WHERE seen.seen_at < :week_ago RETURNING key
        """,
        key=key,
        now=now,
        week_ago=now - _WEEK,
    )
    return bool(rows)


async def was_forgotten(tx: Transaction, key: str) -> bool:
    """Whether there is a watermark under this digest."""
    return bool(await tx.fetch("SELECT 1 FROM forgotten WHERE key = :key", key=key))


class _Locked(NamedTuple):
    conversation: str
    position: int
    waiting: int
    is_new: bool


async def _lock_current(
    tx: Transaction, arrival: Arrival, now: int, *, is_addressed: bool
) -> _Locked:
    for _ in range(_TRIES):
        found = await conversations.find_current(tx, arrival.place)
        if found is None and not is_addressed:
            raise NotForUsError
        conversation = found or await conversations.insert_current(
            tx,
            arrival.place,
            surface=arrival.surface,
            owner=arrival.author,
            parent=arrival.parent,
            now=now,
        )
        if conversation is None:
            continue
        rows = await tx.fetch(
            """
            UPDATE conversations SET next_position = next_position + 1, active_at = :now,
              read_to = CASE WHEN read_to < :read_to THEN :read_to ELSE read_to END,
              parent = CASE WHEN :parent = '' THEN parent ELSE :parent END
            WHERE id = :id AND is_current = 1
            RETURNING next_position, (SELECT count(*) FROM messages
              WHERE conversation = :id AND state = 'waiting') AS waiting
            """,
            id=conversation,
            parent=arrival.parent,
            read_to=conversations.read_to(arrival.said_at),
            now=now,
        )
        if rows:
            position, waiting = rows[0]["next_position"] - 1, rows[0]["waiting"]
            return _Locked(conversation, position, waiting, is_new=found is None)
    raise RuntimeError("a place lost its current conversation again and again")


async def _turn_away(
    tx: Transaction, locked: _Locked, subject: str, allowance: Allowance
) -> Accepted | None:
    """Not stored: its author has used up what they may, or too much waits already."""
    refused = await usage.admit(tx, subject, allowance)
    if refused is not None:
        if locked.is_new:
            await conversations.drop_if_empty(tx, locked.conversation)
        return Accepted(locked.conversation, how="refused", refused=refused)
    if locked.waiting >= MOST_WAITING:
        return Accepted(locked.conversation, how="too_many")
    return None


async def is_forgotten(
    tx: Transaction, place: PlaceKey, author: PersonKey, digests: Digests, *, said_at: int
) -> bool:
    """Whether the place, its author, or its author there was forgotten after it was said."""
    rows = await tx.fetch(
        """
        SELECT 1 FROM forgotten
        WHERE key IN (:place, :person, :person_in_place) AND said_before > :said_at
        """,
        place=digests.place(place),
        person=digests.person(author),
        person_in_place=digests.person_in_place(author, place),
        said_at=said_at,
    )
    return bool(rows)


async def _store(
    tx: Transaction,
    arrival: Arrival,
    conversation: str,
    position: int,
    *,
    seen: str,
    verdict: Literal["waiting", "observed", "noted"],
) -> None:
    match verdict:
        case "waiting":
            await _insert(tx, arrival, conversation, position)
        case "observed":
            shortened = replace(arrival, message=observed.shorten(arrival.message), address="")
            await _insert(tx, shortened, conversation, position, state="observed")
            await observed.trim(tx, conversation)
        case _:  # noted; the same message may be edited to be for us
            await tx.execute("DELETE FROM seen WHERE key = :key", key=seen)


async def _insert(
    tx: Transaction,
    arrival: Arrival,
    conversation: str,
    position: int,
    *,
    state: Literal["waiting", "observed"] = "waiting",
) -> None:
    """A message whose `seen` was cleaned away is still not doubled: its remote id is unique.
    What was called in before it was told of becomes a question all the same, in the words that an
    edit has given it meanwhile."""
    await tx.execute(
        """
        INSERT INTO messages (conversation, position, role, state, remote_id, sent_order,
          author, author_name, said_at, edited_at, address, content)
        VALUES (:conversation, :position, 'user', :state, :remote_id, :sent_order,
          :author, :author_name, :said_at, :edited_at, :address, :content)
        ON CONFLICT (remote_id, conversation) WHERE remote_id IS NOT NULL DO UPDATE
        SET state = 'waiting', turn = NULL, address = excluded.address,
          content = CASE WHEN COALESCE(messages.edited_at, 0) > COALESCE(excluded.edited_at, 0)
            THEN messages.content ELSE excluded.content END,
          edited_at = COALESCE(messages.edited_at, excluded.edited_at)
        WHERE messages.state = 'observed' AND excluded.state = 'waiting'
        """,
        conversation=conversation,
        position=position,
        state=state,
        edited_at=arrival.edited_at,
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
