"""What a storage engine promises, on each of them."""

from __future__ import annotations

from memory.database import Database, Transaction


async def _put(tx: Transaction, name: str, value: str) -> None:
    await tx.execute(
        "INSERT INTO installation (name, value) VALUES (:name, :value)", name=name, value=value
    )


async def test_what_was_written_is_read(database: Database) -> None:
    await database.write(lambda tx: _put(tx, "a", "1"))

    rows = await database.read(lambda tx: tx.fetch("SELECT name, value FROM installation"))
    assert rows == [{"name": "a", "value": "1"}]


async def test_a_test_finds_nothing_of_another(database: Database) -> None:
    rows = await database.read(lambda tx: tx.fetch("SELECT name, value FROM installation"))
    assert rows == []
