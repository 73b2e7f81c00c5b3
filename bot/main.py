"""The composition root: builds everything, runs it, takes it down in reverse."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from filelock import FileLock, Timeout

from adapters.terminal.lines import Lines
from bot import trace
from bot.after import AfterWork
from bot.agent import Agent
from bot.commands import Commands
from bot.context import ContextBuilder
from bot.erasure import Erasure
from bot.errors import AlreadyRunningError, ConfigError
from bot.intake import Intake
from bot.lease import Clock, suspended_clock
from bot.model import Model
from bot.platform import Outlet, Platform
from bot.prompts import system_prompt
from bot.queue import LocalQueue, Queue
from bot.recovery import RUN_WORKERS, Recovery
from bot.retention import Retention
from bot.run import Runs
from bot.schedule import Schedule
from bot.settings import DEMO_DESK, Limits, Settings, Timing
from bot.tools import Toolbox
from bot.tools.loading import load_tools
from bot.turns import Turns
from bot.wording import NO_PLATFORM
from memory.database import Database
from memory.engines import open_database, sqlite_path
from memory.installation import read_secret
from memory.keys import Digests
from memory.migrate import migrate

_DAY = 24 * 60 * 60 * 1000  # ms
_SQLITE = "sqlite:"
_DEMO_CUSTOMERS = {"terminal": "demo"}  # the demo desk's customer, where nobody else can sit


@dataclass(frozen=True, slots=True)
class Replaced:
    """What stands in for the real thing, where something must: tests, and worlds with faults."""

    model: Model | None = None
    toolbox: Toolbox | None = None
    queue: Queue | None = None
    clock: Clock = field(default_factory=suspended_clock)
    timing: Timing = field(default_factory=Timing)
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a process that answers is made of."""

    name: str
    database: Database
    model: Model
    contexts: ContextBuilder
    queue: Queue
    intake: Intake
    turns: Turns
    erasure: Erasure
    commands: Commands
    timing: Timing


@asynccontextmanager
async def open_memory(settings: Settings) -> AsyncIterator[Database]:
    """The database, with today's schema."""
    async with open_unmigrated(settings) as database:
        await migrate(database)
        yield database


@asynccontextmanager
async def open_unmigrated(settings: Settings) -> AsyncIterator[Database]:
    """The database as it is, for who brings it up to date and says what that was."""
    database = await open_database(settings.database_url, durability=settings.durability)
    try:
        yield database
    finally:
        await database.close()


@asynccontextmanager
async def assemble(
    settings: Settings,
    database: Database,
    *,
    worker: str,
    outlets: Sequence[Outlet],
    replaced: Replaced | None = None,
    listener: trace.Listener = trace.unheard,
) -> AsyncIterator[Parts]:
    """Put the parts together; what was made here is closed here."""
    given = replaced or Replaced()
    async with AsyncExitStack() as stack:
        digests = Digests(await database.write(read_secret))
        by_platform = {outlet.platform: outlet for outlet in outlets}
        model = given.model
        if model is None:
            model = await open_model(settings)
            stack.push_async_callback(model.close)
        toolbox = given.toolbox or await open_toolbox(settings, given)
        contexts = build_contexts(settings, toolbox)
        queue = given.queue or LocalQueue()
        runs = Runs(
            database=database,
            outlets=by_platform,
            digests=digests,
            worker=worker,
            clock=given.clock,
            timing=given.timing,
        )
        turns = Turns(
            database=database,
            runs=runs,
            agent=Agent(model, toolbox, given.limits, given.timing, given.clock),
            contexts=contexts,
            after=AfterWork(database, budget=contexts.budget, recent_turns=contexts.recent_turns),
            timing=given.timing,
            limits=given.limits,
            customers=_DEMO_CUSTOMERS if DEMO_DESK in settings.tools else None,
            listener=listener,
        )
        erasure = _erasure(settings, database, queue, digests, outlets=by_platform, given=given)
        yield Parts(
            name=settings.name,
            database=database,
            model=model,
            contexts=contexts,
            queue=queue,
            intake=Intake(database, queue, digests, given.limits, given.timing),
            turns=turns,
            erasure=erasure,
            commands=Commands(
                database=database,
                queue=queue,
                erasure=erasure,
                contexts=contexts,
                name=settings.name,
                model=model.name,
                tools=[spec.name for spec in toolbox.specs],
                retention_days=settings.retention_days,
            ),
            timing=given.timing,
        )


async def open_erasure(settings: Settings, database: Database) -> Erasure:
    """For a command that answers nobody: nobody is woken, nothing that was shown is closed."""
    digests = Digests(await database.write(read_secret))
    return _erasure(settings, database, LocalQueue(), digests, outlets={}, given=Replaced())


