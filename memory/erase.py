"""Everything that deletes what people said; `erase_rules` has the rule of every table."""

from __future__ import annotations

from dataclasses import dataclass

from memory import conversations, people, usage
from memory.database import Row, Transaction
from memory.errors import UnknownConversationError
from memory.forgettable import BEGAN_BEFORE
from memory.keys import Digests, PersonKey, PlaceKey
from memory.marks import OpenTurn, read_open_turn, set_watermark

FORGOTTEN_KEPT = 400 * 24 * 3_600_000
"""Milliseconds for which a watermark stands at least; the longest retention window when that is
longer."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What went. `moved_to` is the conversation of what was said after the command."""

    place: PlaceKey
    turns: int
    messages: int
    open_turn: OpenTurn | None
    moved_to: str | None


async def begin_forgetting(
    tx: Transaction,
    place: PlaceKey,
    *,
    digests: Digests,
    said_before: int,
    kept: int,
    owner: PersonKey | None = None,
) -> list[str]:
    """Accept nothing more that was said in the place before the command; the conversations that
    are to go, of all or of one owner, the current one first.

    A platform may tell of the command twice: what began after it is not forgotten with it.
    """
    await set_watermark(
        tx, digests.place(place), said_before=said_before, expires_at=await tx.now() + kept
    )
    rows = await tx.fetch(
        f"""
        SELECT c.id FROM conversations c
        WHERE c.place = :place AND (:owner = '' OR c.owner = :owner) AND {BEGAN_BEFORE}
        ORDER BY c.is_current DESC, c.created_at
        """,  # noqa: S608 - a text of ours
        place=str(place),
        owner=str(owner or ""),
        said_before=said_before,
    )
    return [row["id"] for row in rows]


async def forget_conversation(
    tx: Transaction, conversation: str, *, digests: Digests, said_before: int, kept: int
) -> Forgotten:
    """Delete the conversation; the cascade does the rest, the late writer is refused.

    `said_before` is the platform's time of the command: nothing said earlier is accepted again in
    this place, for `kept` ms. What waits and was said at or after it moves to a fresh conversation.
    Raise UnknownConversationError.
    """
    if await conversations.lock(tx, conversation) is None:
        raise UnknownConversationError(conversation)
    found = await conversations.get(tx, conversation)
    now = await tx.now()
    said_before = await set_watermark(
        tx, digests.place(found.place), said_before=said_before, expires_at=now + kept
    )
    open_turn = await read_open_turn(tx, conversation, now)
    later = await _read_later(tx, conversation, said_before)
    gone = await _count(tx, conversation)
    await tx.execute("DELETE FROM conversations WHERE id = :id", id=conversation)
    moved_to = await _move(tx, found, later, now) if later else None
    if open_turn is not None and open_turn.tokens:
        await usage.add(tx, digests.payer(open_turn.asker), open_turn.tokens)
    return Forgotten(found.place, gone["turns"], gone["messages"] - len(later), open_turn, moved_to)


async def _read_later(tx: Transaction, conversation: str, said_before: int) -> list[Row]:
    """Said at or after the command, and not yet answered: waiting, or of a running turn that has
    no stored step; with what was overheard since, which is nothing by itself."""
    rows = await tx.fetch(
        """
        SELECT m.* FROM messages m
        LEFT JOIN turns t ON t.conversation = m.conversation AND t.number = m.turn
        WHERE m.conversation = :conversation AND m.role = 'user' AND m.said_at >= :said_before
          AND (m.state = 'waiting' OR (t.state = 'running' AND t.steps = 0)
            OR (m.state = 'observed' AND m.turn IS NULL))
        ORDER BY m.sent_order, m.position
        """,
        conversation=conversation,
        said_before=said_before,
    )
    return rows if any(row["state"] != "observed" for row in rows) else []


async def _count(tx: Transaction, conversation: str) -> Row:
    rows = await tx.fetch(
        """
        SELECT (SELECT count(*) FROM turns WHERE conversation = :id) AS turns,
          (SELECT count(*) FROM messages WHERE conversation = :id) AS messages
        """,
        id=conversation,
    )
    return rows[0]


async def _move(
    tx: Transaction, old: conversations.Conversation, later: list[Row], now: int
) -> str:
    """Let what was said after the command wait in a fresh conversation of the place."""
    first = PersonKey.parse(later[0]["author"])
    moved_to = await conversations.find_current(
        tx, old.place
    ) or await conversations.insert_current(
        tx, old.place, surface=old.surface, owner=first, parent=old.parent, now=now, called_in=1
    )
    assert moved_to is not None  # noqa: S101 - the place's row lock is ours
    position = await conversations.lock(tx, moved_to, positions=len(later))
    assert position is not None  # noqa: S101 - as above
    for offset, row in enumerate(later):
        await _insert(tx, moved_to, position + offset, row, now)
    return moved_to


_MOVED = (
    "remote_id",
    "sent_order",
    "author",
    "author_name",
    "said_at",
    "edited_at",
    "address",
    "content",
)


async def _insert(tx: Transaction, conversation: str, position: int, row: Row, now: int) -> None:
    await tx.execute(
        """
        INSERT INTO messages (conversation, position, role, state, remote_id, sent_order, author,
          author_name, said_at, edited_at, address, content)
        VALUES (:conversation, :position, 'user', :state, :remote_id, :sent_order, :author,
          :author_name, :said_at, :edited_at, :address, :content)
        """,
        conversation=conversation,
        position=position,
        state="observed" if row["state"] == "observed" else "waiting",
        **{name: row[name] for name in _MOVED},
    )
    await people.take_part(
        tx,
        conversation,
        person=PersonKey.parse(row["author"]),
        name=row["author_name"],
        now=now,
    )
