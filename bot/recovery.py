"""What a crash, a lost ring or a dead worker left: found at start and every few seconds."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from bot.queue import Queue
from bot.settings import Timing
from memory import holds, unanswered
from memory.database import Database, Transaction
from memory.errors import StorageError

RUN_WORKERS = "run:"  # the file lock proves that earlier ones are dead
TERMINAL = "terminal"
EVER = 2**62  # later than every time that is stored

_log = logging.getLogger(__name__)


class Recovery:
    """Rings for whatever waits on the platforms that this process serves.

    A chat that died in its terminal may never come back, so whoever sweeps also closes what has
    waited there for too long: it is answered by a sentence that nobody sees, and can be deleted.
    """

    def __init__(
        self, database: Database, queue: Queue, timing: Timing, *, platforms: Sequence[str] = ()
    ) -> None:
        self._database = database
        self._queue = queue
        self._timing = timing
        self._platforms = platforms

    async def take_up(self) -> None:
        """At start, where a lock proves that no other worker lives: their turns are ours."""
        await self._database.write(lambda tx: holds.end_leases(tx, workers=RUN_WORKERS))
        await self.sweep()

    async def sweep(self) -> None:
        """Ring once; a ring too many does no harm."""
        for conversation in await self.find():
            await self._queue.wake(conversation)

    async def keep_sweeping(self) -> None:
        """Sweep until cancelled; a database that is away for a while ends nothing."""
        while True:
            await asyncio.sleep(self._timing.sweep / 1000)
            try:
                await self.sweep()
            except StorageError as error:
                _log.debug("Could not sweep: %s", error, extra={"action": "sweep.failed"})

    async def find(self) -> list[str]:
        """Conversations that need somebody."""
        return list(dict.fromkeys(await self._database.read(self._find)))

    async def _find(self, tx: Transaction) -> list[str]:
        found = []
        for platform in self._platforms:
            found += await _find_on(tx, platform, before=EVER)
        return found + await _find_on(tx, TERMINAL, before=await tx.now() - self._timing.give_up)


async def _find_on(tx: Transaction, platform: str, *, before: int) -> list[str]:
    waiting = await unanswered.find_waiting(tx, platform=platform, said_before=before)
    abandoned = await holds.find_abandoned(tx, platform=platform, started_before=before)
    return waiting + abandoned
