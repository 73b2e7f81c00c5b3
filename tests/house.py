"""The whole house in one process: intake, turns, a real SQLite file and the real shop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from adapters.offline.model import OfflineModel
from bot.after import AfterWork
from bot.agent import Agent
from bot.context import Context, ContextBuilder
from bot.intake import Intake
from bot.lease import suspended_clock
from bot.model import Model
from bot.prompts import system_prompt
from bot.queue import LocalQueue
from bot.run import Runs
from bot.settings import Limits, Timing
from bot.tools import Toolbox
from bot.tools.shop import Shop
from bot.tools.support import desk_tools
from bot.turns import Turns
from memory.database import Database, Transaction, wall_clock
from memory.engines import open_database
from memory.installation import read_secret
from memory.keys import Digests, PersonKey, PlaceKey
from memory.messages import user
from memory.migrate import migrate
from memory.window import BUDGET, RECENT_TURNS
from tests.played_platform import PlayedPlatform

PLATFORM = "terminal"
PLACE = PlaceKey(PLATFORM, "local", "chat", "0" * 32)
ANN = PersonKey(PLATFORM, "", "ann")


@dataclass(frozen=True)
class House:
    """Everything but the files is gone when it is closed; whoever says things is the demo
    customer."""

    database: Database
    platform: PlayedPlatform
    intake: Intake
    turns: Turns
    contexts: ContextBuilder
    shop: Shop

    async def say(self, *texts: str) -> str:
        """Say something, several things as a burst, and read the answer on the platform."""
        conversation = ""
        for text in texts:
            accepted = await self.intake.accept(self.platform.say(PLACE, ANN, text))
            conversation = accepted.conversation or ""
        await self.turns.answer(conversation)
        return self.platform.shown(PLACE)[-1].removeprefix("> ")

    async def opened_for(self) -> list[int | None]:
        """The orders of all tickets in the shop."""
        return [ticket.order_id for ticket in await self.shop.tickets("demo")]

    async def next_context(self, question: str) -> Context:
        """What the next question would send."""

        async def work(tx: Transaction) -> Context:
            found = await tx.fetch("SELECT id, next_turn FROM conversations WHERE is_current = 1")
            [conversation] = found
            return await self.contexts.build(
                tx,
                conversation["id"],
                (user(question),),
                conversation["next_turn"],
                await tx.now(),
            )

        return await self.database.read(work)


@asynccontextmanager
async def open_house(
    folder: Path,
    platform: PlayedPlatform | None = None,
    *,
    name: str = "nimbus",
    model: Model | None = None,
) -> AsyncIterator[House]:
    """A process on the files of this name; another one after it finds what it left."""
    database = await open_database(f"sqlite:///{folder / name}.db")
    try:
        await migrate(database)
        outlet = platform or PlayedPlatform(wall_clock, PLATFORM)
        shop = Shop(folder / f"{name}-shop.db")
        yield await _build(database, outlet, shop, model or OfflineModel())
    finally:
        await database.close()


async def _build(database: Database, platform: PlayedPlatform, shop: Shop, model: Model) -> House:
    timing, limits, clock = Timing(), Limits(), suspended_clock()
    digests = Digests(await database.write(read_secret))
    toolbox = Toolbox(desk_tools(shop), timing, limits)
    system = await asyncio.to_thread(system_prompt, "Nimbus")
    contexts = ContextBuilder(system, toolbox.specs)
    turns = Turns(
        database=database,
        runs=Runs(
            database=database,
            outlets={PLATFORM: platform},
            digests=digests,
            worker="run:test",
            clock=clock,
            timing=timing,
        ),
        agent=Agent(model, toolbox, limits, timing, clock),
        contexts=contexts,
        after=AfterWork(database, budget=BUDGET, recent_turns=RECENT_TURNS),
        timing=timing,
        limits=limits,
        customers={PLATFORM: "demo"},
    )
    intake = Intake(database, LocalQueue(), digests, limits, timing)
    return House(database, platform, intake, turns, contexts, shop)
