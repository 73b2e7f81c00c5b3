"""What it takes to kill the real worker from a platform's fake, and to tell what is left."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Protocol

from memory.keys import PersonKey, PlaceKey
from tests.faults.striker import Striker

START_SECONDS = 60.0  # on a busy machine a start takes many times its second
WAIT_SECONDS = 30.0


class Ground(Protocol):
    """A platform's fake on the loopback, with a worker to be. In it there are people who each ask
    one question, by mention, in a channel of their own; they are numbered.

    `striker` counts what the worker sends from a question on. `is_edited` is set once it edits its
    answer.
    """

    striker: Striker
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
        """In the place that is named; the answer goes to a thread."""

    async def tell_again(self, *, acknowledged: bool) -> None:
        """Send what was not acknowledged once more, or everything."""

    async def settled(self) -> None:
        """Until nothing is on its way any more."""

    @property
    def sends(self) -> int:
        """How many requests there were that post or change a message."""

    def answer(self, number: int) -> Sequence[str]:
        """Our messages in the thread of a question, as they stand."""

    def wrong(self) -> Sequence[str]:
        """A sentence for all that may not be seen."""

    def story(self) -> str:
        """What happened last, for whoever reads a failure."""
