"""What a crash, a lost ring or a dead worker left: found at start and every few seconds."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from bot.queue import Queue
from bot.settings import Timing
from memory import holds, inbox
from memory.database import Database, Transaction
from memory.errors import StorageError
from memory.keys import PlaceKey

RUN_WORKERS = "run:"  # the file lock proves that earlier ones are dead

_log = logging.getLogger(__name__)


class Recovery:
    """Rings for whatever waits on the given platforms or in one place – and, wherever it is, for
    what is so old that it can only be closed."""

    def __init__(
        self,
        database: Database,
        queue: Queue,
        timing: Timing,
        *,
        platforms: Sequence[str] = (),
        place: PlaceKey | None = None,
    ) -> None:
        self._database = database
        self._queue = queue
        self._timing = timing
        self._platforms = platforms
        self._place = place

    async def take_up(self) -> None:
        """At start, where a lock proves that no other worker lives: their turns are ours."""
        await self._database.write(lambda tx: holds.end_leases(tx, workers=RUN_WORKERS))
        await self.sweep()

    async def sweep(self) -> None:
        """Ring once; a ring too many does no harm."""
        for conversation in await self._database.read(self._find):
            await self._queue.wake(conversation)

    async def keep_sweeping(self) -> None:
        """Sweep until cancelled; a database that is away for a while ends nothing."""
        while True:
            await asyncio.sleep(self._timing.sweep / 1000)
            try:
                await self.sweep()
            except StorageError as error:
                _log.warning("Could not sweep: %s", error, extra={"action": "sweep.failed"})

    async def _find(self, tx: Transaction) -> list[str]:
        old = await tx.now() - self._timing.give_up
        found: dict[str, None] = {}
        for platform in self._platforms or ("",):
            waiting = await inbox.find_waiting(
                tx, platform=platform, place=self._place, said_before=old
            )
            abandoned = await holds.find_abandoned(
                tx, platform=platform, place=self._place, started_before=old
            )
            found.update(dict.fromkeys([*waiting, *abandoned]))
        return list(found)
