"""Platforms are opened side by side; who is away at the start is waited for beside the others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

from bot.errors import ConfigError, DeliveryError
from bot.health import Health
from bot.platform import (
    Address,
    Delivery,
    Inbound,
    Outlet,
    OwnMessage,
    Platform,
    Reception,
    Reply,
    Said,
    SentPart,
)
from memory.keys import PersonKey, PlaceKey


@dataclass(frozen=True, slots=True)
class Opening:
    """How a platform is opened, which may take as long as it is away. `connections` are what its
    connections are called in Health."""

    name: str
    connections: Sequence[str]
    context: AbstractAsyncContextManager[Platform]


@asynccontextmanager
async def opened(
    openings: Sequence[Opening], health: Health, *, wait_ms: int
) -> AsyncIterator[Sequence[Platform]]:
    """Each platform; for one that is not open so soon, one that stands in for it. Raise
    ConfigError with all that is refused by then."""
    if not openings:
        yield ()
        return
    awaited = [Awaited(each, health) for each in openings]
    holding = [asyncio.create_task(each.hold()) for each in awaited]
    try:
        await asyncio.wait([each.arrival for each in awaited], timeout=wait_ms / 1000)
        problems = [problem for each in awaited for problem in each.problems]
        if problems:
            raise ConfigError(*problems)
        yield [each.arrival.result() if each.arrival.done() else each for each in awaited]
    finally:
        for task in holding:
            task.cancel()
        await asyncio.wait(holding)
    for task in holding:
        if not task.cancelled():
            task.result()


class Awaited(Platform):
    """Stands in for a platform until it is there, and from then on passes everything on."""

    def __init__(self, opening: Opening, health: Health) -> None:
        self.arrival: asyncio.Future[Platform] = asyncio.get_running_loop().create_future()
        self.outlet: Outlet = _AwaitedOutlet(opening.name, self.arrival)
        self._opening = opening
        self._health = health

    @property
    def problems(self) -> Sequence[str]:
        """Why it was refused for good."""
        error = self.arrival.exception() if self.arrival.done() else None
        return error.problems if isinstance(error, ConfigError) else ()

    async def hold(self) -> None:
        """Open it and keep it open until cancelled: who opened it closes it."""
        self._note("connecting")
        try:
            async with self._opening.context as platform:
                self.arrival.set_result(platform)
                await asyncio.Event().wait()
        except Exception as error:  # whoever waits for it is told
            if self.arrival.done():
                raise
            self.arrival.set_exception(error)
            self.arrival.exception()  # nobody may be there to hear of it

    async def listen(self, reception: Reception) -> None:
        """From when it is there; who is refused so late is dead, and nobody else's end."""
        try:
            platform = await asyncio.shield(self.arrival)
        except ConfigError as error:
            self._note("dead", str(error))
            return
        await platform.listen(reception)

    def _note(self, how: Literal["connecting", "dead"], why: str = "") -> None:
        for connection in self._opening.connections:
            self._health.note(connection, how, why)


class _AwaitedOutlet(Outlet):
    def __init__(self, platform: str, arrival: asyncio.Future[Platform]) -> None:
        self.platform = platform
        self._arrival = arrival

    @property
    def real(self) -> Outlet:
        """Raise DeliveryError while it is not there."""
        if not self._arrival.done() or self._arrival.exception() is not None:
            raise DeliveryError(f"{self.platform} was not reached since the start")
        return self._arrival.result().outlet

    def reply(self, delivery: Delivery) -> Reply:
        return _AwaitedReply(self, delivery)

    async def own_messages(self, address: Address, since: int) -> Sequence[OwnMessage]:
        return await self.real.own_messages(address, since)

    async def remove(self, address: Address, remote_id: str) -> None:
        await self.real.remove(address, remote_id)

    async def earlier(self, address: Address, after: int, limit: int) -> Sequence[Inbound]:
        return await self.real.earlier(address, after, limit)

    async def later(
        self, place: PlaceKey, address: Address, after: int, limit: int
    ) -> Sequence[Inbound]:
        return await self.real.later(place, address, after, limit)

    async def complete(self, address: Address, said: Sequence[Said]) -> Sequence[Said]:
        return await self.real.complete(address, said)

    async def is_administrator(self, address: Address, person: PersonKey) -> bool:
        return await self.real.is_administrator(address, person)


class _AwaitedReply(Reply):
    """Finds its platform when there is something to send: it may come while a turn runs."""

    def __init__(self, outlet: _AwaitedOutlet, delivery: Delivery) -> None:
        self._outlet = outlet
        self._delivery = delivery
        self._real: Reply | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if self._real is not None:
            await self._real.__aexit__(kind, error, at)

    async def show(self, text: str) -> None:
        await (await self._found()).show(text)

    async def finish(self, answer: str) -> Sequence[SentPart]:
        return await (await self._found()).finish(answer)

    async def close(self, notice: str) -> None:
        await (await self._found()).close(notice)

    async def recorded(self) -> None:
        if self._real is not None:
            await self._real.recorded()

    @property
    def sent(self) -> Sequence[SentPart]:
        return self._delivery.sent if self._real is None else self._real.sent

    async def _found(self) -> Reply:
        if self._real is None:
            reply = self._outlet.real.reply(self._delivery)
            self._delivery.guard()  # opening shows a status, and may do so only for its own turn
            self._real = await reply.__aenter__()
        return self._real
