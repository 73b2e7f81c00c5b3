"""`python3 dev.py faults`: every point of the example conversation, then random schedules."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from time import monotonic

from tests.faults.planted import hunt
from tests.faults.plants import PLANTS
from tests.faults.simulate import Result, at_point, at_random, at_spot, every_point
from tests.faults.spots import SPOTS

SEEDS = 500


def main(arguments: Sequence[str]) -> int:
    """The exit code: 1 when something was wrong, or when a planted fault was not caught."""
    chosen = parser().parse_args(arguments)
    logging.disable(logging.CRITICAL)
    if chosen.planted:
        return plant_all(chosen.seeds)
    if chosen.hunt is not None:
        return report(chain(spots(), seeds(0, chosen.hunt)), stop_at_first=True)
    if chosen.seed is not None:
        return tell(at_random(chosen.seed))
    if chosen.at is not None:
        workers, number, fault = chosen.at
        return tell(at_point(int(workers), int(number), fault))
    if chosen.spot is not None:
        return tell(at_spot(chosen.spot))
    everything = chain(every_point(1), every_point(2), spots(), seeds(0, chosen.seeds))
    return report(everything)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python3 dev.py faults", description=__doc__)
    made.add_argument("--seeds", type=int, default=SEEDS, help="how many random schedules")
    made.add_argument("--seed", type=int, help="one random schedule, told in full")
    made.add_argument("--at", nargs=3, metavar=("WORKERS", "POINT", "FAULT"))
    made.add_argument("--spot", type=int, help="one tight spot")
    made.add_argument("--planted", action="store_true", help="prove that broken rules are caught")
    made.add_argument("--hunt", type=int, metavar="SEEDS", help=argparse.SUPPRESS)
    return made


def spots() -> Iterator[Result]:
    return map(at_spot, range(len(SPOTS)))


def seeds(first: int, count: int) -> Iterator[Result]:
    return map(at_random, range(first, first + count))


def report(results: Iterable[Result], *, stop_at_first: bool = False) -> int:
    began, runs, points, wrong = monotonic(), 0, 0, 0
    for result in results:
        runs, points = runs + 1, points + len(result.passed)
        if result.problems:
            wrong += 1
            print(f"Something is wrong:\n{result}", flush=True)
            if stop_at_first:
                break
    seconds = monotonic() - began
    print(f"{runs:,} runs, {points:,} commits and calls, {wrong} wrong, {seconds:.0f} s")
    return int(wrong > 0)


def tell(result: Result) -> int:
    for point in result.passed:
        print(point)
    print(result)
    return int(bool(result.problems))


def plant_all(seeds_each: int) -> int:
    missed = 0
    for plant in PLANTS:
        found = hunt(plant, seeds=seeds_each)
        missed += not found.is_caught
        print(
            f"{'caught' if found.is_caught else 'MISSED'}: {plant.name}\n{found.told}", flush=True
        )
    print(f"{len(PLANTS)} planted faults, {missed} missed")
    return int(missed > 0)


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # the order of sets is part of a schedule
        os.environ["PYTHONHASHSEED"] = "0"
        program = [sys.executable, "-m", "tests.faults", *sys.argv[1:]]
        os.execv(sys.executable, program)  # noqa: S606 - it starts itself
    sys.exit(main(sys.argv[1:]))
