"""The composition root: builds everything, runs it, takes it down in reverse."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from bot import trace
from bot.after import AfterWork
from bot.agent import Agent
from bot.closing import Closing
from bot.commands import Commands
from bot.context import ContextBuilder
from bot.equipment import build_contexts, open_toolbox
from bot.erasure import Erasure
from bot.forgetting import Forgetting
from bot.helping import help_text
from bot.intake import Intake
from bot.lease import Clock, suspended_clock
from bot.limits import limits_of
from bot.model import Model
from bot.platform import Outlet
from bot.providers import opened_model, opened_summariser
from bot.queue import LocalQueue, Queue
from bot.remember import Remembering
from bot.rules import Rules
from bot.run import Runs
from bot.settings import DEMO_DESK, Limits, Settings, Timing
from bot.tools import Toolbox
from bot.turns import Turns
from memory.database import Database
from memory.engines import open_database
from memory.installation import read_secret
from memory.keys import Digests
from memory.migrate import migrate
from memory.sqlite import REWRITTEN
from memory.usage import Allowance
from memory.workspaces import Windows

_DEMO_CUSTOMERS = {"terminal": "demo"}  # the demo desk's customer, where nobody else can sit


@dataclass(frozen=True, slots=True)
class Replaced:
    """What stands in for the real thing, where something must: tests, and worlds with faults."""

    model: Model | None = None
    toolbox: Toolbox | None = None
    queue: Queue | None = None
    clock: Clock = field(default_factory=suspended_clock)
    timing: Timing = field(default_factory=Timing)
    limits: Limits | None = None


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
    after: AfterWork
    timing: Timing


@asynccontextmanager
async def open_memory(settings: Settings, *, rewritten: int = REWRITTEN) -> AsyncIterator[Database]:
    """The database, with today's schema."""
    async with open_unmigrated(settings, rewritten=rewritten) as database:
        await migrate(database)
        yield database


@asynccontextmanager
async def open_unmigrated(
    settings: Settings, *, rewritten: int = REWRITTEN
) -> AsyncIterator[Database]:
    """The database as it is, for who brings it up to date and says what that was."""
    database = await open_database(
        settings.database_url, durability=settings.durability, rewritten=rewritten
    )
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
    base = _Base(
        settings=settings,
        database=database,
        digests=Digests(await database.write(read_secret)),
        queue=given.queue or LocalQueue(),
        outlets={outlet.platform: outlet for outlet in outlets},
        given=given,
    )
    toolbox = given.toolbox or await open_toolbox(settings, database, given.timing, base.limits)
    contexts = await asyncio.to_thread(build_contexts, settings, toolbox)
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(opened_model(settings, given.model))
        closing = await stack.enter_async_context(base.closing())
        erasure = base.erasure(closing)
        commands = base.commands(base.forgetting(erasure), contexts, model.name)
        sums_up = await stack.enter_async_context(opened_summariser(settings, model, given.model))
        after = await stack.enter_async_context(base.after(sums_up, contexts))
        yield Parts(
            name=settings.name,
            database=database,
            model=model,
            contexts=contexts,
            queue=base.queue,
            intake=base.intake(commands),
            turns=base.turns(base.agent(model, toolbox), contexts, after, worker, listener),
            erasure=erasure,
            commands=commands,
            after=after,
            timing=given.timing,
        )


async def open_erasure(settings: Settings, database: Database) -> Erasure:
    """For a command that answers nobody: nobody is woken, nothing that was shown is closed."""
    base = _Base(
        settings=settings,
        database=database,
        digests=Digests(await database.write(read_secret)),
        queue=LocalQueue(),
        outlets={},
        given=Replaced(),
    )
    return base.erasure(base.closing())


@dataclass(frozen=True, slots=True)
class _Base:
    """What many parts are made with."""

    settings: Settings
    database: Database
    digests: Digests
    queue: Queue
    outlets: Mapping[str, Outlet]
    given: Replaced

    @property
    def limits(self) -> Limits:
        return self.given.limits or limits_of(self.settings)

    @property
    def allowance(self) -> Allowance:
        return Allowance(
            messages_per_minute=self.settings.messages_per_minute,
            person_tokens_per_day=self.settings.person_tokens_per_day,
            total_tokens_per_day=self.settings.total_tokens_per_day,
        )

    def intake(self, commands: Commands) -> Intake:
        return Intake(
            database=self.database,
            queue=self.queue,
            digests=self.digests,
            limits=self.limits,
            timing=self.given.timing,
            rules=Rules.of(self.settings),
            commands=commands,
            erasure=commands.erasure,
            allowance=self.allowance,
        )

    def agent(self, model: Model, toolbox: Toolbox) -> Agent:
        return Agent(model, toolbox, self.limits, self.given.timing, self.given.clock)

    def after(self, model: Model | None, contexts: ContextBuilder) -> AfterWork:
        return AfterWork(
            self.database,
            budget=contexts.for_window,
            recent_turns=contexts.recent_turns,
            model=model,
            notes=self.settings.notes,
            patience_ms=self.given.timing.summary,
            rest_ms=self.given.timing.rest,
        )

    def turns(
        self,
        agent: Agent,
        contexts: ContextBuilder,
        after: AfterWork,
        worker: str,
        listener: trace.Listener,
    ) -> Turns:
        timing = self.given.timing
        runs = Runs(
            database=self.database,
            outlets=self.outlets,
            digests=self.digests,
            worker=worker,
            clock=self.given.clock,
            timing=timing,
        )
        return Turns(
            database=self.database,
            runs=runs,
            agent=agent,
            remembering=self.remembering(contexts, listener),
            after=after,
            timing=timing,
            limits=self.limits,
            listener=listener,
        )

    def remembering(self, contexts: ContextBuilder, listener: trace.Listener) -> Remembering:
        settings = self.settings
        return Remembering(
            database=self.database,
            contexts=contexts,
            digests=self.digests,
            timing=self.given.timing,
            windows=Windows(settings.retention_days),
            help=partial(help_text, Rules.of(settings), contexts.offered),
            customers=_DEMO_CUSTOMERS if DEMO_DESK in settings.tools else {},
            allowance=self.allowance,
            listener=listener,
        )

    def closing(self) -> Closing:
        return Closing(self.outlets, self.given.timing, self.given.clock)

    def erasure(self, closing: Closing) -> Erasure:
        return Erasure(
            database=self.database,
            queue=self.queue,
            digests=self.digests,
            timing=self.given.timing,
            clock=self.given.clock,
            windows=Windows(self.settings.retention_days),
            closing=closing,
        )

    def forgetting(self, erasure: Erasure) -> Forgetting:
        return Forgetting(self.database, erasure, self.outlets, self.settings.operators)

    def commands(self, forgetting: Forgetting, contexts: ContextBuilder, model: str) -> Commands:
        return Commands(
            database=self.database,
            queue=self.queue,
            erasure=forgetting.erasure,
            forgetting=forgetting,
            contexts=contexts,
            rules=Rules.of(self.settings),
            model=model,
            digests=self.digests,
            allowance=self.allowance,
        )
