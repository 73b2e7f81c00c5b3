"""Work that is asked for all the time and done now and then."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class Ticker:
    """Does `work` soon after it was asked for: one at a time, and begun at most every `seconds`.

    What is asked for meanwhile is done once, later. `work` says whether it wants to be done again.
    """

    def __init__(self, work: Callable[[], Awaitable[bool]], seconds: float) -> None:
        self._work = work
        self._seconds = seconds
        self._began_at = float("-inf")
        self._timer: asyncio.TimerHandle | None = None
        self._running: asyncio.Task[None] | None = None
        self._stopped = False

    @property
    def is_due(self) -> bool:
        """Whether it would be done at once."""
        waits = self._timer is not None or self._running is not None
        return not waits and asyncio.get_running_loop().time() >= self._next_at

    def ask(self) -> None:
        if self._timer is None and self._running is None and not self._stopped:
            self._timer = asyncio.get_running_loop().call_at(self._next_at, self._begin)

    def began(self) -> None:
        """The same was done elsewhere."""
        self._began_at = asyncio.get_running_loop().time()

    async def stop(self) -> None:
        """What has begun is done to its end, and nothing more begins."""
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._running is not None:
            await asyncio.wait({self._running})

    @property
    def _next_at(self) -> float:
        return self._began_at + self._seconds

    def _begin(self) -> None:
        self._timer = None
        self.began()
        self._running = asyncio.create_task(self._run())

    async def _run(self) -> None:
        try:
            again = await self._work()
        finally:
            self._running = None
        if again:
            self.ask()
