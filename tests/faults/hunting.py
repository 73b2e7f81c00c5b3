"""Runs in a row, until one is wrong: what is done in a tree with a planted fault."""

from __future__ import annotations

import logging
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from textwrap import wrap
from time import monotonic

from tests.faults.simulate import Result, at_random, at_spot
from tests.faults.spots import SPOTS
from tests.faults.venue import Frame


def tight_spots(frame: Frame) -> Iterator[Result]:
    for number, spot in enumerate(SPOTS):
        if spot.frame.platform == frame.platform:
            yield at_spot(number, frame.engine)


def random_schedules(frame: Frame, count: int) -> Iterator[Result]:
    return (at_random(frame, seed) for seed in range(count))


def report(results: Iterable[Result], what: str = "", *, stop_at_first: bool = False) -> int:
    """How many were wrong."""
    began, runs, points, wrong = monotonic(), 0, 0, 0
    kinds: Counter[str] = Counter()
    for result in results:
        runs, points = runs + 1, points + len(result.passed)
        kinds.update(f"{fault} ({point.kind})" for point, fault in result.struck)
        kinds.update(result.deeds)
        if result.problems:
            wrong += 1
            print(f"Something is wrong:\n{result}", flush=True)
            if stop_at_first:
                break
    seconds = monotonic() - began
    told = f"{runs:,} runs, {points:,} commits and calls, {wrong} wrong, {seconds:.0f} s"
    print(f"{what}{told}", flush=True)
    for line in wrap(", ".join(f"{kind} {count:,}" for kind, count in sorted(kinds.items())), 96):
        print(f"  {line}", flush=True)
    return wrong


def main(platform: str, seeds: str) -> int:
    logging.disable(logging.CRITICAL)
    frame = next(spot.frame for spot in SPOTS if spot.frame.platform == platform)
    runs = chain(tight_spots(frame), random_schedules(frame, int(seeds)))
    return report(runs, stop_at_first=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
