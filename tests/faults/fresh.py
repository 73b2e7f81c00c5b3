"""A database with today's schema and customers, to begin each run with a copy of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

from memory import people
from memory.database import Database, Transaction
from memory.keys import PersonKey
from memory.migrate import migrate
from memory.sqlite import SQLite
from tests.faults.inline import connect
from tests.faults.virtual import VirtualLoop, run


@cache
def _empty_folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="nimbus-faults-")


@cache
def empty_database(people: Sequence[PersonKey]) -> Path:
    """A database with today's schema, to begin each run with a copy of. First called outside of
    every loop."""
    path = Path(_empty_folder().name) / f"{people[0].platform}.db"
    run(lambda loop: _make(path, people, loop))
    return path


async def _make(path: Path, customers: Sequence[PersonKey], loop: VirtualLoop) -> None:
    database = await SQLite.open(path, clock=loop.milliseconds, connect=connect)
    await migrate(database)
    await link_customers(database, customers)
    await database.truncate_log()
    await database.close()


async def link_customers(database: Database, customers: Sequence[PersonKey]) -> None:
    for person in customers:
        await database.write(partial(_link, person))


async def _link(person: PersonKey, tx: Transaction) -> None:
    await people.link(tx, person, "demo")
