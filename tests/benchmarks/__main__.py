"""`python3 dev.py bench`: what a turn costs; with `load` what many at once, with `retention` what a
clean-up costs those who ask meanwhile, with `memory` what a conversation costs and keeps, with
`soak` what stays behind after hours."""

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
from tests.benchmarks.memory.compare import compare, draw, print_table
from tests.benchmarks.memory.script import FACTS, LEAST_TURNS, write_script
from tests.benchmarks.memory.texts import read_texts
from tests.benchmarks.purging import purge_beside_answers
from tests.benchmarks.soak import soak
from tests.benchmarks.startup import startup
from tests.benchmarks.through import come_through
from tests.benchmarks.turns import effort_at, overhead

TURNS = 200
ADAPTERS = "adapters"
PLACES = [*ENGINES, ADAPTERS]
MOST_THROUGH = 150  # conversations; the fakes are no faster


def main(arguments: Sequence[str]) -> int:
    chosen = parser().parse_args(arguments)
    match chosen.what:
        case "load":
            asyncio.run(measure_load(chosen))
        case "retention":
            asyncio.run(measure_retention(chosen.conversations))
        case "memory":
            if chosen.turns < LEAST_TURNS:
                parser().error(f"memory: at least {LEAST_TURNS} turns, for its {FACTS} facts")
            compare_memory(chosen.turns, chosen.seed, chosen.chart)
        case "soak":
            return asyncio.run(stay(chosen.minutes, chosen.people))
        case _:
            asyncio.run(measure_turns(chosen.turns))
    return 0


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python3 dev.py bench", description=__doc__)
    made.add_argument(
        "what", nargs="?", choices=["turns", "load", "memory", "retention", "soak"], default="turns"
    )
    made.add_argument("--turns", type=int, default=TURNS, help="turns, memory: how many")
    made.add_argument("--seed", type=int, default=1, help="memory: of the conversation")
    made.add_argument("--chart", type=Path, metavar="FILE.png", help="memory: draw it, too")
    made.add_argument(
        "--conversations", type=int, default=10_000, help="retention: of which half go"
    )
    made.add_argument("--talks", type=int, default=1_000, help="load: conversations at once")
    made.add_argument("--messages", type=int, default=3, help="load: messages in each")
    made.add_argument("--running", type=int, default=1_000, help="load: turns that may run at once")
    made.add_argument("--rounds", type=int, default=3, help="load: how often, for the median")
    made.add_argument("--on", nargs="+", choices=PLACES, default=PLACES, help="load: on what")
    made.add_argument("--minutes", type=float, default=30, help="soak: how long")
    made.add_argument("--people", type=int, default=3, help="soak: on each platform, at once")
    return made


async def stay(minutes: float, people: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        return int(not await soak(Path(folder), minutes=minutes, every=5, talks=people))


def compare_memory(turns: int, seed: int, chart: Path | None) -> None:
    logging.disable(logging.CRITICAL)
    print(f"{turns:,} turns, in which {FACTS} facts are said and asked for; seed {seed}")
    played = compare(turns, seed)
    print_table(played, write_script(read_texts(), seed, turns))
    if chart is not None:
        draw(played, chart)
        print(f"Drawn: {chart}")


async def measure_retention(conversations: int) -> None:
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        it = await purge_beside_answers(Path(folder), conversations)
    print(
        f"{it.gone:,} of {conversations:,} conversations deleted in {it.seconds:.1f} s, beside one"
        f" person who goes on asking; then a file of {it.megabytes:.0f} MB"
    )
    print(f"{'ms':18}{'answers':>9}{'median':>9}{'95 %':>9}{'longest':>9}{'transaction':>13}")
    for name, phase in (("quiet", it.quiet), ("beside retention", it.beside)):
        longest = max(phase.answers)
        print(
            f"{name:18}{len(phase.answers):9}{phase.at(0.5):9.1f}{phase.at(0.95):9.1f}"
            f"{longest:9.1f}{phase.longest:13.1f}"
        )
    print(f"At the end the file was written anew and the log emptied in {it.emptied:.0f} ms.")


async def measure_load(chosen: argparse.Namespace) -> None:
    logging.disable(logging.CRITICAL)
    size = Size(chosen.talks, chosen.messages, chosen.running)
    print(
        f"{size.talks:,} conversations at once, {size.messages} messages each, at most"
        f" {size.running_turns:,} turns running; the model takes {MODEL_SECONDS * 1000:.0f} ms"
    )
    print(f"{'':20}{'statements':>11}{'commits':>9}{'again':>7}{'turns/s':>10}", end="")
    print(f"{'bare/s':>9}{'ratio':>7}{'rounds':>11}{'load':>7}")
    for name in [each for each in chosen.on if each in ENGINES]:
        for durability in get_args(Durability):
            await print_load(name, ENGINES[name], durability, size, chosen.rounds)
    if ADAPTERS in chosen.on:
        await print_through(min(size.talks, MOST_THROUGH), size.messages)


async def print_through(talks: int, messages: int) -> None:
    print(f"\nThrough the real adapters to the fake servers, {talks:,} conversations at once")
    with tempfile.TemporaryDirectory() as folder:
        async for it in come_through(Path(folder), talks, messages):
            print(f"{it.platform:20}{it.turns / it.seconds:37.0f}{'':27}{os.getloadavg()[0]:7.1f}")


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
    sys.exit(main(sys.argv[1:]))
