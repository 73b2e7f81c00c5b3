"""A turn begins: with all that its asker said in a row, or anew with what came meanwhile."""

from __future__ import annotations

from uuid import uuid4

from memory import deliveries
from memory.database import Row, Transaction
from memory.errors import NothingWaitsError
from memory.turns import COUNTED, NOTHING, Spent, Turn, lock, superseded, tokens_of, turn_of


async def begin(tx: Transaction, conversation: str, *, worker: str, lease: int) -> Turn:
    """Begin the next turn of the conversation's place, with all that its asker said in a row.

    Raise NothingWaitsError, to be rolled back, when nothing waits or a turn is open there.
    """
    oldest = await _oldest_waiting(tx, conversation)
    number = await _lock_for_turn(tx, oldest["conversation"])
    turn = await _insert_turn(tx, oldest, number, worker=worker, lease=lease)
    if await _take_waiting(tx, turn) == 0:
        raise NothingWaitsError
    await deliveries.open_first(tx, turn.conversation, turn.number)
    return turn


async def begin_anew(tx: Transaction, turn: Turn, spent: Spent = NOTHING) -> Turn:
    """Forget the steps and take what the asker said meanwhile; a new fence for the same turn.
    What was `spent` is noted.

    A wish to stop stays: it wins.
    """
    await lock(tx, turn)
    rows = await tx.fetch(
        f"""
        UPDATE turns SET fence = fence + 1, steps = 0,{COUNTED},
          stop = CASE WHEN stop = 'stopped' THEN stop ELSE NULL END,
          erased = CASE WHEN erased = 1 THEN 0 ELSE erased END
        WHERE conversation = :conversation AND number = :number
          AND fence = :fence AND state = 'running'
        RETURNING *
        """,  # noqa: S608 - a text of ours
        conversation=turn.conversation,
        number=turn.number,
        fence=turn.fence,
        **tokens_of(spent),
    )
    if not rows:
        raise await superseded(tx, turn)
    anew = turn_of(rows[0])
    await tx.execute(
        """
        DELETE FROM messages
        WHERE conversation = :conversation AND turn = :number AND role <> 'user'
        """,
        conversation=turn.conversation,
        number=turn.number,
    )
    await _take_waiting(tx, anew)
    return anew


async def _oldest_waiting(tx: Transaction, conversation: str) -> Row:
    rows = await tx.fetch(
        """
        SELECT c.place, m.conversation, m.author, m.address,
          COALESCE(m.edited_at, m.said_at) AS asked_at
        FROM messages m JOIN conversations c ON c.id = m.conversation
        WHERE c.place = (SELECT place FROM conversations WHERE id = :conversation)
          AND m.state = 'waiting'
        ORDER BY m.sent_order, m.position LIMIT 1
        """,
        conversation=conversation,
    )
    if not rows:
        raise NothingWaitsError
    return rows[0]


async def _lock_for_turn(tx: Transaction, conversation: str) -> int:
    rows = await tx.fetch(
        """
        UPDATE conversations SET next_position = next_position + 1, next_turn = next_turn + 1
        WHERE id = :id RETURNING next_turn
        """,
        id=conversation,
    )
    if not rows:
        raise NothingWaitsError
    return int(rows[0]["next_turn"]) - 1


async def _insert_turn(
    tx: Transaction, oldest: Row, number: int, *, worker: str, lease: int
) -> Turn:
    now = await tx.now()
    rows = await tx.fetch(
        """
        INSERT INTO turns (conversation, number, place, id, cause, state, asker, asked_at,
          address, worker, lease_until, started_at)
        VALUES (:conversation, :number, :place, :id, 'message', 'running', :asker, :asked_at,
          :address, :worker, :lease_until, :now)
        ON CONFLICT (place) WHERE state IN ('running', 'sending') DO NOTHING
        RETURNING *
        """,
        conversation=oldest["conversation"],
        number=number,
        place=oldest["place"],
        id=uuid4().hex,
        asker=oldest["author"],
        asked_at=oldest["asked_at"],
        address=oldest["address"],
        worker=worker,
        lease_until=now + lease,
        now=now,
    )
    if not rows:  # somebody else has the open turn, and looks again when it ends
        raise NothingWaitsError
    return turn_of(rows[0])


async def _take_waiting(tx: Transaction, turn: Turn) -> int:
    """Give the turn what its asker said, up to the first message of another author or
    conversation in the place, and what was observed before that; the number of messages."""
    return await tx.execute(
        """
        UPDATE messages SET turn = :number,
          state = CASE WHEN state = 'waiting' THEN 'taken' ELSE state END
        WHERE conversation = :conversation AND turn IS NULL
          AND (state = 'waiting' AND author = :author
            OR state = 'observed' AND EXISTS (SELECT 1 FROM messages q
              WHERE q.conversation = :conversation AND q.state = 'waiting'
                AND q.author = :author AND q.sent_order > messages.sent_order))
          AND NOT EXISTS (SELECT 1 FROM messages o JOIN conversations c ON c.id = o.conversation
            WHERE c.place = :place AND o.state = 'waiting'
              AND (o.author <> :author OR o.conversation <> :conversation)
              AND o.sent_order < messages.sent_order)
        """,
        number=turn.number,
        conversation=turn.conversation,
        author=turn.asker,
        place=turn.place,
    )
