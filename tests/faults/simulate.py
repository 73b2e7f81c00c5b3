"""The whole system in one process, in virtual time: a fault at every point, then at random."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults import example
from tests.faults.plan import Plan
from tests.faults.points import FAULTS, Fault, Point
from tests.faults.schedules import Schedule
from tests.faults.spots import SPOTS
from tests.faults.stores import ON_SQLITE, Engine
from tests.faults.venue import Frame
from tests.faults.virtual import VirtualLoop, run
from tests.faults.world import World

Scenario = Callable[[World], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Result:
    """`name` is what `python3 dev.py faults` must be given to see it again."""

    problems: Sequence[str]
    passed: Sequence[Point]
    struck: Sequence[tuple[Point, Fault]]
    name: str = ""
    deeds: Sequence[str] = ()  # what people did and met, where that was left to chance

    def __str__(self) -> str:
        struck = [f"  {fault} at {point}" for point, fault in self.struck]
        again = [f"  again: python3 dev.py faults {self.name}"] if self.name else []
        return "\n".join([*struck, *(f"  ! {problem}" for problem in self.problems), *again])


def simulate(scenario: Scenario, plan: Plan, name: str = "") -> Result:
    """One run, from an empty database to the verdict."""
    plan.frame.engine.prepare(plan.frame.people)
    with TemporaryDirectory(prefix="nimbus-faults-") as folder:
        return run(lambda loop: _simulate(loop, scenario, plan, Path(folder), name))


async def _simulate(
    loop: VirtualLoop, scenario: Scenario, plan: Plan, folder: Path, name: str
) -> Result:
    world = World(loop, plan, folder)
    await world.start()
    try:
        await scenario(world)
        await world.until_quiet()
        problems = world.judge()
    finally:
        await world.end()
    return Result(problems, world.gate.passed, world.facts.struck, name, world.facts.fates)


def every_point(frame: Frame, workers: int, step: int = 1) -> Iterator[Result]:
    """The example conversation without a fault, then with every fault at every point, or with each
    second of them, or third."""
    undisturbed = simulate(example.play, example.plan(frame, workers))
    yield undisturbed
    strikes = [
        (point.number, fault) for point in undisturbed.passed for fault in FAULTS[point.kind]
    ]
    for number, fault in strikes[::step]:
        yield at_point(frame, workers, number, fault)


def at_point(frame: Frame, workers: int, number: int, fault: Fault) -> Result:
    name = f'{frame.again} --at {workers} {number} "{fault}"'
    return simulate(example.play, example.plan(frame, workers, (number, fault)), name)


def at_random(frame: Frame, seed: int) -> Result:
    schedule = Schedule(frame, seed)
    result = simulate(schedule.play, schedule.plan(), f"{frame.again} --seed {seed}")
    return replace(result, deeds=[*(act.deed for act in schedule.acts), *result.deeds])


def at_spot(number: int, engine: Engine = ON_SQLITE) -> Result:
    spot = SPOTS[number]
    frame = replace(spot.frame, engine=engine)
    plan = replace(spot.plan(), frame=frame)
    return simulate(spot.play, plan, f"{frame.again} --spot {number}")
