"""Every commit and call of the example conversation, then random schedules."""

from dataclasses import replace
from itertools import count
from time import monotonic

import pytest

from tests.faults.frames import FRAMES
from tests.faults.played import PLAYED
from tests.faults.simulate import Result, at_random, at_spot, every_point
from tests.faults.spots import SPOTS
from tests.faults.stores import OnPostgres
from tests.faults.venue import Frame

pytestmark = [pytest.mark.inline, pytest.mark.slow]

SEEDS = 500
LEAST = 30  # of a platform, however busy the machine is: they strike every kind of call
SECONDS = 6  # after which the rest is left to `dev.py faults`


def wrong(results: list[Result]) -> str:
    return "\n".join(str(result) for result in results if result.problems)


@pytest.mark.parametrize(
    ("platform", "workers", "step"),
    [("played", 1, 1), ("played", 2, 2), ("slack", 1, 2), ("discord", 1, 6)],
)
def test_every_fault_at_every_point_of_the_example_leaves_one_ticket_and_each_answer_once(
    platform: str, workers: int, step: int
) -> None:
    """For the sake of time all of them on the played platform alone; `dev.py faults` plays all."""
    results = list(every_point(FRAMES[platform], workers, step))

    print(f"{len(results)} runs on {platform} with {workers} workers")
    assert wrong(results) == ""
    assert len(results) > 200 / step
    assert all(len(result.struck) == 1 for result in results[1:])


@pytest.mark.parametrize("number", range(len(SPOTS)))
def test_the_rules_hold_in_tight_spots(number: int) -> None:
    result = at_spot(number)

    assert wrong([result]) == ""
    assert len(result.struck) == len(SPOTS[number].faults)


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_the_rules_hold_in_random_schedules(frame: Frame) -> None:
    results, began = [], monotonic()
    for seed in count():
        results.append(at_random(frame, seed))
        if seed + 1 == SEEDS or (seed + 1 >= LEAST and monotonic() - began > SECONDS):
            break

    print(f"{len(results)} random schedules on {frame.platform}")
    assert wrong(results) == ""
    struck = {point.kind for result in results for point, _ in result.struck}
    assert struck == {"commit", "model", "tool", *frame.calls}


def test_the_rules_hold_on_postgresql_at_the_same_points(postgres_url: str) -> None:
    """At some of them, for the sake of time; `dev.py faults --engine postgres` plays all."""
    frame = replace(PLAYED, engine=OnPostgres(postgres_url))
    results = list(every_point(frame, 2, step=50))
    [undisturbed, *_] = every_point(PLAYED, 2, step=1_000)
    schedules = [at_random(frame, seed) for seed in range(5)]

    assert wrong([*results, *schedules]) == ""
    assert results[0].passed == undisturbed.passed
    assert all(len(result.struck) == 1 for result in results[1:])


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_a_seed_reproduces_its_run(frame: Frame) -> None:
    first, second = at_random(frame, 7), at_random(frame, 7)

    assert first.passed == second.passed
