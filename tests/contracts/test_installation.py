"""The secret of an installation."""

from __future__ import annotations

import asyncio

from memory.database import Database
from memory.installation import read_secret


async def test_the_secret_stays_the_same(database: Database) -> None:
    secret = await database.write(read_secret)

    assert await database.write(read_secret) == secret
    assert len(secret) == 32


async def test_all_who_ask_first_get_the_same(database: Database) -> None:
    secrets = await asyncio.gather(*(database.write(read_secret) for _ in range(5)))

    assert len(set(secrets)) == 1
