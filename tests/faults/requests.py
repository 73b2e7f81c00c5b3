"""The real worker, killed before and after each request of one question."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.benchmarks.startup import ROOT
from tests.faults import discord_ground, slack_ground
from tests.faults.ground import Ground
from tests.faults.lane import Result, open_lane
from tests.faults.striker import Blow, blows, random_blow

LANES = 6  # side by side; each mostly waits


@dataclass(frozen=True, slots=True)
class Arena:
    """A platform. `requests` are all that one question comes to, and an answer of so many `lines`
    takes more than one message there. `open` makes a ground with so many questions."""

    name: str
    requests: Sequence[str]
    lines: int
    open: Callable[[int], AbstractAsyncContextManager[Ground]]

    def every_blow(self) -> list[Blow]:
        return blows(self.requests)

    def random_blow(self, seed: int) -> Blow:
        return random_blow(self.requests, Random(seed))  # noqa: S311 - a blow, not a secret


ARENAS: Mapping[str, Arena] = {
    each.name: each
    for each in (
        Arena("slack", slack_ground.REQUESTS, slack_ground.LINES, slack_ground.slack_ground),
        Arena(
            "discord",
            discord_ground.REQUESTS,
            discord_ground.LINES,
            discord_ground.discord_ground,
        ),
    )
}


async def survive(
    arena: Arena, wanted: Sequence[Blow | None], *, lanes: int = LANES, root: Path = ROOT
) -> list[Result]:
    """Each blow once (None: nobody is killed), in lanes side by side, as they ended."""
    left, results = list(reversed(wanted)), list[Result]()

    async def run(folder: Path) -> None:
        async with (
            arena.open(len(wanted)) as ground,
            open_lane(ground, folder, arena.lines, root) as lane,
        ):
            while left:
                results.append(await lane.survive(left.pop()))

    with TemporaryDirectory(prefix="nimbus-killed-") as home:
        async with asyncio.TaskGroup() as group:
            for number in range(min(lanes, len(wanted))):
                folder = Path(home) / str(number)
                folder.mkdir()
                group.create_task(run(folder))
    return results
