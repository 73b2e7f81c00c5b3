"""What a worker holds of one open turn: its fence, its lease, and an ear for wishes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

from bot.lease import Clock, Lease
from bot.settings import Timing
from memory import holds
from memory.database import Database, Work
from memory.errors import DatabaseLockedError, StorageError, Superseded
from memory.turns import Stop, Turn

T = TypeVar("T")
_log = logging.getLogger(__name__)


class Wished(Exception):  # noqa: N818 - somebody's wish, not somebody's mistake
    """Somebody wishes that the turn ends, or that it begins anew."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop)
        self.stop = stop


class Hold:
    """Renews the lease of `turn`, in its block, and hears the wishes of others.

    `may_begin_anew` says whether the turn has shown nothing and called no tool; when it has, the
    wish to begin anew is cleared, and the new message waits for a turn of its own.
    """

    def __init__(
        self,
        database: Database,
        turn: Turn,
        *,
        timing: Timing,
        clock: Clock,
        asked_at: int,
        may_begin_anew: Callable[[], bool],
    ) -> None:
        self.turn = turn
        self.lease = Lease(clock, timing, asked_at=asked_at)
        self._database = database
        self._timing = timing
        self._clock = clock
        self._may_begin_anew = may_begin_anew
        self._bell = asyncio.Event()
        self._heard: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def __aenter__(self) -> Self:
        self._heart = asyncio.create_task(self._beat())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await _ended(self._heart)
        if self._heard.done():
            self._heard.exception()  # it was heard, or came too late to matter

    def ring(self) -> None:
        """Look at the wishes now."""
        self._bell.set()

    async def until_wished(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` to its end, or until a wish (`Wished`) or a lost turn (`Superseded`)."""
        if (heard := self._take_heard()) is not None:
            work.close()  # not even begun: a model would be asked for nothing
            raise heard
        task = asyncio.create_task(work)
        try:
            ends: set[asyncio.Future[Any]] = {task, self._heard}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            heard = self._take_heard()
            if heard is not None and not task.done():
                raise heard
            return task.result()
        finally:
            await _ended(task)

    async def write(self, work: Work[T]) -> T:
        """Write for the turn. While another program holds the database nothing was stored, so it
        is tried again, for as long as the lease is ours."""
        while True:
            try:
                return await self._database.write(work)
            except DatabaseLockedError:
                if self.lease.is_over:
                    raise
            await asyncio.sleep(self._timing.retry / 1000)

    def fenced(self, turn: Turn) -> None:
        """The turn has a new fence or state; what was heard of the old one is settled.

        Also that it was taken: a renewal may have met our new fence before we did. If it really
        was, or is too late, the next write or the guard of the next send says so.
        """
        self.turn = turn
        self._take_heard()

    async def answer_wish(self, stop: Stop) -> None:
        """Raise `Wished`, or clear a wish to begin anew with more words that comes too late."""
        if stop != "changed" or self._may_begin_anew():
            raise Wished(stop)
        turn = self.turn
        await self.write(lambda tx: holds.clear_changed(tx, turn))

    async def _beat(self) -> None:
        pause = self._timing.renew
        while not self.lease.is_over:
            try:
                async with asyncio.timeout(pause / 1000):
                    await self._bell.wait()
            except TimeoutError:
                pass
            self._bell.clear()
            is_renewed = await self._look()
            pause = self._timing.renew if is_renewed else self._timing.retry
        self._hear(Superseded("late"))

    async def _look(self) -> bool:
        """Renew the lease and hear the wishes; False: the database could not be used."""
        turn, asked_at = self.turn, self._clock()
        try:
            stop = await self._database.write(
                lambda tx: holds.renew(tx, turn, lease=self._timing.lease)
            )
            self.lease.renewed(asked_at=asked_at)
            if stop is not None and turn.state == "running":
                await self.answer_wish(stop)
        except StorageError as error:
            _log.debug("Could not renew a lease: %s", error, extra={"action": "hold.late"})
            return False
        except (Wished, Superseded) as heard:
            if turn is self.turn:
                self._hear(heard)
        return True

    def _take_heard(self) -> Wished | Superseded | None:
        if not self._heard.done():
            return None
        heard = self._heard.exception()
        self._heard = asyncio.get_running_loop().create_future()
        assert isinstance(heard, Wished | Superseded)  # noqa: S101 - see _hear
        return heard

    def _hear(self, heard: Wished | Superseded) -> None:
        if not self._heard.done():
            self._heard.set_exception(heard)


async def _ended(task: asyncio.Task[Any]) -> None:
    """Cancel a task and wait until it has ended, whatever it ended with."""
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.exception()
