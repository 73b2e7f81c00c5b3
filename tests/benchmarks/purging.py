"""Retention beside answers: half of all conversations go while somebody goes on asking."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path

from bot.retention import Retention
from memory.database import Database, T, Transaction, Work, wall_clock
from memory.messages import assistant, encode, user
from memory.migrate import migrate
from memory.sqlite import SQLite
from memory.sqlite_file import open_file
from memory.workspaces import DAY
from tests.benchmarks.filling import ANSWER, QUESTION
from tests.benchmarks.house import Talk, talking

QUIET_TURNS = 300
_TURNS = 3  # of each conversation
_LONG_AGO = 60 * DAY


@dataclass(slots=True)
class TimedDatabase(Database):
    """How long (ms) each transaction that writes kept the others from that, and each emptying."""

    database: SQLite
    writes: list[float] = field(default_factory=list)
    emptied: list[float] = field(default_factory=list)

    async def read(self, work: Work[T]) -> T:
        return await self.database.read(work)

    async def write(self, work: Work[T]) -> T:
        began = time.perf_counter()

        async def timed(tx: Transaction) -> T:
            nonlocal began
            began = time.perf_counter()
            return await work(tx)

        result = await self.database.write(timed)
        self.writes.append(1000 * (time.perf_counter() - began))
        return result

    async def truncate_log(self) -> bool:
        began = time.perf_counter()
        is_empty = await self.database.truncate_log()
        self.emptied.append(1000 * (time.perf_counter() - began))
        return is_empty

    async def close(self) -> None:
        await self.database.close()


@dataclass(frozen=True, slots=True)
class Phase:
    """Answers (ms), and the longest transactions of all that wrote meanwhile."""

    answers: Sequence[float]
    longest: float

    def at(self, share: float) -> float:
        return sorted(self.answers)[min(int(share * len(self.answers)), len(self.answers) - 1)]


@dataclass(frozen=True, slots=True)
class Purged:
    quiet: Phase
    beside: Phase
    gone: int
    seconds: float
    megabytes: float
    emptied: float  # ms; nobody can write meanwhile


async def purge_beside_answers(folder: Path, conversations: int) -> Purged:
    file = folder / f"{conversations}.db"
    await _fill(file, conversations)
    async with _opened(file) as (talk, timed):
        quiet = await _phase(talk, timed, None, at_least=QUIET_TURNS)
        began = time.perf_counter()
        purging = asyncio.create_task(Retention(timed, talk.parts.erasure).purge())
        beside = await _phase(talk, timed, purging, at_least=1)
        seconds = time.perf_counter() - began
        return Purged(
            quiet=quiet,
            beside=beside,
            gone=await purging,
            seconds=seconds,
            megabytes=file.stat().st_size / 1e6,
            emptied=max(timed.emptied),
        )


@asynccontextmanager
async def _opened(file: Path) -> AsyncIterator[tuple[Talk, TimedDatabase]]:
    made: list[TimedDatabase] = []

    def around(opened: SQLite) -> TimedDatabase:
        made.append(TimedDatabase(opened))
        return made[-1]

    async with talking(file, around=around) as talk:
        yield talk, made[-1]


async def _phase(
    talk: Talk, timed: TimedDatabase, until: asyncio.Future[int] | None, *, at_least: int
) -> Phase:
    """One question after another, with a breath between, until that is done."""
    timed.writes.clear()
    answers: list[float] = []
    while len(answers) < at_least or (until is not None and not until.done()):
        began = time.perf_counter()
        await talk.turn()
        answers.append(1000 * (time.perf_counter() - began))
        await asyncio.sleep(0.005)
    return Phase(answers, max(timed.writes))


async def _fill(file: Path, conversations: int) -> None:
    database = await SQLite.open(file)
    await migrate(database)
    await database.close()
    await asyncio.to_thread(_write, file, conversations)


def _write(file: Path, conversations: int) -> None:
    """Every second one is past its window."""
    now = wall_clock()
    with closing(open_file(file)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        for number in range(conversations):
            at = now - (_LONG_AGO if number % 2 else 0)
            one = {"id": f"{number * 2_654_435_761 % 2**32:032x}", "number": number, "at": at}
            connection.execute(_CONVERSATION, one)
            for turn in range(1, _TURNS + 1):
                named = {**one, "turn": turn, "turn_id": f"{number:016x}{turn:016x}"}
                connection.execute(_TURN, named)
                for offset, message in enumerate(
                    (user(QUESTION.format(turn)), assistant(ANSWER.format(turn)))
                ):
                    position, content = 2 * turn + offset, encode(message)
                    rest = {"position": position, "role": message.role, "content": content}
                    connection.execute(_MESSAGE, named | rest)
        connection.execute("COMMIT")


_CONVERSATION = """
    INSERT INTO conversations (id, place, platform, workspace, channel, thread, surface, owner,
      created_at, active_at, next_position, next_turn)
    VALUES (:id, 'bench:W:c:' || :number, 'bench', 'W', 'c', :number, 'public', 'bench:W:bob',
      :at, :at, 100, 100)
    """
_TURN = """
    INSERT INTO turns (conversation, number, place, id, cause, state, outcome, asker, asked_at,
      address, worker, lease_until, started_at)
    VALUES (:id, :turn, 'bench:W:c:' || :number, :turn_id, 'message', 'done', 'answered',
      'bench:W:bob', :at, '{}', 'bench', 0, :at)
    """
_MESSAGE = """
    INSERT INTO messages (conversation, position, turn, role, state, said_at, content)
    VALUES (:id, :position, :turn, :role, 'taken', :at, :content)
    """
