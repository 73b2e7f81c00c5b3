"""The whole house with the offline model: intake, turns, a real SQLite file and the real shop."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.context import Context
from bot.main import Parts, Replaced, assemble, open_memory
from bot.settings import Settings, Timing
from bot.tools.shop import Shop
from memory.database import Transaction, wall_clock
from memory.keys import PersonKey, PlaceKey
from memory.messages import user
from tests.played_platform import PlayedPlatform

PLATFORM = "terminal"
PLACE = PlaceKey(PLATFORM, "local", "chat", "0" * 32)
ANN = PersonKey(PLATFORM, "", "ann")


@dataclass(frozen=True)
class House:
    """Everything but the files is gone when it is closed. Ann is the demo customer."""

    parts: Parts
    platform: PlayedPlatform
    shop: Shop

    async def say(self, *texts: str) -> str:
        """Say something, several things as a burst, and read the answer on the platform."""
        conversation = ""
        for text in texts:
            accepted = await self.parts.intake.accept(self.platform.say(PLACE, ANN, text))
            conversation = accepted.conversation or ""
        await self.parts.turns.answer(conversation)
        await self.parts.after.settled()
        return self.platform.shown(PLACE)[-1].removeprefix("> ")

    async def opened_for(self) -> list[int | None]:
        """The orders of all tickets in the shop."""
        return [ticket.order_id for ticket in await self.shop.tickets("demo")]

    async def next_context(self, question: str) -> Context:
        """What the next question would send."""

        async def work(tx: Transaction) -> Context:
            [now] = await tx.fetch("SELECT id, next_turn FROM conversations WHERE is_current = 1")
            asked = (user(question),)
            return await self.parts.contexts.build(
                tx, now["id"], asked, now["next_turn"], await tx.now()
            )

        return await self.parts.database.read(work)


@asynccontextmanager
async def open_house(
    folder: Path, platform: PlayedPlatform | None = None, *, timing: Timing | None = None
) -> AsyncIterator[House]:
    """A process on the files in this folder; another one after it finds what it left."""
    settings = Settings(database_url=f"sqlite:///{folder / 'nimbus.db'}")
    replaced = Replaced(timing=timing or Timing())
    outlet = platform or PlayedPlatform(wall_clock, PLATFORM)
    async with (
        open_memory(settings) as database,
        assemble(
            settings,
            database,
            worker="cli:test",
            outlets=[outlet],
            replaced=replaced,
        ) as parts,
    ):
        yield House(parts, outlet, Shop(folder / "shop.db"))
