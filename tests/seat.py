"""A seat at the terminal in this process: a scripted model, a real file, a screen to read."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from adapters.terminal.reply import TerminalOutlet
from adapters.terminal.screen import Screen
from bot.cli.place import TerminalPlace, choose_place
from bot.main import Parts, Replaced, assemble
from bot.platform import Inbound
from bot.settings import Settings, Timing
from memory.database import Clock, Database, T, Work, wall_clock
from memory.engines import Check
from memory.errors import DatabaseFullError, DatabaseLockedError
from memory.keys import PersonKey
from tests.fakes import ScriptedModel, Step

ROBIN = PersonKey("terminal", "", "robin")
QUICK = Timing(sweep=1)


class Paper(io.StringIO):
    """What was printed; `wrote` tells that something new was."""

    def __init__(self) -> None:
        super().__init__()
        self.wrote = asyncio.Event()

    def write(self, text: str) -> int:
        self.wrote.set()
        return super().write(text)

    async def until(self, text: str) -> None:
        while text not in self.getvalue():
            self.wrote.clear()
            await self.wrote.wait()


@dataclass
class FailingDatabase:
    """Fails on the `fail_at`-th write from now on, and to empty its log when that is wished."""

    database: Database
    fail_at: int = 0
    keeps_log: bool = False
    is_full: bool = False  # so full that the log cannot be emptied either
    failure: Exception = field(default_factory=lambda: DatabaseFullError("The disk is full."))

    async def read(self, work: Work[T]) -> T:
        return await self.database.read(work)

    async def write(self, work: Work[T]) -> T:
        self.fail_at -= 1
        if self.fail_at == 0:
            raise self.failure
        return await self.database.write(work)

    async def truncate_log(self) -> bool:
        if self.is_full:
            raise DatabaseFullError("The disk is full.")
        if self.keeps_log:
            raise DatabaseLockedError("Another program holds the database.")
        return await self.database.truncate_log()

    async def close(self) -> None:
        await self.database.close()


@dataclass(slots=True)
class Seat:
    place: TerminalPlace
    parts: Parts
    paper: Paper
    model: ScriptedModel

    @property
    def text(self) -> str:
        return self.paper.getvalue()


async def until(claim: Callable[[], bool]) -> None:
    """Wait for what tells nobody that it has happened; the test's own timeout is the limit."""
    while not claim():  # noqa: ASYNC110 - there is no event to wait for
        await asyncio.sleep(0.001)


async def allowed() -> None:
    """The database's file is where it was."""


@asynccontextmanager
async def seated(
    database: Database,
    *steps: Step,
    resume: str | None = None,
    settings: Settings | None = None,
    timing: Timing = QUICK,
    clock: Clock = wall_clock,
    still_there: Check = allowed,
) -> AsyncIterator[Seat]:
    """Sit down in a new conversation, or in the one to resume; the script must be used up."""
    model, paper = ScriptedModel(*steps), Paper()
    screen = Screen(paper, paper)
    place = await database.write(lambda tx: choose_place(tx, resume, ROBIN))
    outlet = TerminalOutlet(screen)
    async with (
        assemble(
            settings or Settings(tools=()),
            database,
            worker="cli:test",
            outlets=[outlet],
            replaced=Replaced(model=model, timing=timing),
            listener=lambda event: screen.note(str(event)),
        ) as parts,
        TerminalPlace(
            parts, place, ROBIN, screen, outlet=outlet, still_there=still_there, clock=clock
        ).open() as here,
    ):
        yield Seat(here, parts, paper, model)
    await model.close()


async def left_waiting(
    database: Database, text: str, person: PersonKey = ROBIN, *, clock: Clock = wall_clock
) -> str:
    """A conversation whose chat ended before it could answer."""
    place = await database.write(lambda tx: choose_place(tx, None, person))
    inbound = Inbound(place, "terminal", person, person.user, place.thread, "1", clock(), text, {})
    nobody = Replaced(model=ScriptedModel())
    async with assemble(
        Settings(tools=()), database, worker="cli:gone", outlets=[], replaced=nobody
    ) as parts:
        accepted = await parts.intake.accept(inbound)
    assert accepted.conversation is not None
    return accepted.conversation
