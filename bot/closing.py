"""What dead workers showed of turns that were erased: nobody else closes it."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from bot.delivery import Courier
from bot.lease import Clock, Lease
from bot.platform import Delivery, Outlet
from bot.settings import Timing
from memory.errors import Superseded
from memory.keys import PlaceKey
from memory.marks import OpenTurn

_log = logging.getLogger(__name__)


class Closing:
    """A task for each, so that nobody who tells us of a forget waits for the platform. Within its
    `async with`; what is not closed by the end of that stays."""

    def __init__(self, outlets: Mapping[str, Outlet], timing: Timing, clock: Clock) -> None:
        self._outlets = outlets
        self._timing = timing
        self._clock = clock
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        """Give what runs the time of two sends, then end it."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=2 * self._timing.send / 1000)
        await self.drop()

    async def drop(self) -> None:
        """End what runs, at once."""
        for task in self._tasks:
            task.cancel()
        await self.settled()

    async def settled(self) -> None:
        """Until nothing runs."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def begin(self, place: PlaceKey, turn: OpenTurn, notice: str) -> None:
        """Put a short line in place of what was shown, where this process can."""
        outlet = self._outlets.get(place.platform)
        if outlet is None:
            return
        task = asyncio.create_task(self._close(outlet, turn, notice), name=f"close {turn.id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _close(self, outlet: Outlet, turn: OpenTurn, notice: str) -> None:
        delivery = Delivery(
            turn=turn.id,
            address=json.loads(turn.address),
            guard=Lease(self._clock, self._timing, asked_at=self._clock()).guard,
            send_ms=self._timing.send,
        )
        courier = Courier(
            outlet,
            delivery,
            timing=self._timing,
            clock=self._clock,
            started_at=turn.started_at,
            taken_over=True,
        )
        try:
            async with courier:
                await courier.close(notice)
        except Superseded:
            _log.warning("What was shown stays.", extra={"action": "erasure.not_closed"})
