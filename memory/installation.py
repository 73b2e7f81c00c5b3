"""What belongs to this installation alone: the secret behind its digests."""

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
