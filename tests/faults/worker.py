"""One simulated worker: the parts that `bot.main` puts together, behind the gate."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TypeVar

from bot.after import AfterWork
from bot.agent import Agent
from bot.context import ContextBuilder
from bot.erasure import Erasure
from bot.intake import Intake
from bot.model import Model
from bot.queue import LocalQueue
from bot.recovery import Recovery
from bot.run import Runs
from bot.settings import Limits, Timing
from bot.tools import Tool, Toolbox, ToolContext
from bot.tools.shop import Shop
from bot.tools.support import desk_tools
from bot.turns import Turns
from memory import conversations, holds
from memory.keys import Digests, PersonKey, PlaceKey
from memory.sqlite import SQLite
from tests.faults.facts import Facts, Letter
from tests.faults.inline import InlineConnection, connect
from tests.faults.points import Gate
from tests.faults.seams import GatedDatabase, GatedModel, GatedPlatform
from tests.faults.virtual import Process, VirtualLoop

T = TypeVar("T")
DIGESTS = Digests(b"a secret of the installation")


@dataclass(slots=True)
class House:
    """What outlives every process: files, platform, clock, and the gate around it all."""

    loop: VirtualLoop
    gate: Gate
    platform: GatedPlatform
    facts: Facts
    database: Path
    shop: Path
    model: Callable[[], Model]
    clock: Callable[[Process], int]
    before_write: Callable[[], None]
    committed: Callable[[Sequence[str]], None]
    think: Callable[[], float]
    timing: Timing = field(default_factory=Timing)
    limits: Limits = field(default_factory=Limits)
    budget: int = 12_000
    alone: bool = True  # the file lock proves that every earlier worker is dead


class Worker:
    def __init__(
        self,
        house: House,
        process: Process,
        sqlite: SQLite,
        connections: Sequence[InlineConnection],
    ) -> None:
        self.house = house
        self._connections = connections
        self.process = process
        self.database = GatedDatabase(
            sqlite, house.gate, before_write=house.before_write, committed=house.committed
        )
        self.queue = LocalQueue()
        self.contexts = ContextBuilder("Help.", budget=house.budget)
        self.intake = Intake(self.database, self.queue, DIGESTS, house.limits, house.timing)
        self.turns = self._turns()
        self.erasure = Erasure(
            database=self.database,
            queue=self.queue,
            outlets={"played": house.platform},
            digests=DIGESTS,
            timing=house.timing,
            clock=self._clock,
            retention=30 * 24 * 3_600_000,
        )

    @classmethod
    async def open(cls, house: House, process: Process) -> Worker:
        connections: list[InlineConnection] = []

        async def connecting(make: Callable[[], sqlite3.Connection]) -> InlineConnection:
            connections.append(await connect(make))
            return connections[-1]

        sqlite = await SQLite.open(
            house.database,
            durability="normal",
            clock=house.loop.milliseconds,
            connect=connecting,
            busy_ms=0,
        )
        return cls(house, process, sqlite, connections)

    async def stop(self, place: PlaceKey) -> None:
        conversation = await self.database.write(lambda tx: holds.wish_to_stop(tx, place))
        if conversation is not None:
            await self.queue.interrupt(conversation)

    async def start_anew(self, place: PlaceKey, person: PersonKey) -> None:
        await self.database.write(
            lambda tx: conversations.start_new(tx, place, surface="public", owner=person)
        )

    async def forget(self, place: PlaceKey, said_before: int) -> None:
        await self.erasure.forget_place(place, said_before=said_before)

    def drop(self) -> None:
        """The kernel closes what a dead process had open."""
        for connection in self._connections:
            connection.sqlite.close()

    async def run(self) -> None:
        """Until it is killed."""
        house = self.house
        recovery = Recovery(self.database, self.queue, house.timing, platforms=["played"])
        if house.alone:
            await recovery.take_up()
        else:
            await recovery.sweep()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.queue.work(self.turns.answer, self.turns.interrupted))
            tasks.create_task(recovery.keep_sweeping())

    def _turns(self) -> Turns:
        house = self.house
        tools = [
            *desk_tools(Shop(house.shop, run=self._visit, today=self._today)),
            Tool.of(self.send_letter, risk="write"),
        ]
        toolbox = Toolbox(tools, house.timing, house.limits)
        model = GatedModel(house.model(), house.gate, house.facts.requests.append, house.think)
        outlets = {"played": house.platform}
        runs = Runs(
            database=self.database,
            outlets=outlets,
            digests=DIGESTS,
            worker=f"run:{self.process.name}",
            clock=self._clock,
            timing=house.timing,
        )
        return Turns(
            database=self.database,
            runs=runs,
            agent=Agent(model, toolbox, house.limits, house.timing, self._clock),
            contexts=ContextBuilder("Help.", toolbox.specs, budget=house.budget),
            after=AfterWork(self.database, budget=house.budget, recent_turns=2),
            timing=house.timing,
            limits=house.limits,
            customers={"played": "demo"},
        )

    async def send_letter(self, context: ToolContext, text: str) -> str:
        """Send a letter. Nothing keeps it from being sent twice."""

        async def send() -> str:
            letter = Letter(context.call_key, context.conversation, self.process.name, text)
            self.house.facts.letters.append(letter)
            return "sent"

        return await self.house.gate.through("tool", "send_letter", send)

    async def _visit(self, work: Callable[[], T], /) -> T:
        async def visit() -> T:
            return work()

        return await self.house.gate.through("tool", "shop", visit)

    def _clock(self) -> int:
        return self.house.clock(self.process)

    def _today(self) -> date:
        return datetime.fromtimestamp(self.house.loop.milliseconds() / 1000, UTC).date()
