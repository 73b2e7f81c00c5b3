"""The failure matrix: what becomes of a question for everything that a provider may answer.

A cell is one thing a provider does, on one API. The question goes through the whole house: intake,
turn, the real adapter, a server on the loopback, a real file.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from bot.fallback import Fallback
from bot.main import Parts, Replaced, assemble
from bot.model import Model, Usage
from bot.patience import Patience
from bot.settings import Limits, Settings, Timing
from bot.tools import Tool, Toolbox, ToolContext
from bot.wording import ending
from memory import reports
from memory.database import wall_clock
from memory.engines import open_database
from memory.keys import PersonKey, PlaceKey
from memory.messages import Message, Text, ToolCall
from memory.reports import ReportedTurn
from tests.played_platform import PlayedPlatform
from tests.wire.pauses import Pauses

PLACE = PlaceKey("terminal", "local", "chat", "f" * 32)
PERSON = PersonKey("terminal", "", "ann")

# What each API can be made to answer. A call is one of `act`, with order 1 and then order 2.
Name = Literal[
    "text",  # "Hello."
    "text, counted",  # the same, 100 tokens in (80 cached), 30 out (12 of reasoning)
    "call",
    "two calls",
    "two calls in pieces",  # by turns, where the API can do that
    "two calls without ids",
    "a call with broken arguments",  # or none, where the API cannot break them
    "busy for 7 s",
    "busy for 90 s",
    "busy",
    "down",
    "reset",
    "stall",
    "bad key",
    "no quota",
    "unknown model",
    "too long",
    "refusal",  # after "No."
    "blocked",
    "only thought",  # up to the output limit
    "cut off",  # after "Hel"
    "ends without a reason",  # after "Hel"
    "ends in silence",  # no text, no reason
    "error event",
    "error event after text",  # after "Hel"
    "empty",
]


@dataclass(frozen=True, slots=True)
class Wire:
    """A model that asks a server; what the server was sent, and what it refused by its rules."""

    model: Model
    requests: list[Any]
    refused: list[str]


@dataclass(frozen=True, slots=True)
class Api:
    """How one API says each of them. `serve` opens a server that gives these answers in order."""

    name: str
    serve: Callable[[Sequence[Any], Pauses, Patience], AbstractAsyncContextManager[Wire]]
    answers: Mapping[Name, Any]


@dataclass(frozen=True, slots=True)
class Cell:
    """What comes of these answers to one question; `kind` refines `api_error`.

    `said` is what the model said before its end, `runs` are the orders that the tool acted on.
    """

    answers: tuple[Name, ...]
    outcome: Literal["answered", "api_error", "refused", "empty"] = "answered"
    kind: str = "failed"
    said: str = ""
    pauses: tuple[float, ...] | None = None
    patience: Patience = field(default_factory=Patience)


@dataclass(slots=True)
class Told:
    """What became of a question."""

    turn: ReportedTurn
    shown: str
    requests: list[Any]
    runs: list[int]
    pauses: list[float]

    @property
    def messages(self) -> list[Message]:
        return [each.message for each in self.turn.messages if each.message]

    @property
    def stored(self) -> list[str]:
        return [line for message in self.messages for line in _lines(message)]

    @property
    def usage(self) -> Usage:
        turn = self.turn
        return Usage(
            turn.input_tokens, turn.cached_tokens, turn.output_tokens, turn.reasoning_tokens
        )

    def sentence(self, cell: Cell) -> str:
        """The last text that the person reads, with the turn's reference."""
        if cell.outcome == "answered":
            return "Hello."
        own = ending(cell.outcome, self.turn.id, cell.kind)
        return f"{cell.said}\n\n{own}" if cell.said else own


async def told(
    api: Api, url: str, cell: Cell, *, before: Sequence[Name] = (), earlier: Sequence[Name] = ()
) -> Told:
    """Ask one question; `before` the cell's answers come these, `earlier` is another question's."""
    names = (*earlier, *before, *cell.answers)
    pauses, runs = Pauses(), list[int]()
    platform = PlayedPlatform(wall_clock, "terminal")

    async def do(order: int) -> None:
        runs.append(order)

    async with (
        api.serve([api.answers[name] for name in names], pauses, cell.patience) as wire,
        at_home(url, Fallback([wire.model]), do, platform) as parts,
    ):
        for question in [*(["Hi."] if earlier else []), "And 1042?"]:
            accepted = await parts.intake.accept(platform.say(PLACE, PERSON, question))
            conversation = accepted.conversation or ""
            await parts.turns.answer(conversation)
            await parts.after.settled()
        report = await parts.database.read(lambda tx: reports.read(tx, conversation))
        shown = platform.shown(PLACE)[-1].removeprefix("> ")
    assert wire.refused == []
    return Told(report.turns[-1], shown, wire.requests, runs, pauses.seconds)


@asynccontextmanager
async def at_home(
    url: str, model: Model, do: Callable[[int], Awaitable[None]], platform: PlayedPlatform
) -> AsyncIterator[Parts]:
    """A process on this database with this model and the one tool `act`, which does that."""

    async def act(_context: ToolContext, order_id: int) -> str:
        """Do something to an order."""
        await do(order_id)
        return "done"

    timing = Timing(send=100)  # a take-over waits so long before it asks the platform
    toolbox = Toolbox([Tool.of(act, risk="write")], timing, Limits())
    database = await open_database(url)
    try:
        async with assemble(
            Settings(database_url=url, model="offline"),
            database,
            worker="run:test",
            outlets=[platform],
            replaced=Replaced(model=model, toolbox=toolbox, timing=timing),
        ) as parts:
            yield parts
    finally:
        await database.close()


def _lines(message: Message) -> list[str]:
    """A stored message, part by part, without ids."""
    lines = []
    for part in message.parts:
        match part:
            case Text():
                lines.append(f"{message.role}: {part.text}")
            case ToolCall():
                lines.append(f"calls {part.name}({part.arguments})")
    return lines + [f"{result.name} returns {result.text}" for result in message.results]
