"""What is heard in one place is done in its order, and places do not wait for each other."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

_log = logging.getLogger(__name__)

Work = Callable[[], Awaitable[None]]


class Lanes:
    """`drain`: seconds that what is under way gets when the block ends. Of what waits, no more
    than `most` is kept."""

    def __init__(self, drain: float = 3, most: int = 20_000) -> None:
        self._drain = drain
        self._most = most
        self._number = 0  # of what waits
        self._waiting: dict[str, deque[Work]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._drain)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def put(self, lane: str, work: Work) -> None:
        if self._number >= self._most:
            _log.error("Too much waits already", extra={"action": "discord.too_much"})
            return
        self._number += 1
        if lane in self._waiting:
            self._waiting[lane].append(work)
            return
        self._waiting[lane] = deque([work])
        task = asyncio.create_task(self._run(lane), name=f"lane {lane}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, lane: str) -> None:
        waiting = self._waiting[lane]
        try:
            while waiting:
                work = waiting.popleft()
                self._number -= 1
                try:
                    await work()
                except Exception:  # noqa: BLE001 - one event must not become another's failure
                    _log.exception("Not done", extra={"action": "discord.not_done"})
        finally:
            del self._waiting[lane]
