"""A process of the house in virtual time, on either engine, as `bot run` puts it together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.catch_up import CatchUp
from bot.main import Parts, Replaced, assemble
from bot.model import Model
from bot.platform import Accepted, Deleted, Edited, Inbound
from bot.recovery import Recovery
from bot.retention import Retention
from bot.settings import Limits, Settings, Timing
from bot.tools import Tool, Toolbox
from bot.tools.notes import note_tools
from memory.database import Row, Transaction
from memory.keys import PersonKey, PlaceKey
from memory.workspaces import DAY
from tests.faults.stores import Engine, Store
from tests.faults.virtual import VirtualLoop
from tests.planted import found_in
from tests.played_platform import PlayedPlatform

PLACE = PlaceKey("played", "W", "C", "1")
ANN = PersonKey("played", "W", "ann")
BOB = PersonKey("played", "W", "bob")
CY = PersonKey("played", "W", "cy")

_CAUGHT_UP = 12  # seconds: the pause after a connection, and reading
_OPEN = """
    SELECT place FROM turns WHERE state IN ('running', 'sending')
    UNION ALL SELECT conversation FROM messages WHERE state = 'waiting'
    """


@dataclass
class Dwelling:
    """What outlives a process: the files, the platform, and all that this has told of."""

    folder: Path
    store: Store
    loop: VirtualLoop
    model: Model
    tools: Sequence[Tool] = ()
    budget: int = 12_000
    platform: PlayedPlatform = field(init=False)
    told: list[Inbound] = field(default_factory=list)
    parts: Parts = field(init=False)
    _catch_up: CatchUp = field(init=False)
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)
    _stack: AsyncExitStack = field(init=False)

    def __post_init__(self) -> None:
        self.platform = PlayedPlatform(self.loop.milliseconds)

    async def start(self) -> None:
        self._stack = AsyncExitStack()
        database = (await self.store.open(self.loop.milliseconds)).database
        self._stack.push_async_callback(database.close)
        timing, limits = Timing(), Limits()
        toolbox = Toolbox([*self.tools, *note_tools(database)], timing, limits)
        replaced = Replaced(
            model=self.model, toolbox=toolbox, clock=self.loop.milliseconds, timing=timing
        )
        settings = Settings(
            context_budget=self.budget,
            messages_per_minute=0,
            person_tokens_per_day=0,
            total_tokens_per_day=0,
        )
        self.parts = parts = await self._stack.enter_async_context(
            assemble(settings, database, worker="run:1", outlets=[self.platform], replaced=replaced)
        )
        recovery = Recovery(database, parts.queue, timing, platforms=["played"])
        self._catch_up = CatchUp(database, parts.intake, [self.platform], "run:1")
        await recovery.take_up()
        await self._catch_up.look_back()
        residents = (
            parts.queue.work(parts.turns.answer, parts.turns.interrupted),
            recovery.keep_sweeping(),
            self._catch_up.keep_catching_up(),
            parts.erasure.keep_emptying(),
            parts.commands.forgetting.keep_finishing(),
        )
        self._tasks = [asyncio.create_task(work) for work in residents]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        await self._stack.aclose()

    async def restart(self, *, after_days: float = 0) -> None:
        """The next process reads all that was ever said, as if it had missed it."""
        await self.stop()
        self.loop.advance(after_days * DAY / 1000)
        await self.start()
        self._catch_up.connected("played", 0)
        await asyncio.sleep(_CAUGHT_UP)
        await self.quiet()

    # What people do

    async def say(
        self, text: str, person: PersonKey, place: PlaceKey = PLACE, **facts: Any
    ) -> Accepted:
        """Say it, and wait until all that comes of it has come."""
        said = self.platform.say(place, person, text, **facts)
        self.told.append(said)
        accepted = await self.tell(said)
        if accepted.then is not None:
            await accepted.then()
        return accepted

    async def tell(self, event: Inbound | Edited | Deleted) -> Accepted:
        accepted = await self.parts.intake.accept(event)
        await self.quiet()
        await asyncio.sleep(1)
        return accepted

    async def delete(self, said: Inbound) -> None:
        await self.tell(self.platform.delete(said))
        await asyncio.sleep(self.parts.timing.sweep / 1000 + 1)

    async def purge(self) -> int:
        return await Retention(self.parts.database, self.parts.erasure).purge()

    # What is seen

    async def quiet(self) -> None:
        """Until nothing waits and no turn is open."""
        async with asyncio.timeout(3600):
            while await self.rows(_OPEN):  # noqa: ASYNC110 - a row tells nobody
                await asyncio.sleep(0.1)
        await asyncio.sleep(0.1)  # the after-work

    async def rows(self, sql: str) -> list[Row]:
        async def read(tx: Transaction) -> list[Row]:
            return await tx.fetch(sql)

        return await self.parts.database.read(read)

    async def execute(self, sql: str) -> None:
        async def write(tx: Transaction) -> None:
            await tx.execute(sql)

        await self.parts.database.write(write)

    def words(self) -> set[str]:
        """The planted words in all rows, and in the raw bytes of all files."""
        files = b"".join(file.read_bytes() for file in self.folder.iterdir())
        return found_in(self.store.contents()) | found_in(files)


@asynccontextmanager
async def dwelling(
    folder: Path, engine: Engine, model: Model, tools: Sequence[Tool] = (), *, budget: int = 12_000
) -> AsyncIterator[Dwelling]:
    """With a process that runs. `engine` is prepared."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    store = engine.store(folder, (ANN,))
    here = Dwelling(folder, store, loop, model, tools, budget)
    await here.start()
    try:
        yield here
    finally:
        await here.stop()
        store.close()
