"""`python3 dev.py faults`: on each platform every point of the example conversation and random
schedules, then the real worker killed at each request."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from tests.faults.frames import FRAMES
from tests.faults.hunting import random_schedules, report, tight_spots
from tests.faults.planted import hunt
from tests.faults.plants import PLANTS
from tests.faults.played import PLAYED
from tests.faults.request_plants import STRUCK, is_caught
from tests.faults.request_plants import hunt as kill_planted
from tests.faults.requests import ARENAS, Arena, survive
from tests.faults.simulate import Result, at_point, at_random, at_spot, every_point
from tests.faults.stores import ON_SQLITE, Engine, OnPostgres
from tests.faults.striker import Blow
from tests.faults.venue import Frame
from tests.postgres import running

SEEDS = 500


def main(arguments: Sequence[str]) -> int:
    """The exit code: 1 when something was wrong, or when a planted fault was not caught."""
    chosen = parser().parse_args(arguments)
    logging.disable(logging.CRITICAL)
    if chosen.planted:
        return plant_all(chosen.seeds)
    if chosen.kill:
        platform, *blow = chosen.kill
        return kill(ARENAS[platform], [Blow.named(" ".join(blow))] if blow else [])
    if chosen.kills:
        return max(kill_at_random(arena, chosen) for arena in ARENAS.values())
    with engine(chosen.engine) as store:
        frames = {name: replace(frame, engine=store) for name, frame in FRAMES.items()}
        if one := single(chosen, frames):
            return tell(one)
        names = [chosen.on] if chosen.on else list(frames)
        wrong = [play(frames[name], chosen.seeds) for name in names]
    return max([*wrong, *map(kill, () if chosen.on else ARENAS.values())])


@contextmanager
def engine(name: str) -> Iterator[Engine]:
    if name == ON_SQLITE.name:
        yield ON_SQLITE
        return
    with (
        TemporaryDirectory() as folder,
        running(f"faults-{os.getpid()}", Path(folder)) as server,
        server.migrated() as url,
    ):
        yield OnPostgres(url)


def play(frame: Frame, count: int) -> int:
    """All that there is on a platform, with a figure for each part of it."""
    parts = {
        "every point, 1 worker": every_point(frame, 1),
        "every point, 2 workers": every_point(frame, 2),
        "tight spots": tight_spots(frame),
        "random schedules": random_schedules(frame, count),
    }
    wrong = [report(runs, f"{frame.name}, {name}: ") for name, runs in parts.items()]
    return int(any(wrong))


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python3 dev.py faults", description=__doc__)
    made.add_argument("--on", choices=list(FRAMES), help="only this platform")
    made.add_argument("--engine", choices=["sqlite", "postgres"], default="sqlite")
    made.add_argument("--seeds", type=int, default=SEEDS, help="how many random schedules")
    made.add_argument("--seed", type=int, help="one random schedule, told in full")
    made.add_argument("--at", nargs=3, metavar=("WORKERS", "POINT", "FAULT"))
    made.add_argument("--spot", type=int, help="one tight spot")
    kills = f"only kills: of {', '.join(ARENAS)}; one when named, as: after chat.update 1"
    made.add_argument("--kill", nargs="+", metavar=("PLATFORM", "BLOW"), help=kills)
    made.add_argument("--kills", type=int, help="only so many kills at random moments")
    made.add_argument("--planted", action="store_true", help="prove that broken rules are caught")
    return made


def single(chosen: argparse.Namespace, frames: Mapping[str, Frame]) -> Result | None:
    """The one run that is asked for."""
    frame = frames[chosen.on or PLAYED.platform]
    if chosen.seed is not None:
        return at_random(frame, chosen.seed)
    if chosen.at is not None:
        workers, number, fault = chosen.at
        return at_point(frame, int(workers), int(number), fault)
    return None if chosen.spot is None else at_spot(chosen.spot, frame.engine)


def tell(result: Result) -> int:
    for point in result.passed:
        print(point)
    print(result)
    return int(bool(result.problems))


def kill_at_random(arena: Arena, chosen: argparse.Namespace) -> int:
    """An equal share of the kills on each platform."""
    first = chosen.seed or 0
    seeds = range(first, first + chosen.kills)
    names = list(ARENAS)
    mine = [seed for seed in seeds if names[seed % len(names)] == arena.name]
    return kill(arena, [arena.random_blow(seed) for seed in mine])


def kill(arena: Arena, blows: Sequence[Blow] = ()) -> int:
    """At each request of a question, or where it is said."""
    began = monotonic()
    results = asyncio.run(survive(arena, blows or arena.every_blow()))
    wrong = [each for each in results if each.problems]
    for each in wrong:
        print(f"Something is wrong: --kill {arena.name} {each.blow}", *each.problems, sep="\n")
    for each in results if len(blows) == 1 else ():
        print(*each.requests, sep="\n")
    print(
        f"{arena.name}: {len(arena.requests)} requests of a question, {len(results)} kills,"
        f" {len(wrong)} wrong, {monotonic() - began:.0f} s",
        flush=True,
    )
    return int(bool(wrong))


def plant_all(seeds_each: int) -> int:
    missed = 0
    for struck in STRUCK:
        results = asyncio.run(kill_planted(struck))
        missed += not is_caught(struck, results)
        told = "caught" if is_caught(struck, results) else "MISSED"
        print(f"{told}: {struck.plant.name} ({struck.platform}, {struck.blow})", flush=True)
    for plant in PLANTS:
        found = hunt(plant, seeds=seeds_each)
        missed += not found.is_caught
        print(
            f"{'caught' if found.is_caught else 'MISSED'}: {plant.name}\n{found.told}", flush=True
        )
    print(f"{len(PLANTS) + len(STRUCK)} planted faults, {missed} missed")
    return int(missed > 0)


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # the order of sets is part of a schedule
        os.environ["PYTHONHASHSEED"] = "0"
        program = [sys.executable, "-m", "tests.faults", *sys.argv[1:]]
        os.execv(sys.executable, program)  # noqa: S606 - it starts itself
    sys.exit(main(sys.argv[1:]))
