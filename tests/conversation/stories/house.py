"""A whole house in this process: a real file, a played platform, a scripted model, virtual time."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from bot.commands import Commands
from bot.fallback import Fallback
from bot.health import Health
from bot.model import Model
from bot.platform import Accepted, Event
from bot.queue import LocalQueue
from bot.rules import Rules
from bot.settings import Limits, Timing
from bot.tools import Risk, Tool
from memory import conversations, holds
from memory.database import Row
from memory.errors import StorageError
from memory.keys import PersonKey, PlaceKey
from memory.messages import ToolCall
from memory.sqlite_file import open_file
from memory.usage import UNLIMITED, Allowance
from tests.conversation.stories.worker import Worker, build, migrated
from tests.fakes import ScriptedModel, Step
from tests.faults.virtual import VirtualLoop
from tests.played_platform import PlayedPlatform

T = TypeVar("T")
PLACE = PlaceKey("played", "W", "C", "1")
ELSEWHERE = PlaceKey("played", "W", "C", "2")
ANN = PersonKey("played", "W", "ann")
BOB = PersonKey("played", "W", "bob")
PATIENCE_SECONDS = 3600


@dataclass
class House:
    """What outlives a process: the file, the platform, the model's script."""

    file: Path
    model: ScriptedModel
    loop: VirtualLoop
    platform: PlayedPlatform
    timing: Timing
    limits: Limits
    tools: Sequence[Tool]
    budget: int
    rules: Rules
    summaries: bool = False
    allowance: Allowance = UNLIMITED
    spare: ScriptedModel | None = None
    health: Health = field(default_factory=Health)
    failed: list[tuple[str, Exception]] = field(default_factory=list)
    reader: sqlite3.Connection = field(init=False)
    worker: Worker = field(init=False)

    async def open(self, name: str = "run:1", *, works: bool = True) -> None:
        """Start a process. One that does not work only takes messages in."""
        self.worker = worker = await build(self, name)
        if works:
            await worker.recovery.take_up()
            worker.start(worker.queue.work(worker.turns.answer, worker.turns.interrupted))
            worker.start(worker.recovery.keep_sweeping())
            worker.start(worker.intake.commands.forgetting.keep_finishing())

    async def crash(self) -> None:
        """Drop everything that the process had in memory; what it had sent is on its way."""
        for task in self.worker.tasks:
            task.cancel()
        if self.worker.tasks:
            await asyncio.wait(self.worker.tasks)
        await self.worker.after.drop()
        await self.worker.erasure.closing.drop()
        await self.worker.database.close()

    async def restart(self, name: str = "run:2") -> None:
        await self.crash()
        await self.open(name)

    @property
    def models(self) -> Model:
        """The model, and the one to ask when that one fails or has no room."""
        return Fallback([self.model, self.spare]) if self.spare else self.model

    # What people do

    async def say(
        self, text: str, person: PersonKey = ANN, *, place: PlaceKey = PLACE, **facts: Any
    ) -> Accepted:
        return await self.tell(self.platform.say(place, person, text, **facts))

    async def chat(self, text: str, person: PersonKey = BOB) -> Accepted:
        """Write something that is not meant for us."""
        return await self.say(text, person, mentions_us=False)

    async def tell(self, event: Event) -> Accepted:
        return await self.worker.intake.accept(event)

    async def say_unheard(self, text: str) -> None:
        """Ann writes, and it is another process that takes it in: nobody here is rung."""
        intake = replace(self.worker.intake, queue=LocalQueue())
        await intake.accept(self.platform.say(PLACE, ANN, text))

    async def wish_to_stop(self) -> None:
        """Another process stores the wish: nobody here is rung."""
        await self.worker.database.database.write(lambda tx: holds.wish_to_stop(tx, PLACE))

    async def stop(self) -> None:
        conversation = await self.worker.database.write(lambda tx: holds.wish_to_stop(tx, PLACE))
        if conversation is not None:
            await self.worker.queue.interrupt(conversation)

    async def start_new(self) -> None:
        await self.worker.database.write(
            lambda tx: conversations.start_new(tx, PLACE, surface="public", owner=ANN)
        )

    async def forget(self, place: PlaceKey = PLACE) -> None:
        said_before = self.loop.milliseconds() + 1
        await self.worker.erasure.forget_place(place, said_before=said_before)

    @property
    def commands(self) -> Commands:
        return self.worker.intake.commands

    # What is seen

    def shown(self, place: PlaceKey = PLACE) -> list[str]:
        return self.platform.shown(place)

    def rows(self, sql: str) -> list[Row]:
        return [dict(row) for row in self.reader.execute(sql)]

    def outcomes(self) -> list[tuple[str, str | None]]:
        rows = self.rows("SELECT state, outcome FROM turns ORDER BY started_at, number")
        return [(row["state"], row["outcome"]) for row in rows]

    def attempts(self) -> list[int]:
        return [row["attempts"] for row in self.rows("SELECT attempts FROM turns")]

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Let the house work until something is so; DeadlockError or TimeoutError else."""
        pause = 0.01
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not is_so():
                await asyncio.sleep(pause)
                pause = min(1.2 * pause, 5)

    async def wait(self, seconds: float) -> None:
        """Let time pass."""
        await asyncio.sleep(seconds)

    async def hear_more(self) -> None:
        await self.say_unheard("and more")

    async def renewal(self) -> None:
        """Let the open turn's lease be renewed."""
        [row] = self.rows("SELECT conversation FROM turns WHERE state IN ('running', 'sending')")
        await self.worker.queue.interrupt(row["conversation"])
        await self.wait(0.1)

    async def nap(self) -> None:
        """For longer than a model thinks, and shorter than a lease."""
        await self.wait(3)

    async def sleep_through(self) -> None:
        """For longer than a lease; nobody in the process can renew it meanwhile."""
        self.worker.database.away = True
        await self.wait(31)
        self.worker.database.away = False

    async def lock(self) -> None:
        """Another program takes the database and keeps it."""
        self.worker.database.locked = True

    async def sleep_well(self) -> None:
        """For longer than anybody waits."""
        await asyncio.sleep(24 * 3600)

    async def quiet(self) -> None:
        """Let the house work until nothing waits and no turn is open."""
        await self.until(
            lambda: (
                not self.rows(
                    "SELECT 1 FROM messages WHERE state = 'waiting'"
                    " UNION ALL SELECT 1 FROM turns WHERE state IN ('running', 'sending')"
                )
            )
        )
        await self.worker.after.settled()

    async def asked(self, times: int) -> None:
        """Until the model was asked so often."""
        await self.until(lambda: len(self.model.requests) >= times)


