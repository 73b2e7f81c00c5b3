"""Jobs by the clock: APScheduler, and a lease so that a job runs once, however many workers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Self

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from memory import leases
from memory.database import Database
from memory.errors import StorageError

Job = Callable[[], Awaitable[object]]

_LEASE = 60 * 60_000  # ms; a worker that died in a job blocks it so long
_LOOKS = 24  # how often in its time a job is looked at: another process may have done it, and ended
_log = logging.getLogger(__name__)


class Schedule:
    """Runs jobs while its block lasts; one that still runs at the end gets a moment, and is
    cancelled then."""

    def __init__(self, database: Database, worker: str, *, grace_seconds: float = 0) -> None:
        self._database = database
        self._worker = worker
        self._grace_seconds = grace_seconds
        self._scheduler = AsyncIOScheduler(timezone=UTC)
        self._running: set[asyncio.Task[object]] = set()

    def add(self, name: str, job: Job, *, every: timedelta = timedelta(days=1)) -> None:
        """Run `job` now, unless some process did within `every`, and then again and again."""
        self._scheduler.add_job(
            self._run,
            "interval",
            args=(name, job, every // timedelta(milliseconds=1)),
            seconds=every.total_seconds() / _LOOKS,
            next_run_time=datetime.now(UTC),
            misfire_grace_time=None,  # the default skips a job when the loop was busy for a second
        )

    async def __aenter__(self) -> Self:
        self._scheduler.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._scheduler.pause()
        if self._running and kind is None:
            await asyncio.wait(self._running, timeout=self._grace_seconds)
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        self._scheduler.shutdown(wait=False)
        await asyncio.sleep(0)  # the scheduler ends with the loop's next round

    async def _run(self, name: str, job: Job, rest_ms: int) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - APScheduler runs coroutines as tasks
        self._running.add(task)
        try:
            await self._run_alone(name, job, rest_ms)
        except StorageError as error:  # whoever watches the database tells it
            _log.debug("job %s waits for the database: %s", name, error, extra={"action": "job"})
        except Exception as error:  # noqa: BLE001 - boundary: the next run is another chance
            _log.error("job %s failed: %s", name, type(error).__name__, extra={"action": "job"})
        finally:
            self._running.discard(task)

    async def _run_alone(self, name: str, job: Job, rest_ms: int) -> None:
        if await self._database.write(
            lambda tx: leases.acquire(tx, name, self._worker, _LEASE, rest_ms=rest_ms)
        ):
            try:
                await job()
            except asyncio.CancelledError:  # the next process goes on with it at once
                await self._database.write(lambda tx: leases.release(tx, name, self._worker))
                raise
            await self._database.write(lambda tx: leases.done(tx, name, self._worker))
