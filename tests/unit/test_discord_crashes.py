"""A worker that dies before or after any request of a turn on Discord, and the one after it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from adapters.discord.answers import Answer, DiscordError
from adapters.discord.api import Request
from adapters.discord.events import Reader
from adapters.discord.outlet import DiscordOutlet
from bot.delivery import Courier
from bot.platform import Delivery
from bot.settings import Timing
from tests.discord_in_process import LineInProcess
from tests.servers.discord.permissions import May
from tests.unit.discord_scene import Scene, on_stage

SHOWN = "Let me see. " * 200
ANSWER = "It is so: " + "one two three " * 400
MONTH = 30 * 24 * 60 * 60


@dataclass
class DoomedLine:
    """Its worker dies at this request: just before it, or when it has arrived."""

    line: LineInProcess
    number: int
    has_arrived: bool

    def __post_init__(self) -> None:
        self.made = 0
        self.death = asyncio.Event()

    async def carry(self, request: Request, within_ms: int) -> Answer:
        self.made += 1
        if self.made < self.number:
            return await self.line.carry(request, within_ms)
        if self.made == self.number and self.has_arrived:
            await self.line.carry(request, within_ms)
        self.death.set()
        await asyncio.sleep(within_ms / 1000)
        raise DiscordError("nobody is here any more", unknown=True)


@asynccontextmanager
async def courier(scene: Scene, line: DoomedLine, *, taken_over: bool) -> AsyncIterator[Courier]:
    clock = scene.loop.milliseconds
    outlet = DiscordOutlet(line, Reader(scene.bot.id), clock)
    delivery = Delivery("t1", scene.address, lambda: None, 4_000)
    async with Courier(
        outlet,
        delivery,
        timing=Timing(),
        clock=clock,
        started_at=scene.asked_at,
        taken_over=taken_over,
    ) as one:
        yield one


async def live(scene: Scene, line: DoomedLine) -> None:
    async with courier(scene, line, taken_over=False) as first:
        await asyncio.sleep(1)
        await first.show("Let me")
        await asyncio.sleep(2)
        await first.show(SHOWN)
        await asyncio.sleep(3)
        await first.deliver(ANSWER)
        scene.is_done = True
        await first.recorded()


async def live_until_death(scene: Scene, number: int, *, has_arrived: bool) -> bool:
    """Whether it died at all."""
    line = DoomedLine(scene.line, number, has_arrived)
    life, death = asyncio.create_task(live(scene, line)), asyncio.create_task(line.death.wait())
    await asyncio.wait({life, death}, return_when=asyncio.FIRST_COMPLETED)
    died = line.death.is_set()
    life.cancel()
    death.cancel()
    await asyncio.gather(life, death, return_exceptions=True)
    return died


def prepare(scene: Scene, where: str) -> None:
    if where == "chain":
        scene.home.overwrite(scene.channel, deny=May.CREATE_PUBLIC_THREADS)
    if where == "never":
        scene.address = scene.top("never")


@pytest.mark.parametrize("has_arrived", [False, True])
@pytest.mark.parametrize(
    ("where", "pause"),
    [
        ("thread", MONTH),
        pytest.param("thread", 1, marks=pytest.mark.slow),
        pytest.param("chain", 1, marks=pytest.mark.slow),
        pytest.param("chain", MONTH, marks=pytest.mark.slow),
        pytest.param("never", MONTH, marks=pytest.mark.slow),
        pytest.param("direct", 1, marks=pytest.mark.slow),
        pytest.param("direct", MONTH, marks=pytest.mark.slow),
    ],
)
def test_one_whole_answer_stands_whenever_the_worker_dies(
    where: str,
    pause: float,
    has_arrived: bool,  # noqa: FBT001
) -> None:
    number, dies = 0, True
    while dies:
        number += 1
        dies = dies_once(where, number, pause, has_arrived=has_arrived)
    assert number > 8


def dies_once(where: str, number: int, pause: float, *, has_arrived: bool) -> bool:
    deaths: list[bool] = []

    @on_stage
    async def play(scene: Scene) -> None:
        if where == "direct":
            await scene.directly()
        prepare(scene, where)
        deaths.append(await live_until_death(scene, number, has_arrived=has_arrived))
        await asyncio.sleep(pause)
        if not scene.is_done:
            line = DoomedLine(scene.line, 1_000, has_arrived=False)
            async with courier(scene, line, taken_over=True) as second:
                await second.deliver(ANSWER)
                await second.recorded()
            assert not any(message.components for message in scene.own())

        assert "".join(scene.shown()) == ANSWER
        if where == "thread":
            assert scene.bot.own(scene.channel) == []

    play()
    return deaths[0]