@dataclass
class Door:
    """A tool that waits until somebody opens."""

    knocks: int = 0
    opened: asyncio.Event = field(default_factory=asyncio.Event)

    def tool(self, risk: Risk = "read", *, idempotent: bool = False) -> Tool:
        return Tool.of(self.knock, risk=risk, idempotent=idempotent)

    async def knock(self) -> str:
        """Knock at the door."""
        self.knocks += 1
        await self.opened.wait()
        return "come in"


KNOCK = ToolCall("c1", "knock", "{}")


@asynccontextmanager
async def living(
    folder: Path,
    *steps: Step,
    model: ScriptedModel | None = None,
    tools: Sequence[Tool] = (),
    timing: Timing | None = None,
    limits: Limits | None = None,
    budget: int = 12_000,
    summaries: bool = False,
    rules: Rules | None = None,
    allowance: Allowance = UNLIMITED,
    spare: ScriptedModel | None = None,
    works: bool = True,
) -> AsyncIterator[House]:
    """A house whose first process runs; the script must be used up."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    house = House(
        file=folder / "nimbus.db",
        model=model or ScriptedModel(*steps),
        loop=loop,
        platform=PlayedPlatform(loop.milliseconds),
        timing=timing or Timing(),
        limits=limits or Limits(),
        tools=tools,
        budget=budget,
        summaries=summaries,
        rules=rules or Rules(),
        allowance=allowance,
        spare=spare,
    )
    await migrated(house)
    house.reader = open_file(house.file)
    await house.open(works=works)
    try:
        yield house
    finally:
        with suppress(StorageError):
            await house.crash()
        house.reader.close()
    await house.model.close()
