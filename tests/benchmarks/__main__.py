"""Prints the tables: `python -m tests.benchmarks [TURNS]`."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import get_args

from memory.database import Durability
from tests.benchmarks.startup import startup
from tests.benchmarks.turns import effort_at, overhead

TURNS = 200


async def main(turns: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        await print_overhead(Path(name), turns)
        await print_effort(Path(name))
        print_startup(Path(name))


async def print_overhead(folder: Path, turns: int) -> None:
    print(f"A turn without model and SDK, beside its bare statements ({turns} turns each)")
    print(f"{'':18}{'':8}{'':11}{'median':>27}{'undisturbed tenth':>27}")
    print(f"{'':18}{'commits':>8}{'statements':>11}{'turn ms  bare ms  ratio':>27}", end="")
    print(f"{'turn ms  bare ms  ratio':>27}")
    for durability in get_args(Durability):
        for uses_tool in (False, True):
            what = f"{durability}, {'one tool' if uses_tool else 'no tools'}"
            place = folder / what
            place.mkdir()
            it = await overhead(place, turns=turns, durability=durability, uses_tool=uses_tool)
            times = f"{_times(*it.at(5))}{_times(*it.at(1))}"
            print(f"{what:18}{it.commits:8}{it.statements:11}{times}")


def _times(turn: float, bare: float) -> str:
    return f"{turn:11.2f}{bare:9.2f}{turn / bare:7.2f}"


async def print_effort(folder: Path) -> None:
    print("\nWhat one turn asks of the database, late and early")
    print(f"{'':24}{'statements':>11}{'rows':>9}{'SQLite instructions':>21}")
    for turn in (10, 10_000):
        effort = await effort_at(folder, turn)
        name = f"turn {turn:,}"
        print(f"{name:24}{len(effort.statements):11}{effort.rows:9}{effort.machine_steps:21,}")


def print_startup(folder: Path) -> None:
    print("\nnimbus chat, from start to end (medians of 5)")
    print(f"{'':24}{'seconds':>11}{'MB':>9}")
    for what, lines in (("exit at once", ["exit"]), ("one question", ["Hello?", "exit"])):
        it = startup(folder, lines, times=5)
        print(f"{what:24}{it.seconds:11.2f}{it.megabytes:9.0f}")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else TURNS))
