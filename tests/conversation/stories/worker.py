"""One process of the house in this process: what `bot.main` puts together, on a flaky database."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bot.after import AfterWork
from bot.agent import Agent
from bot.closing import Closing
from bot.commands import Commands
from bot.context import ContextBuilder
from bot.erasure import Erasure
from bot.forgetting import Forgetting
from bot.health import Health
from bot.intake import Intake
from bot.model import Model
from bot.queue import LocalQueue
from bot.recovery import Recovery
from bot.remember import Remembering
from bot.rules import Rules
from bot.run import Runs
from bot.settings import Limits, Timing
from bot.tools import Tool, Toolbox
from bot.trace import unheard
from bot.turns import Turns
from bot.watched import WatchedDatabase
from memory.database import Database
from memory.keys import Digests, PersonKey
from memory.migrate import migrate
from memory.sqlite import SQLite
from memory.usage import Allowance
from memory.workspaces import DAY, Windows
from tests.conversation.stories.flaky import Flaky
from tests.faults.inline import connect
from tests.faults.virtual import VirtualLoop
from tests.played_platform import PlayedPlatform
from tests.seat import allowed

DIGESTS = Digests(b"secret")
OPERATOR = PersonKey("played", "W", "op")
RETENTION = 30 * 24 * 3_600_000  # ms


@dataclass
class Worker:
    """One process: dropped at a crash, with all that it had in memory."""

    database: Flaky
    watched: WatchedDatabase
    queue: LocalQueue
    intake: Intake
    turns: Turns
    recovery: Recovery
    erasure: Erasure
    after: AfterWork
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    def start(self, work: Coroutine[None, None, None]) -> None:
        self.tasks.append(asyncio.create_task(work))


class Lasting(Protocol):
    """What outlives a process."""

    file: Path
    loop: VirtualLoop
    platform: PlayedPlatform
    timing: Timing
    limits: Limits
    tools: Sequence[Tool]
    budget: int
    summaries: bool
    rules: Rules
    allowance: Allowance
    health: Health
    failed: list[tuple[str, Exception]]

    @property
    def models(self) -> Model: ...


async def migrated(house: Lasting) -> None:
    """Make the file, with today's schema."""
    database = await SQLite.open(
        house.file, clock=house.loop.milliseconds, connect=connect, busy_ms=0
    )
    await migrate(database)
    await database.close()


async def build(house: Lasting, name: str) -> Worker:
    clock = house.loop.milliseconds
    opened = await SQLite.open(house.file, clock=clock, connect=connect, busy_ms=0)
    flaky = Flaky(opened)
    database = WatchedDatabase(flaky, house.health, allowed, house.timing.sweep)
    queue = LocalQueue(failed=lambda where, error: house.failed.append((where, error)))
    toolbox = Toolbox(house.tools, house.timing, house.limits)
    contexts = ContextBuilder("Be brief.", toolbox.specs, budget=house.budget)
    erasure = _erasure(house, database, queue)
    after = AfterWork(
        database,
        budget=house.budget,
        recent_turns=2,
        model=house.models if house.summaries else None,
    )
    agent = Agent(house.models, toolbox, house.limits, house.timing, clock)
    return Worker(
        database=flaky,
        watched=database,
        queue=queue,
        intake=_intake(house, database, queue, contexts, erasure),
        turns=_turns(house, database, contexts, agent, after=after, name=name),
        recovery=Recovery(database, queue, house.timing, platforms=["played"]),
        erasure=erasure,
        after=after,
    )


def _erasure(house: Lasting, database: Database, queue: LocalQueue) -> Erasure:
    return Erasure(
        database=database,
        queue=queue,
        digests=DIGESTS,
        timing=house.timing,
        clock=house.loop.milliseconds,
        closing=Closing({"played": house.platform}, house.timing, house.loop.milliseconds),
        windows=Windows(RETENTION // DAY),
    )


def _intake(
    house: Lasting,
    database: Database,
    queue: LocalQueue,
    contexts: ContextBuilder,
    erasure: Erasure,
) -> Intake:
    commands = Commands(
        database=database,
        queue=queue,
        erasure=erasure,
        forgetting=Forgetting(
            database,
            erasure,
            {"played": house.platform},
            operators=frozenset({OPERATOR.user}),
        ),
        contexts=contexts,
        rules=house.rules,
        model="scripted",
        digests=DIGESTS,
        allowance=house.allowance,
    )
    return Intake(
        database=database,
        queue=queue,
        digests=DIGESTS,
        limits=house.limits,
        timing=house.timing,
        rules=house.rules,
        commands=commands,
        erasure=erasure,
        allowance=house.allowance,
    )


def _turns(
    house: Lasting,
    database: Database,
    contexts: ContextBuilder,
    agent: Agent,
    *,
    after: AfterWork,
    name: str,
) -> Turns:
    return Turns(
        database=database,
        runs=Runs(
            database=database,
            outlets={"played": house.platform},
            digests=DIGESTS,
            worker=name,
            clock=house.loop.milliseconds,
            timing=house.timing,
        ),
        agent=agent,
        remembering=Remembering(
            database=database,
            contexts=contexts,
            digests=DIGESTS,
            timing=house.timing,
            windows=Windows(RETENTION // DAY),
            help="Ask me within {} days on {}.".format,
            customers={},
            allowance=house.allowance,
            listener=unheard,
        ),
        after=after,
        timing=house.timing,
        limits=house.limits,
    )
