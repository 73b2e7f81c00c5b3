"""When turns are through: an answer can be seen before it is stored."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from memory.engines import sqlite_path
from tests.wire.discord_house import until


async def recorded(url: str, turns: int) -> None:
    """Until so many turns are done."""
    await until(lambda: _done(url) == turns)


def _done(url: str) -> int:
    with closing(sqlite3.connect(sqlite_path(url))) as file:
        [[number]] = file.execute("SELECT count(*) FROM turns WHERE state = 'done'")
        return int(number)
