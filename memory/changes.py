"""Edits and deletes: what is stored of a message is what stands on the platform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memory import contents, conversations, inbox, observed, recall, unnoted
from memory.database import Row, Transaction
from memory.inbox import Arrival
from memory.keys import Digests, PlaceKey
from memory.messages import encode


@dataclass(frozen=True, slots=True)
class Changed:
    """A conversation in which a message changed: somebody is to begin a turn there, or the open
    turn is to hear a wish."""

    conversation: str
    rings: Literal["wake", "interrupt"] | None = None


async def edit(
    tx: Transaction, arrival: Arrival, digests: Digests, *, calls: bool
) -> list[Changed] | None:
    """Give the message its new text; with `calls` what was only overheard becomes a question, once.

    None: the message was never told of, so that the edit is to be accepted in its place. An edit
    older than the stored one changes nothing. One that tells no name leaves a message of the newest
    turn without: the next turn asks for the names in the new text, too, and meanwhile its author's
    known name stands for it.
    """
    found = await _find(tx, arrival.place, arrival.message_id)
    said = digests.said(arrival.place, arrival.message_id)
    if not found:
        return [] if await inbox.was_said(tx, said) else None
    asks = _where_it_asks(found) if calls else None
    if any(each["conversation"] == asks and _is_older(each, arrival) for each in found):
        await inbox.mark(
            tx, said
        )  # whoever tells of the message itself repeats it, also after `new`
    changed = [
        await _edit(tx, each["conversation"], arrival, calls=each["conversation"] == asks)
        for each in found
    ]
    return [each for each in changed if each is not None]


async def delete(
    tx: Transaction, place: PlaceKey, message_id: str, digests: Digests
) -> list[Changed]:
    """Delete the message, also one that is told of later, and the turn that has no other."""
    await inbox.mark(tx, digests.said(place, message_id))
    changed = [
        await _delete(tx, each["conversation"], message_id)
        for each in await _find(tx, place, message_id)
    ]
    return [each for each in changed if each is not None]


async def _find(tx: Transaction, place: PlaceKey, message_id: str) -> list[Row]:
    """The conversations of the channel that have the message, always in the same order."""
    return await tx.fetch(
        """
        SELECT m.conversation, m.state, m.edited_at, c.is_current, c.created_at
        FROM messages m JOIN conversations c ON c.id = m.conversation
        WHERE m.remote_id = :message_id AND c.platform = :platform
          AND c.workspace = :workspace AND c.channel = :channel ORDER BY m.conversation
        """,
        message_id=message_id,
        platform=place.platform,
        workspace=place.workspace,
        channel=place.channel,
    )


def _where_it_asks(found: Sequence[Row]) -> str | None:
    """The newest of these conversations; None: it is a question in one already. An old one has what
    was called in before `new`, and is told of after it."""
    if any(each["state"] != "observed" for each in found):
        return None
    newest = max(found, key=lambda each: (each["is_current"], each["created_at"]))
    return str(newest["conversation"])


def _is_older(stored: Row, arrival: Arrival) -> bool:
    return (stored["edited_at"] or 0) < (arrival.edited_at or 0)


async def _edit(
    tx: Transaction, conversation: str, arrival: Arrival, *, calls: bool
) -> Changed | None:
    if await conversations.lock(tx, conversation) is None:
        return None
    before = await _content(tx, conversation, arrival.message_id)
    rows = await tx.fetch(
        """
        UPDATE messages SET edited_at = :edited_at,
          content = CASE WHEN state = 'observed' AND :calls = 0 THEN :short ELSE :content END,
          author_name = CASE WHEN turn IS NULL OR turn = (SELECT MAX(number) FROM turns t
              WHERE t.conversation = messages.conversation) THEN :name ELSE author_name END,
          address = CASE WHEN state = 'observed' AND :calls = 1 THEN :address ELSE address END,
          turn = CASE WHEN state = 'observed' AND :calls = 1 THEN NULL ELSE turn END,
          state = CASE WHEN state = 'observed' AND :calls = 1 THEN 'waiting' ELSE state END
        WHERE conversation = :conversation AND remote_id = :message_id
          AND COALESCE(edited_at, 0) < :edited_at
        RETURNING turn, state, content
        """,
        conversation=conversation,
        message_id=arrival.message_id,
        edited_at=arrival.edited_at,
        content=encode(arrival.message),
        short=encode(observed.shorten(arrival.message)),
        name=arrival.author_name,
        address=arrival.address,
        calls=int(calls),
    )
    if not rows:
        return None
    if rows[0]["state"] == "waiting":
        await _revise(tx, conversation, rows[0]["turn"])
        return Changed(conversation, "wake")
    if rows[0]["content"] == before:  # its twin was quicker, and told the same words
        return Changed(conversation)
    await _revise(tx, conversation, rows[0]["turn"])
    return await _rework(tx, conversation, rows[0])


async def _content(tx: Transaction, conversation: str, message_id: str) -> str | None:
    rows = await tx.fetch(
        """
        SELECT content FROM messages WHERE conversation = :conversation AND remote_id = :message_id
        """,
        conversation=conversation,
        message_id=message_id,
    )
    return rows[0]["content"] if rows else None


async def _delete(tx: Transaction, conversation: str, message_id: str) -> Changed | None:
    if await conversations.lock(tx, conversation) is None:
        return None
    rows = await tx.fetch(
        """
        DELETE FROM messages WHERE conversation = :conversation AND remote_id = :message_id
        RETURNING turn, state
        """,
        conversation=conversation,
        message_id=message_id,
    )
    if not rows:
        return None
    await _revise(tx, conversation, rows[0]["turn"])
    if rows[0]["state"] == "taken" and not await _has_question(tx, conversation, rows[0]["turn"]):
        return await _end(tx, conversation, rows[0]["turn"])
    return await _rework(tx, conversation, rows[0])


async def _revise(tx: Transaction, conversation: str, turn: int | None) -> None:
    """The after-work must not write what it made of the old words; what was noted of them goes."""
    if turn is not None:
        await unnoted.forget_turn(tx, conversation, turn)
    await tx.execute(
        """
        UPDATE conversations SET revision = revision + 1,
          summary = CASE WHEN window_from > :turn THEN NULL ELSE summary END
        WHERE id = :conversation
        """,
        conversation=conversation,
        turn=0 if turn is None else turn,
    )


async def _rework(tx: Transaction, conversation: str, message: Row) -> Changed:
    """The turn of a changed question begins anew, if it can; a finished one is measured again."""
    if message["turn"] is None:
        return Changed(conversation)
    if message["state"] == "taken" and await tx.fetch(
        """
        UPDATE turns SET stop = 'changed' WHERE conversation = :conversation AND number = :number
          AND state = 'running' AND stop IS NULL RETURNING id
        """,
        conversation=conversation,
        number=message["turn"],
    ):
        return Changed(conversation, "interrupt")
    await contents.measure(tx, conversation, message["turn"])
    await recall.rewrite_terms(tx, conversation, message["turn"])
    return Changed(conversation)


async def _has_question(tx: Transaction, conversation: str, turn: int) -> bool:
    return bool(
        await tx.fetch(
            """
            SELECT 1 FROM messages WHERE conversation = :conversation AND turn = :turn
              AND role = 'user' AND state = 'taken'
            """,
            conversation=conversation,
            turn=turn,
        )
    )


async def _end(tx: Transaction, conversation: str, turn: int) -> Changed:
    """Nobody asks any more: the turn goes, an open one when what it showed is closed."""
    gone = await tx.execute(
        """
        DELETE FROM turns WHERE conversation = :conversation AND number = :turn
          AND state IN ('done', 'failed')
        """,
        conversation=conversation,
        turn=turn,
    )
    if gone:
        return Changed(conversation)
    await tx.execute(
        """
        UPDATE turns SET erased = 2,
          stop = CASE WHEN state = 'running' THEN 'stopped' ELSE stop END
        WHERE conversation = :conversation AND number = :turn
        """,
        conversation=conversation,
        turn=turn,
    )
    return Changed(conversation, "interrupt")
