"""A desk that is listened in to, for any platform."""

from __future__ import annotations

from collections.abc import Callable

from bot.platform import Accepted, Answer, Called, Event, Outlet, Platform, Reception
from memory.keys import PersonKey

Hear = Callable[[Event, Accepted], None]


def unheard(_event: Event, _accepted: Accepted) -> None:
    """Nobody listens in."""


class Through(Platform):
    """A platform before a desk that first, so often, cannot write down what comes or is confirmed;
    `hear` is told what became of everything else."""

    def __init__(self, platform: Platform, *, failures: int = 0, hear: Hear = unheard) -> None:
        self.outlet: Outlet = platform.outlet
        self._platform = platform
        self._failures = failures
        self._hear = hear

    async def listen(self, reception: Reception) -> None:
        await self._platform.listen(_Desk(reception, self._failures, self._hear))


class _Desk(Reception):
    def __init__(self, reception: Reception, failures: int, hear: Hear) -> None:
        self._reception = reception
        self._failures = failures
        self._hear = hear

    @property
    def name(self) -> str:
        return self._reception.name

    async def accept(self, event: Event) -> Accepted:
        self._fail()
        accepted = await self._reception.accept(event)
        self._hear(event, accepted)
        return accepted

    async def command(self, called: Called, *, confirmed: bool = False) -> Answer:
        if confirmed:
            self._fail()
        return await self._reception.command(called, confirmed=confirmed)

    def connected(self, platform: str, since: int | None) -> None:
        self._reception.connected(platform, since)

    async def is_news(self, what: str, person: PersonKey) -> bool:
        return await self._reception.is_news(what, person)

    def _fail(self) -> None:
        if self._failures:
            self._failures -= 1
            raise OSError("disk full")


def as_it_is(platform: Platform) -> Platform:
    return platform
