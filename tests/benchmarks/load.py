"""How many turns a second the core answers, beside its bare statements."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from uuid import uuid4

from memory import postgres
from memory.database import Database, Durability
from memory.migrate import migrate
from memory.sqlite import SQLite
from tests.benchmarks.crowd import Size, answer_crowd
from tests.benchmarks.replay import Line, postgres_line, seconds_of, sqlite_line
from tests.postgres import running

Fresh = Callable[[], AbstractContextManager[str]]

_TABLES = ("conversations", "turns", "messages", "participants", "deliveries", "seen", "usage")


@dataclass(frozen=True, slots=True)
class Round:
    """Turns a second, both ways."""

    ours: float
    bare: float
    said_again: int
    statements: float  # a turn
    commits: float

    @property
    def ratio(self) -> float:
        return self.ours / self.bare


def middle(rounds: Sequence[Round]) -> Round:
    """The median by ratio."""
    return sorted(rounds, key=lambda each: each.ratio)[len(rounds) // 2]


@dataclass(frozen=True, slots=True)
class Engine:
    """How its databases are made, and opened: for the house, and bare."""

    fresh: Callable[[Path], AbstractContextManager[Fresh]]
    open: Callable[[str, Durability], AbstractAsyncContextManager[Database]]
    line: Callable[[str, Durability], AbstractAsyncContextManager[Line]]
    asks_time: str = ""


@asynccontextmanager
async def _open_sqlite(url: str, durability: Durability) -> AsyncIterator[Database]:
    async with _closed(await SQLite.open(Path(url), durability=durability)) as database:
        yield database


@asynccontextmanager
async def _open_postgres(url: str, durability: Durability) -> AsyncIterator[Database]:
    async with _closed(await postgres.Postgres.open(url, durability=durability)) as database:
        yield database


@asynccontextmanager
async def _closed(database: Database) -> AsyncIterator[Database]:
    try:
        await migrate(database)
        yield database
    finally:
        await database.close()


async def play_round(
    engine: Engine, ours: str, theirs: str, durability: Durability, size: Size
) -> Round:
    """Two fresh databases: one for the house, one for its statements."""
    async with engine.open(ours, durability) as database:
        crowd = await answer_crowd(database, engine.asks_time, size)
        stored = await _rows(database)
    assert stored["turns"] == size.turns, stored
    async with engine.open(theirs, durability):
        pass
    async with engine.line(theirs, durability) as line:
        seconds = await seconds_of(line, crowd.transactions)
    async with engine.open(theirs, durability) as database:
        assert await _rows(database) == stored
    done = crowd.transactions
    return Round(
        ours=size.turns / crowd.seconds,
        bare=size.turns / seconds,
        said_again=crowd.said_again,
        statements=sum(len(each.statements) for each in done) / size.turns,
        commits=sum(each.kind == "write" for each in done) / size.turns,
    )


async def _rows(database: Database) -> dict[str, int]:
    """How many each table holds; of the turns only those that are answered and delivered."""
    return {table: await _count(database, table) for table in _TABLES}


async def _count(database: Database, table: str) -> int:
    where = "WHERE outcome = 'answered' AND state = 'done'" if table == "turns" else ""
    query = f"SELECT COUNT(*) AS rows FROM {table} {where}"  # noqa: S608 - names of our own
    [row] = await database.read(lambda tx: tx.fetch(query))
    return int(row["rows"])


@contextmanager
def fresh_files(folder: Path) -> Iterator[Fresh]:
    """Addresses of SQLite files that are not there yet."""
    numbers = count()

    def fresh() -> AbstractContextManager[str]:
        return nullcontext(str(folder / f"{next(numbers)}.db"))

    yield fresh


@contextmanager
def fresh_databases(folder: Path) -> Iterator[Fresh]:
    """Addresses of empty databases of a PostgreSQL that, unlike that of the tests, is durable."""
    with running(f"bench-{uuid4().hex}", folder) as server:
        for setting in ("fsync", "full_page_writes", "deadlock_timeout"):
            server.root.execute(f"ALTER SYSTEM RESET {setting}".encode())
        server.root.execute("SELECT pg_reload_conf()")
        yield server.fresh


ENGINES: Mapping[str, Engine] = {
    "SQLite": Engine(fresh_files, _open_sqlite, sqlite_line),
    "PostgreSQL": Engine(fresh_databases, _open_postgres, postgres_line, postgres.NOW),
}
