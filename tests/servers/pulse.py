"""Waiting for something to become true, looked at whenever something happens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Pulse:
    """Beats at every change; nobody who waits sleeps blindly."""

    def __init__(self) -> None:
        self.beats = 0
        self._waiting: set[asyncio.Future[None]] = set()

    def beat(self) -> None:
        self.beats += 1
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)

    async def until(self, happened: Callable[[], T], seconds: float) -> T:
        """What `happened` returns as soon as that is true; TimeoutError if it does not become."""
        async with asyncio.timeout(seconds):
            while not (result := happened()):
                waiter = asyncio.get_running_loop().create_future()
                self._waiting.add(waiter)
                try:
                    await waiter
                finally:
                    self._waiting.discard(waiter)
        return result
