"""The parts of an answer on its platform: which message stands where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memory.database import Transaction
from memory.keys import PlaceKey


@dataclass(frozen=True, slots=True)
class Part:
    """One message of ours on the platform; it ends at this character of the answer."""

    remote_id: str
    ends_at: int


async def open_first(tx: Transaction, conversation: str, turn: int) -> None:
    await tx.execute(
        """
        INSERT INTO deliveries (conversation, turn, part, state)
        VALUES (:conversation, :turn, 1, 'open')
        """,
        conversation=conversation,
        turn=turn,
    )


async def record(
    tx: Transaction,
    conversation: str,
    turn: int,
    parts: Sequence[Part],
    *,
    state: Literal["open", "sent"],
) -> None:
    for number, part in enumerate(parts, start=1):
        await tx.execute(
            """
            INSERT INTO deliveries (conversation, turn, part, state, remote_id, ends_at)
            VALUES (:conversation, :turn, :part, :state, :remote_id, :ends_at)
            ON CONFLICT (conversation, turn, part) DO UPDATE
            SET state = excluded.state, remote_id = excluded.remote_id, ends_at = excluded.ends_at
            """,
            conversation=conversation,
            turn=turn,
            part=number,
            state=state,
            remote_id=part.remote_id,
            ends_at=part.ends_at,
        )


async def drop_after(tx: Transaction, conversation: str, turn: int, last: int) -> None:
    """What was shown had more parts than the answer has; the platform's reply removed them."""
    await tx.execute(
        """
        DELETE FROM deliveries
        WHERE conversation = :conversation AND turn = :turn AND part > :last
        """,
        conversation=conversation,
        turn=turn,
        last=last,
    )


async def find_place(
    tx: Transaction, platform: str, workspace: str, remote_id: str
) -> PlaceKey | None:
    """The place of the answer that this message of ours is a part of."""
    rows = await tx.fetch(
        """
        SELECT c.place FROM deliveries d JOIN conversations c ON c.id = d.conversation
        WHERE d.remote_id = :remote_id AND c.platform = :platform AND c.workspace = :workspace
        """,
        remote_id=remote_id,
        platform=platform,
        workspace=workspace,
    )
    return PlaceKey.parse(rows[0]["place"]) if rows else None


async def read_sent(tx: Transaction, conversation: str, turn: int) -> list[Part]:
    """The parts whose place on the platform is known, in order."""
    rows = await tx.fetch(
        """
        SELECT remote_id, ends_at FROM deliveries
        WHERE conversation = :conversation AND turn = :turn AND remote_id IS NOT NULL
        ORDER BY part
        """,
        conversation=conversation,
        turn=turn,
    )
    return [Part(row["remote_id"], row["ends_at"]) for row in rows]
