"""What every erasing needs: a watermark, and the open turn that it takes away."""

from __future__ import annotations

from dataclasses import dataclass

from memory.database import Transaction
from memory.keys import PersonKey


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """What must be known to close on the platform what an erased turn showed."""

    id: str
    number: int
    address: str
    started_at: int
    lease_left: int
    asker: PersonKey
    tokens: int  # spent for it, and not yet among the sums of its day


async def set_watermark(tx: Transaction, key: str, *, said_before: int, expires_at: int) -> int:
    """The time before which nothing is kept: that of a later command, if there was one."""
    rows = await tx.fetch(
        """
        INSERT INTO forgotten (key, said_before, expires_at)
        VALUES (:key, :said_before, :expires_at)
        ON CONFLICT (key) DO UPDATE SET
          said_before = CASE WHEN forgotten.said_before > excluded.said_before
            THEN forgotten.said_before ELSE excluded.said_before END,
          expires_at = CASE WHEN forgotten.expires_at > excluded.expires_at
            THEN forgotten.expires_at ELSE excluded.expires_at END
        RETURNING said_before
        """,
        key=key,
        said_before=said_before,
        expires_at=expires_at,
    )
    return int(rows[0]["said_before"])


async def read_open_turn(tx: Transaction, conversation: str, now: int) -> OpenTurn | None:
    rows = await tx.fetch(
        """
        SELECT id, number, address, started_at, lease_until, asker,
          CASE WHEN state = 'running' THEN input_tokens + output_tokens ELSE 0 END AS tokens
        FROM turns
        WHERE conversation = :conversation AND state IN ('running', 'sending')
        """,
        conversation=conversation,
    )
    if not rows:
        return None
    turn = rows[0]
    return OpenTurn(
        id=turn["id"],
        number=turn["number"],
        address=turn["address"],
        started_at=turn["started_at"],
        lease_left=max(0, turn["lease_until"] - now),
        asker=PersonKey.parse(turn["asker"]),
        tokens=turn["tokens"],
    )
