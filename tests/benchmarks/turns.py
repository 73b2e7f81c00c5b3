"""What a turn costs beside its bare statements, and at turn 10,000 beside turn 10."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

from memory.database import Durability, wall_clock
from tests.benchmarks.filling import fill
from tests.benchmarks.house import Talk, talking
from tests.benchmarks.recording import Bare, Recorded, bare, machine_steps, rows, statements

WARM_UP = 20


@dataclass(frozen=True, slots=True)
class Overhead:
    """The same turns both ways: pairs of milliseconds, with us and bare."""

    pairs: Sequence[tuple[float, float]]
    commits: int
    statements: int

    def at(self, tenth: int) -> tuple[float, float]:
        """What so many tenths of the turns need at most; the first ones are the undisturbed."""
        ours, theirs = zip(*self.pairs, strict=True)
        return quantiles(ours, n=10)[tenth - 1], quantiles(theirs, n=10)[tenth - 1]


async def overhead(
    folder: Path, *, turns: int, durability: Durability, uses_tool: bool
) -> Overhead:
    """Turns and their bare statements by turns, on two files that stay equal."""
    ours, theirs = folder / "ours.db", folder / "theirs.db"
    async with talking(ours, durability=durability, uses_tool=uses_tool) as talk:
        await talk.file.copy_to(theirs)
        async with bare(theirs, durability) as plain:
            measured = [await _measure(talk, plain) for _ in range(WARM_UP + turns)][WARM_UP:]
    plainest = min((each[2] for each in measured), key=len)  # its after-work moves no cut
    return Overhead(
        pairs=[each[:2] for each in measured],
        commits=sum(transaction.kind == "write" for transaction in plainest),
        statements=sum(len(transaction.statements) for transaction in plainest),
    )


async def _measure(talk: Talk, plain: Bare) -> tuple[float, float, Sequence[Recorded]]:
    began = time.perf_counter()
    transactions = await talk.turn()
    between = time.perf_counter()
    await plain.replay(transactions)
    ended = time.perf_counter()
    return (between - began) * 1000, (ended - between) * 1000, transactions


@dataclass(frozen=True, slots=True)
class Effort:
    """What one turn asks of the database."""

    statements: tuple[str, ...]
    rows: int
    machine_steps: int

    @property
    def steps_of_a_row(self) -> float:
        """Grows when a statement walks through rows that it does not return."""
        return self.machine_steps / self.rows


async def effort_at(folder: Path, turn: int) -> Effort:
    """Of this turn in a conversation that was written into the tables.

    SQLite's instructions are counted on a copy of the file as it was before.
    """
    file, copy = folder / f"{turn}.db", folder / f"{turn}-copy.db"
    async with talking(file):
        pass
    await asyncio.to_thread(fill, file, turns=turn - 1, now=wall_clock())
    async with talking(file, said=turn - 1) as talk:
        await talk.file.copy_to(copy)
        transactions = await talk.turn()
    steps = await asyncio.to_thread(machine_steps, copy, transactions)
    return Effort(tuple(statements(transactions)), rows(transactions), steps)
