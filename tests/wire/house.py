"""One conversation in a terminal, through the whole house and over a real wire."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.main import Parts, assemble, open_memory
from bot.settings import Settings
from memory.database import wall_clock
from memory.keys import PersonKey, PlaceKey
from tests.played_platform import PlayedPlatform

PLACE = PlaceKey("terminal", "local", "chat", "f" * 32)
PERSON = PersonKey("terminal", "", "ann")


@dataclass(frozen=True)
class Chat:
    parts: Parts
    terminal: PlayedPlatform

    async def say(self, question: str) -> str:
        inbound = self.terminal.say(PLACE, PERSON, question)
        accepted = await self.parts.intake.accept(inbound)
        assert accepted.conversation is not None
        await self.parts.turns.answer(accepted.conversation)
        await self.parts.after.settled()
        return self.terminal.shown(PLACE)[-1].removeprefix("> ")


@asynccontextmanager
async def chatting(
    folder: Path, terminal: PlayedPlatform | None = None, **configured: str
) -> AsyncIterator[Chat]:
    """A process on the folder's database; with the terminal of another one, after that ended."""
    url = f"sqlite:///{folder / 'nimbus.db'}"
    settings = Settings.model_validate({"database_url": url, **configured})
    terminal = terminal or PlayedPlatform(wall_clock, "terminal")
    async with (
        open_memory(settings) as database,
        assemble(settings, database, worker="cli:test", outlets=[terminal]) as parts,
    ):
        yield Chat(parts, terminal)
