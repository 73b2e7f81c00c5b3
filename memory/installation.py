"""What belongs to this installation alone: the secret behind its digests, our accounts."""

from __future__ import annotations

from secrets import token_hex

from memory.database import Transaction


async def read_secret(tx: Transaction) -> bytes:
    """The same for ever; made by whoever asks first."""
    await tx.execute(
        """
        INSERT INTO installation (name, value) VALUES ('secret', :value)
        ON CONFLICT (name) DO NOTHING
        """,
        value=token_hex(32),
    )
    rows = await tx.fetch("SELECT value FROM installation WHERE name = 'secret'")
    return bytes.fromhex(rows[0]["value"])


async def note_account(tx: Transaction, platform: str, account: str) -> str | None:
    """Note who we are on a platform; who we were before."""
    name = f"account on {platform}"
    before = await tx.fetch("SELECT value FROM installation WHERE name = :name", name=name)
    await tx.execute(
        """
        INSERT INTO installation (name, value) VALUES (:name, :account)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value
        """,
        name=name,
        account=account,
    )
    return before[0]["value"] if before else None


COPIED = "INSERT OR IGNORE INTO installation (name, value) VALUES ('copied', 'yes')"
"""What `transfer.backup` notes in a copy."""


async def was_restored(tx: Transaction) -> bool:
    """Whether this is a copy that nobody has worked on; says so once."""
    return await tx.execute("DELETE FROM installation WHERE name = 'copied'") > 0
