"""Work that only one process does at a time: who does it, until when, when it was done last."""

from __future__ import annotations

from memory.database import Transaction


async def acquire(
    tx: Transaction, name: str, holder: str, lease_ms: int, *, rest_ms: int = 0
) -> bool:
    """Whether the work is ours now. Not while another holds it, nor within `rest_ms` after it was
    done. Who holds it already holds it longer. What was written by a clock that was ahead, and has
    been set back since, holds up nobody for longer than twice."""
    now = await tx.now()
    rows = await tx.fetch(
        """
        INSERT INTO leases (name, holder, lease_until) VALUES (:name, :holder, :until)
        ON CONFLICT (name) DO UPDATE
        SET holder = excluded.holder, lease_until = excluded.lease_until
        WHERE (leases.lease_until NOT BETWEEN :now + 1 AND :latest
            OR leases.holder = excluded.holder)
          AND leases.last_done NOT BETWEEN :rested + 1 AND :latest_done
        RETURNING name
        """,
        name=name,
        holder=holder,
        until=now + lease_ms,
        now=now,
        latest=now + 2 * lease_ms,
        rested=now - rest_ms,
        latest_done=now + rest_ms,
    )
    return bool(rows)


async def last_done(tx: Transaction, name: str) -> int:
    """When the work was done last, in UTC ms; 0: never."""
    rows = await tx.fetch("SELECT last_done FROM leases WHERE name = :name", name=name)
    return rows[0]["last_done"] if rows else 0


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
