"""The whole system in one process, in virtual time: a fault at every point, then at random."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults.points import Fault, Point
from tests.faults.virtual import VirtualLoop, run
from tests.faults.world import Plan, World

Scenario = Callable[[World], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Result:
    problems: Sequence[str]
    passed: Sequence[Point]
    struck: Sequence[tuple[Point, Fault]]


def simulate(scenario: Scenario, plan: Plan) -> Result:
    """One run, from an empty database to the verdict."""
    with TemporaryDirectory(prefix="nimbus-faults-") as folder:
        return run(lambda loop: _simulate(loop, scenario, plan, Path(folder)))


async def _simulate(loop: VirtualLoop, scenario: Scenario, plan: Plan, folder: Path) -> Result:
    world = World(loop, plan, folder)
    await world.start()
    try:
        await scenario(world)
        await world.until_quiet()
        problems = world.judge()
    finally:
        await world.end()
    return Result(problems, world.gate.passed, world.facts.struck)
