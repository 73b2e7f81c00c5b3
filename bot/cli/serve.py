"""`run`: the worker that listens on chat platforms."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

from filelock import FileLock, Timeout

from bot.catch_up import CatchUp
from bot.cli.shell import PROGRAM
from bot.cli.shell import run as run_command
from bot.errors import AlreadyRunningError, ConfigError
from bot.health import Health
from bot.main import Replaced, assemble, open_unmigrated
from bot.opening import names_platforms, open_platforms
from bot.platform import Platform
from bot.reception import FrontDesk
from bot.recovery import RUN_WORKERS, Recovery
from bot.retention import Retention
from bot.schedule import Schedule
from bot.settings import Settings, Timing
from bot.watched import WatchedDatabase
from bot.wording import NO_PLATFORM_LEFT, no_platform
from memory.engines import is_postgres, sqlite_path, watch_file
from memory.migrate import migrate
from memory.transfer import check_sound


def run() -> None:
    """Answer on the chat platforms whose tokens are set, until SIGTERM."""
    run_command(run_worker, is_service=True)


async def run_worker(
    settings: Settings, platforms: Sequence[Platform] = (), replaced: Replaced | None = None
) -> None:
    """Listen until SIGTERM or SIGINT. Raise ConfigError without a platform, or when none is left,
    and AlreadyRunningError when another worker has the file."""
    if not platforms and not names_platforms(settings):
        raise ConfigError(no_platform(PROGRAM))
    health, stop = Health(), asyncio.Event()
    wait_ms = (replaced.timing if replaced else Timing()).opening
    async with only_worker(settings.database_url):
        for name in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(name, stop.set)
        async with open_platforms(settings, health, wait_ms=wait_ms) as opened:
            await serve(settings, [*platforms, *opened], stop, replaced, health)
    if not stop.is_set():
        raise ConfigError(NO_PLATFORM_LEFT, *(state.why for state in health.states.values()))


@asynccontextmanager
async def only_worker(database_url: str) -> AsyncIterator[None]:
    """Hold the file's lock, which the kernel frees at a crash; on PostgreSQL many may work."""
    if is_postgres(database_url):
        yield
        return
    file = sqlite_path(database_url)
    lock = FileLock(f"{file}.lock", timeout=0, mode=0o600, thread_local=False)
    try:
        await asyncio.to_thread(lock.acquire)
    except Timeout as error:
        raise AlreadyRunningError(f"Another worker runs on {file}; stop it first.") from error
    try:
        yield
    finally:
        await asyncio.to_thread(lock.release)


async def serve(
    settings: Settings,
    platforms: Sequence[Platform],
    stop: asyncio.Event,
    replaced: Replaced | None = None,
    health: Health | None = None,
) -> None:
    """Answer until `stop`, or until no platform is left: then the intake ends, running turns get
    their grace, and what is left is for the next worker to take over. Raise StorageError when the
    database is damaged or gone: at once, for nothing more may be written."""
    worker = f"{RUN_WORKERS}{uuid4().hex}"
    outlets = [platform.outlet for platform in platforms]
    timing = replaced.timing if replaced else Timing()
    async with (
        open_watched(settings, health or Health(), timing) as database,
        assemble(settings, database, worker=worker, outlets=outlets, replaced=replaced) as parts,
        Schedule(database, worker) as schedule,
        asyncio.TaskGroup() as group,
    ):
        retention = Retention(database, parts.erasure)
        schedule.add("retention", retention.purge_daily)
        names = [outlet.platform for outlet in outlets]
        recovery = Recovery(database, parts.queue, parts.timing, platforms=names)
        await recovery.take_up()
        catch_up = CatchUp(parts.database, parts.intake, outlets, worker)
        await catch_up.look_back()
        desk = FrontDesk(parts.intake, parts.commands, catch_up.connected)
        watching = group.create_task(database.watch())
        listening = [group.create_task(each.listen(desk)) for each in platforms]
        working = group.create_task(parts.queue.work(parts.turns.answer, parts.turns.interrupted))
        sweeping = group.create_task(recovery.keep_sweeping())
        catching_up = group.create_task(catch_up.keep_catching_up())
        emptying = group.create_task(parts.erasure.keep_emptying())
        forgetting = group.create_task(parts.commands.forgetting.keep_finishing())
        stopping, ending = group.create_task(stop.wait()), group.create_task(_all(listening))
        await asyncio.wait({stopping, ending}, return_when=asyncio.FIRST_COMPLETED)
        await _cancelled(*listening, catching_up, stopping, ending)
        parts.queue.stop()
        await asyncio.wait({working}, timeout=parts.timing.grace / 1000)
        await _cancelled(sweeping, emptying, forgetting, working, watching)


@asynccontextmanager
async def open_watched(
    settings: Settings, health: Health, timing: Timing
) -> AsyncIterator[WatchedDatabase]:
    """The database with today's schema, once it is known to be sound."""
    url = settings.database_url
    async with open_unmigrated(settings) as database:
        await check_sound(url, database)
        await migrate(database)
        yield WatchedDatabase(database, health, await watch_file(url), timing.sweep)


async def _all(tasks: Collection[asyncio.Task[None]]) -> None:
    await asyncio.wait(tasks)


async def _cancelled(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
