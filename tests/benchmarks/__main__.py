"""`python3 dev.py bench`: what a turn costs; with `load` what many at once, with `soak` what stays
behind after hours."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from memory.database import Durability
from tests.benchmarks.crowd import MODEL_SECONDS, Size
from tests.benchmarks.load import ENGINES, Engine, middle, play_round
from tests.benchmarks.startup import startup
from tests.benchmarks.turns import effort_at, overhead

TURNS = 200


def main(arguments: Sequence[str]) -> None:
    chosen = parser().parse_args(arguments)
    if chosen.what == "load":
        asyncio.run(measure_load(chosen))
    else:
        asyncio.run(measure_turns(chosen.turns))


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python3 dev.py bench", description=__doc__)
    made.add_argument("what", nargs="?", choices=["turns", "load"], default="turns")
    made.add_argument("--turns", type=int, default=TURNS, help="turns: how many")
    made.add_argument("--talks", type=int, default=1_000, help="load: conversations at once")
    made.add_argument("--messages", type=int, default=3, help="load: messages in each")
    made.add_argument("--running", type=int, default=1_000, help="load: turns that may run at once")
    made.add_argument("--rounds", type=int, default=3, help="load: how often, for the median")
    made.add_argument("--engines", nargs="+", choices=list(ENGINES), default=list(ENGINES))
    return made


async def measure_load(chosen: argparse.Namespace) -> None:
    logging.disable(logging.CRITICAL)
    size = Size(chosen.talks, chosen.messages, chosen.running)
    print(
        f"{size.talks:,} conversations at once, {size.messages} messages each, at most"
        f" {size.running_turns:,} turns running; the model takes {MODEL_SECONDS * 1000:.0f} ms"
    )
    print(f"{'':20}{'statements':>11}{'commits':>9}{'again':>7}{'turns/s':>10}", end="")
    print(f"{'bare/s':>9}{'ratio':>7}{'rounds':>9}{'load':>7}")
    for name in chosen.engines:
        for durability in get_args(Durability):
            await print_load(name, ENGINES[name], durability, size, chosen.rounds)


async def print_load(
    name: str, engine: Engine, durability: Durability, size: Size, times: int
) -> None:
    rounds = []
    with tempfile.TemporaryDirectory() as folder, engine.fresh(Path(folder)) as fresh:
        for _ in range(times):
            with fresh() as ours, fresh() as theirs:
                rounds.append(await play_round(engine, ours, theirs, durability, size))
    it, ratios = middle(rounds), sorted(each.ratio for each in rounds)
    print(
        f"{f'{name}, {durability}':20}{it.statements:11.1f}{it.commits:9.1f}"
        f"{it.said_again:7}{it.ours:10.0f}{it.bare:9.0f}{it.ratio:7.2f}"
        f"  {ratios[0]:.2f}-{ratios[-1]:.2f}{os.getloadavg()[0]:7.1f}"
    )


async def measure_turns(turns: int) -> None:
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
    main(sys.argv[1:])
