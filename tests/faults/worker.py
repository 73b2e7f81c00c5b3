"""One simulated worker: what `bot.main` puts together, behind the gate."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import TypeVar

from bot.catch_up import CatchUp
from bot.main import Parts, Replaced, assemble
from bot.model import Model
from bot.recovery import RUN_WORKERS, Recovery
from bot.settings import Limits, Settings, Timing
from bot.tools import Tool, Toolbox, ToolContext
from bot.tools.shop import Shop
from bot.tools.support import desk_tools
from memory.usage import UNLIMITED, Allowance
from tests.faults.facts import Facts, Letter
from tests.faults.points import Gate
from tests.faults.seams import GatedDatabase, GatedModel
from tests.faults.stores import Store
from tests.faults.venue import Venue
from tests.faults.virtual import Process, VirtualLoop
from tests.faults.watch import Watch

T = TypeVar("T")


@dataclass(slots=True)
class House:
    """What outlives every process: files, platform, clock, and the gate around it all."""

    loop: VirtualLoop
    gate: Gate
    venue: Venue
    platform: str
    facts: Facts
    store: Store
    shop: Path
    model: Callable[[], Model]
    clock: Callable[[Process], int]
    watch: Watch
    think: Callable[[], float]
    timing: Timing = field(default_factory=Timing)
    limits: Limits = field(default_factory=Limits)
    budget: int = 12_000
    allowance: Allowance = UNLIMITED
    catches_up: bool = False
    alone: bool = True  # the file lock proves that every earlier worker is dead
    toolbox: Toolbox = field(init=False)

    def __post_init__(self) -> None:
        desk = desk_tools(Shop(self.shop, run=self._visit, today=self._today))
        letters = Tool.of(self.send_letter, risk="write")
        self.toolbox = Toolbox([*desk, letters], self.timing, self.limits)

    async def send_letter(self, context: ToolContext, text: str) -> str:
        """Send a letter. Nothing keeps it from being sent twice."""

        async def send() -> str:
            self.facts.letters.append(Letter(context.call_key, text))
            return "sent"

        self.watch.acting(context.conversation)

        return await self.gate.through("tool", "send_letter", send)

    async def _visit(self, work: Callable[[], T], /) -> T:
        async def visit() -> T:
            return work()

        return await self.gate.through("tool", "shop", visit)

    def _today(self) -> date:
        return datetime.fromtimestamp(self.loop.milliseconds() / 1000, UTC).date()


class Worker:
    """`parts` are there once it runs."""

    parts: Parts

    def __init__(self, house: House, process: Process) -> None:
        self.house = house
        self.process = process
        self._drop: Callable[[], None] = lambda: None
        self._residents: set[asyncio.Task[None] | None] = set()
        self._catch_up: CatchUp | None = None
        self._stack = AsyncExitStack()

    async def open(self) -> None:
        house = self.house

        def clock() -> int:
            return house.clock(self.process)

        opened = await house.store.open(house.loop.milliseconds)
        self._drop = opened.drop
        name, outlet = f"{RUN_WORKERS}{self.process.name}", house.venue.outlet(clock)
        self.parts = await self._stack.enter_async_context(
            assemble(
                _settings(house.budget, house.allowance),
                GatedDatabase(
                    opened.database, house.gate, house.watch.before_write, house.watch.committed
                ),
                worker=name,
                outlets=[outlet],
                replaced=Replaced(
                    model=GatedModel(
                        house.model(),
                        house.gate,
                        house.facts.requests.append,
                        house.think,
                        house.facts.spend,
                    ),
                    toolbox=house.toolbox,
                    clock=clock,
                    timing=house.timing,
                    limits=house.limits,
                ),
            )
        )

        if house.catches_up:
            self._catch_up = CatchUp(self.parts.database, self.parts.intake, [outlet], name)
            await self._catch_up.look_back()

    async def run(self) -> None:
        """Until it is killed."""
        database, queue, turns = self.parts.database, self.parts.queue, self.parts.turns
        recovery = Recovery(database, queue, self.house.timing, platforms=[self.house.platform])
        if self.house.alone:
            await recovery.take_up()
        else:
            await recovery.sweep()
        async with asyncio.TaskGroup() as tasks:
            self._residents = {
                asyncio.current_task(),
                tasks.create_task(queue.work(turns.answer, turns.interrupted)),
                tasks.create_task(recovery.keep_sweeping()),
                tasks.create_task(self.parts.erasure.keep_emptying()),
                tasks.create_task(self.parts.commands.forgetting.keep_finishing()),
            }
            if self._catch_up is not None:
                self._catch_up.connected(self.house.platform, None)
                self._residents.add(tasks.create_task(self._catch_up.keep_catching_up()))

    def left_over(self) -> list[str]:
        """What still runs beside that which runs as long as the process."""
        running = [task for task in self.process.tasks if not task.done()]
        return [str(task.get_coro()) for task in running if task not in self._residents]

    def drop(self) -> None:
        """The kernel closes what a dead process had open."""
        self._drop()


@cache
def _settings(budget: int, allowance: Allowance) -> Settings:
    return Settings(
        context_budget=budget,
        summaries=False,  # the echo answers people alone
        messages_per_minute=allowance.messages_per_minute,
        person_tokens_per_day=allowance.person_tokens_per_day,
    )
