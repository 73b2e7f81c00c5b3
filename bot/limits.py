"""How many turns run at once: in all, and at each model."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.settings import Limits, Settings

Ready = Callable[[], Sequence[str]]
"""The models that may be asked now, in order."""


@dataclass(frozen=True, slots=True, eq=False)
class _Waiter:
    ready: Ready
    place: asyncio.Future[str]


class Places:
    """Who comes first is let in first. Who waits holds nothing, so that the turns of one slow model
    leave room for those that another one can answer."""

    def __init__(self, in_all: int, at_each: int) -> None:
        self._in_all = in_all
        self._at_each = at_each
        self._taken: Counter[str] = Counter()
        self._waiting: list[_Waiter] = []

    @asynccontextmanager
    async def taken(self, ready: Ready) -> AsyncIterator[str]:
        """A place while the block lasts: at the first of the models that has room, which it
        yields."""
        model = await self._enter(ready)
        try:
            yield model
        finally:
            self._leave(model)

    async def _enter(self, ready: Ready) -> str:
        waiter = _Waiter(ready, asyncio.get_running_loop().create_future())
        self._waiting.append(waiter)
        self._let_in()
        try:
            return await waiter.place
        except asyncio.CancelledError:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
            else:  # it was let in, and went away in the same moment
                self._leave(waiter.place.result())
            raise

    def _leave(self, model: str) -> None:
        self._taken[model] -= 1
        self._let_in()

    def _let_in(self) -> None:
        while self._taken.total() < self._in_all:
            found = next(self._ready_to_enter(), None)
            if found is None:
                return
            waiter, model = found
            self._waiting.remove(waiter)
            self._taken[model] += 1
            waiter.place.set_result(model)

    def _ready_to_enter(self) -> Iterator[tuple[_Waiter, str]]:
        """Who waits, in order, and a model with room."""
        for waiter in self._waiting:
            if not waiter.place.cancelled():  # that one goes by itself
                for model in waiter.ready():
                    if self._taken[model] < self._at_each:
                        yield waiter, model


def limits_of(settings: Settings) -> Limits:
    return Limits(
        running_turns=settings.running_turns,
        running_turns_per_model=settings.turns_at_each_of(len(settings.models)),
    )
