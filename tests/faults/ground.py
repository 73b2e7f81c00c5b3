"""What it takes to kill the real worker from a platform's fake, and to tell what is left."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from memory.keys import PersonKey, PlaceKey

Moment = Literal["before", "after"]


@dataclass(frozen=True, slots=True)
class Blow:
    """Where the worker is killed: on receipt of a request, which then has no effect, or after its
    effect, which then nobody hears of."""

    request: str
    moment: Moment

    def __str__(self) -> str:
        return f"{self.moment} {self.request}"


def blows(requests: Sequence[str]) -> list[Blow]:
    """Both at each request."""
    return [Blow(request, moment) for request in requests for moment in ("before", "after")]


class Ground(Protocol):
    """A platform's fake on the loopback, with a worker to be. In it there are people who each ask
    one question, by mention, in a thread of a channel of their own; they are numbered.

    `requests` are all that the worker sent since the last question, each with its name. `is_edited`
    is set once it edits its answer. `wrong` has a sentence for all that may never be seen.
    """

    requests: list[str]
    is_edited: asyncio.Event

    @property
    def environment(self) -> Mapping[str, str]: ...

    @property
    def askers(self) -> Sequence[PersonKey]: ...

    async def met(self) -> None:
        """Until a worker listens."""

    async def left(self) -> None:
        """Until nobody listens any more, and what a dead worker has sent was dealt with."""

    async def ask(self, number: int, text: str) -> PlaceKey:
        """From now on requests are counted."""

    def strike(self, blow: Blow, kill: Callable[[], object]) -> None:
        """Kill the worker there, once."""

    async def tell_again(self, *, acknowledged: bool) -> None:
        """Send what was not acknowledged once more, or everything."""

    async def settled(self) -> None:
        """Until nothing is on its way any more."""

    @property
    def sends(self) -> int:
        """How many requests there were that post or change a message."""

    def answer(self, number: int) -> Sequence[str]:
        """Our messages in the thread of a question, as they stand."""

    def wrong(self) -> Sequence[str]: ...

    def story(self) -> str:
        """What happened last, for whoever reads a failure."""
