"""What happens is told like by a platform: to some worker, again and again, until one knows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import TypeVar

from memory.errors import StorageError
from tests.faults.facts import Facts
from tests.faults.points import KilledError
from tests.faults.virtual import VirtualLoop
from tests.faults.worker import Worker

T = TypeVar("T")
AGAIN_SECONDS = 3.0  # after which a platform sends what nobody has acknowledged
PATIENCE_SECONDS = 30 * 60.0  # a run that is not quiet by then never will be
HARMLESS = (KilledError, asyncio.CancelledError, StorageError, TimeoutError)


@dataclass(slots=True)
class Telling:
    loop: VirtualLoop
    facts: Facts
    workers: Mapping[str, Worker]
    _turn_of: count[int] = field(default_factory=count)

    async def hand_over(self, work: Callable[[Worker], Awaitable[T]]) -> T:
        """Until a worker has acknowledged it."""
        give_up = self.loop.time() + PATIENCE_SECONDS
        while self.loop.time() < give_up:
            worker = self._somebody()
            if worker is not None:
                task = self.loop.start(worker.process, _told(worker, work))
                await asyncio.wait([task])
                error = None if task.cancelled() else task.exception()
                if not task.cancelled() and error is None:
                    return task.result()
                if error is not None and not isinstance(error, HARMLESS):
                    self.facts.object_to(f"an event was refused: {error!r}")
            await asyncio.sleep(AGAIN_SECONDS)
        raise AssertionError("nobody could be told of it")

    def _somebody(self) -> Worker | None:
        there = list(self.workers.values())
        return there[next(self._turn_of) % len(there)] if there else None


async def _told(worker: Worker, work: Callable[[Worker], Awaitable[T]]) -> T:
    return await work(worker)
