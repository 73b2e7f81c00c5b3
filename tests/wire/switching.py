"""A conversation whose process, and with it the model, changes from turn to turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from bot.main import Parts
from bot.model import Model
from bot.patience import Patience
from memory import holds, reports
from memory.database import wall_clock
from memory.reports import ReportedTurn
from tests.played_platform import PlayedPlatform
from tests.wire.matrix import PERSON, PLACE, Api, Name, Wire, at_home
from tests.wire.pauses import Pauses

ONCE = Patience(attempts=1)


@asynccontextmanager
async def both(
    one: Api, other: Api, first: Sequence[Name], second: Sequence[Name], last: Sequence[Name]
) -> AsyncIterator[tuple[Wire, Wire]]:
    """The servers of two APIs, or the one of the same. The one answers first and last."""
    if one is other:
        names = (*first, *second, *last)
        async with one.serve([one.answers[name] for name in names], Pauses(), ONCE) as wire:
            yield wire, wire
        return
    async with (
        one.serve([one.answers[name] for name in (*first, *last)], Pauses(), ONCE) as wire,
        other.serve([other.answers[name] for name in second], Pauses(), ONCE) as after,
    ):
        yield wire, after


@dataclass(slots=True)
class Talk:
    """`orders` are those that the tool acted on, `turns` what is stored."""

    url: str
    orders: list[int] = field(default_factory=list)
    turns: tuple[ReportedTurn, ...] = ()
    conversation: str = ""
    platform: PlayedPlatform = field(default_factory=lambda: PlayedPlatform(wall_clock, "terminal"))

    async def ask(self, model: Model) -> None:
        """Ask something in a process of its own."""
        async with at_home(self.url, model, self._act, self.platform) as parts:
            await self._say(parts)
            await self._answer(parts)

    async def die(self, model: Model) -> None:
        """Ask something in a process that dies while the tool works."""
        acting = asyncio.Event()

        async def hang(order: int) -> None:
            self.orders.append(order)
            acting.set()
            await asyncio.Event().wait()

        async with at_home(self.url, model, hang, self.platform) as parts:
            await self._say(parts)
            turn = asyncio.ensure_future(parts.turns.answer(self.conversation))
            await acting.wait()
            turn.cancel()
            await asyncio.wait([turn])
            await parts.database.write(lambda tx: holds.end_leases(tx, workers="run:"))

    async def take_up(self, model: Model) -> None:
        """Go on with the turn of the process that died."""
        async with at_home(self.url, model, self._act, self.platform) as parts:
            await self._answer(parts)

    def kept(self, provider: str, turns: int) -> set[str]:
        """What the provider wants back as it was, of so many turns."""
        stored = (each.message for turn in self.turns[:turns] for each in turn.messages)
        renderings = [message.provider_data.get(provider) for message in stored if message]
        return set(marks(renderings))

    async def _say(self, parts: Parts) -> None:
        accepted = await parts.intake.accept(self.platform.say(PLACE, PERSON, "And 1042?"))
        self.conversation = accepted.conversation or ""

    async def _answer(self, parts: Parts) -> None:
        await parts.turns.answer(self.conversation)
        await parts.after.settled()
        report = await parts.database.read(lambda tx: reports.read(tx, self.conversation))
        self.turns = report.turns

    async def _act(self, order: int) -> None:
        self.orders.append(order)


_MARKS = {"encrypted_content", "thoughtSignature", "thought_signature"}


def marks(value: Any) -> Iterator[str]:
    """Everything in some JSON that only its maker can read, in one alphabet of base64."""
    match value:
        case dict():
            for key, item in value.items():
                if key in _MARKS and item:
                    yield str(item).replace("-", "+").replace("_", "/").rstrip("=")
                else:
                    yield from marks(item)
        case list():
            for item in value:
                yield from marks(item)
