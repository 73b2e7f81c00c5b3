"""Work that only one process does at a time: who does it, until when, when it was done last."""

from __future__ import annotations

from memory.database import Transaction


async def acquire(
    tx: Transaction, name: str, holder: str, lease_ms: int, *, rest_ms: int = 0
) -> bool:
    """Whether the work is ours now. Not while another holds it, nor within `rest_ms` after it was
    done. Who holds it already holds it longer."""
    now = await tx.now()
    rows = await tx.fetch(
        """
        INSERT INTO leases (name, holder, lease_until) VALUES (:name, :holder, :until)
        ON CONFLICT (name) DO UPDATE
        SET holder = excluded.holder, lease_until = excluded.lease_until
        WHERE (leases.lease_until <= :now OR leases.holder = excluded.holder)
          AND leases.last_done <= :rested
        RETURNING name
        """,
        name=name,
        holder=holder,
        until=now + lease_ms,
        now=now,
        rested=now - rest_ms,
    )
    return bool(rows)


async def done(tx: Transaction, name: str, holder: str) -> None:
    """Let go; nothing when another has taken the work over meanwhile."""
    await tx.execute(
        """
        UPDATE leases SET lease_until = 0, last_done = :now WHERE name = :name AND holder = :holder
        """,
        now=await tx.now(),
        name=name,
        holder=holder,
    )


async def release(tx: Transaction, name: str, holder: str) -> None:
    """Let go of work that is not done; nothing when another has taken it over meanwhile."""
    await tx.execute(
        "UPDATE leases SET lease_until = 0 WHERE name = :name AND holder = :holder",
        name=name,
        holder=holder,
    )