def _erasure(
    settings: Settings,
    database: Database,
    queue: Queue,
    digests: Digests,
    *,
    outlets: Mapping[str, Outlet],
    given: Replaced,
) -> Erasure:
    return Erasure(
        database=database,
        queue=queue,
        outlets=outlets,
        digests=digests,
        timing=given.timing,
        clock=given.clock,
        retention=settings.retention_days * _DAY,
    )


async def open_model(settings: Settings) -> Model:
    """The configured model; the adapter of another is never imported."""
    if settings.model is None:
        from adapters.offline.model import OfflineModel

        return OfflineModel()
    return await asyncio.to_thread(_open_openai, settings)


def _open_openai(settings: Settings) -> Model:
    """In a thread: importing the SDK takes a second, and making the client reads files."""
    from adapters.openai.chat import OpenAIChat

    key = settings.openai_api_key
    return OpenAIChat(
        (settings.model or "").removeprefix("openai:"),
        api_key=key.get_secret_value() if key else None,
        base_url=settings.openai_base_url,
    )


async def open_toolbox(settings: Settings, replaced: Replaced | None = None) -> Toolbox:
    """The tools that the settings name. In a thread: the modules may be anybody's."""
    given = replaced or Replaced()
    tools = await asyncio.to_thread(load_tools, settings.tools, tools_folder(settings))
    return Toolbox(tools, given.timing, given.limits)


def tools_folder(settings: Settings) -> Path:
    """Where tools keep files of their own: beside the database's file."""
    url = settings.database_url
    return sqlite_path(url).parent if url.startswith(_SQLITE) else Path()


def build_contexts(settings: Settings, toolbox: Toolbox) -> ContextBuilder:
    return ContextBuilder(
        system=system_prompt(settings.name, settings.read_instructions()),
        tools=toolbox.specs,
        budget=settings.context_budget,
        recent_turns=settings.recent_turns if settings.history else 0,
    )


def open_typed_lines(mark: str) -> Lines:
    """Line editing, imported only where a person types."""
    from adapters.terminal.prompt import TypedLines

    return TypedLines(mark)


async def run_worker(settings: Settings) -> None:
    """Listen until SIGTERM or SIGINT. Raise ConfigError without a platform,
    AlreadyRunningError when another worker has the file."""
    platforms = open_platforms(settings)
    if not platforms:
        raise ConfigError(NO_PLATFORM)
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    with only_worker(settings.database_url):
        await serve(settings, platforms, stop)


def open_platforms(_settings: Settings) -> Sequence[Platform]:
    """The platforms whose tokens are set: this version knows none."""
    return ()


@contextmanager
def only_worker(database_url: str) -> Iterator[None]:
    """Hold the file's lock, which the kernel frees at a crash; on PostgreSQL many may work."""
    if not database_url.startswith(_SQLITE):
        yield
        return
    file = sqlite_path(database_url)
    lock = FileLock(f"{file}.lock", timeout=0, mode=0o600)
    try:
        with lock:
            yield
    except Timeout as error:
        raise AlreadyRunningError(f"Another worker runs on {file}; stop it first.") from error


async def serve(
    settings: Settings,
    platforms: Sequence[Platform],
    stop: asyncio.Event,
    replaced: Replaced | None = None,
) -> None:
    """Answer until `stop`: then the intake ends, running turns get their grace, and what is left
    is for the next worker to take over."""
    worker = f"{RUN_WORKERS}{uuid4().hex}"
    outlets = [platform.outlet for platform in platforms]
    async with (
        open_memory(settings) as database,
        assemble(settings, database, worker=worker, outlets=outlets, replaced=replaced) as parts,
        Schedule(database, worker) as schedule,
        asyncio.TaskGroup() as group,
    ):
        schedule.add("retention", Retention(database, parts.erasure, settings.retention_days).purge)
        names = [outlet.platform for outlet in outlets]
        recovery = Recovery(database, parts.queue, parts.timing, platforms=names)
        await recovery.take_up()
        listening = [group.create_task(each.listen(parts.intake.accept)) for each in platforms]
        working = group.create_task(parts.queue.work(parts.turns.answer, parts.turns.interrupted))
        sweeping = group.create_task(recovery.keep_sweeping())
        await stop.wait()
        await _cancelled(*listening)
        parts.queue.stop()
        await asyncio.wait({working}, timeout=parts.timing.grace / 1000)
        await _cancelled(sweeping, working)


async def _cancelled(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
