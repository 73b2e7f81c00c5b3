"""The world of one run: people, a platform, worker processes that die and are started again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextvars import Context
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from bot.platform import Accepted, Deleted, Edited, Event
from bot.rules import is_addressed
from memory.errors import StorageError
from memory.keys import PersonKey, PlaceKey
from tests.faults.absence import Absence
from tests.faults.evidence import Evidence
from tests.faults.facts import Deletion, Facts, Said
from tests.faults.invariants import judge
from tests.faults.orders import Orders
from tests.faults.plan import Plan
from tests.faults.points import Gate, KilledError
from tests.faults.telling import HARMLESS, PATIENCE_SECONDS, Telling
from tests.faults.venue import Around
from tests.faults.virtual import Process, VirtualLoop
from tests.faults.watch import DOING, Watch
from tests.faults.worker import House, Worker

ECHO_SECONDS = 60.0  # how long we look on for what comes late


@dataclass
class World:
    loop: VirtualLoop
    plan: Plan
    folder: Path
    facts: Facts = field(default_factory=Facts)
    workers: dict[str, Worker] = field(default_factory=dict)
    _numbers: count[int] = field(default_factory=count)
    _chores: list[asyncio.Task[None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.store = self.plan.frame.engine.store(self.folder, self.plan.frame.people)
        self.records = self.store.records
        self.absence = Absence(self.loop, self.facts, self.records)
        self.telling = Telling(self.loop, self.facts, self.workers)
        self.watch = Watch(self.facts, self.records, self.loop.milliseconds, self.plan.allowance)
        self.gate = Gate(
            self.loop, self.plan.faults, self.kill, self._silent, struck=self.facts.struck
        )
        self.venue = self.plan.frame.build(
            Around(
                self.loop,
                self.gate,
                self.watch.sending,
                remembers=self.plan.remembers,
                characters=self.plan.characters,
                throttle=self.plan.throttle,
            )
        )
        self.orders = Orders(self.loop, self.facts, self.venue, self.telling)
        self.house = House(
            loop=self.loop,
            gate=self.gate,
            venue=self.venue,
            platform=self.plan.frame.platform,
            facts=self.facts,
            store=self.store,
            shop=self.folder / "shop.db",
            model=self.plan.model,
            clock=lambda process: self.plan.clock(self.loop, process),
            watch=self.watch,
            think=self.plan.think,
            budget=self.plan.budget,
            allowance=self.plan.allowance,
            catches_up=self.plan.catches_up,
            alone=self.plan.workers == 1,
        )

    # Where and who

    @property
    def here(self) -> PlaceKey:
        """The first of the threads."""
        return next(iter(self.venue.places))

    @property
    def ann(self) -> PersonKey:
        return self.plan.frame.people[0]

    @property
    def bob(self) -> PersonKey:
        return self.plan.frame.people[1]

    @property
    def cas(self) -> PersonKey:
        """Who may forget nothing that others said."""
        return self.plan.frame.people[2]

    # Processes

    async def start(self) -> None:
        self.loop.set_exception_handler(self._background)
        for slot in ("a", "b")[: self.plan.workers]:
            await self._start(slot)

    async def _start(self, slot: str) -> None:
        worker = Worker(self.house, Process(f"{slot}{next(self._numbers)}"))
        opened = self.loop.create_future()
        self._chores.append(self.loop.start(worker.process, self._run(worker, slot, opened)))
        await opened

    async def _run(self, worker: Worker, slot: str, opened: asyncio.Future[None]) -> None:
        try:
            await worker.open()
            self.workers[slot] = worker
            opened.set_result(None)
            if self.absence.seconds_left:
                self.kill(worker.process)
                raise KilledError
            await worker.run()
        except BaseException as error:  # noqa: BLE001 - a worker that ends by itself is wrong
            if not opened.done():
                opened.set_result(None)
            if worker.process.dead:
                worker.drop()
                return
            if not isinstance(error, StorageError):  # with that it says so, and is started again
                self.facts.object_to(f"a worker ended: {error!r}")
            self.kill(worker.process)
            worker.drop()

    def kill(self, process: Process) -> None:
        """Everything in its memory is gone; after a while there is a fresh one."""
        slot = process.name[0]
        process.dead = True
        self.loop.thaw(process)
        current = asyncio.current_task()
        for task in process.tasks:
            if task is not current:
                task.cancel()
        if slot in self.workers:
            self.workers.pop(slot).drop()
        self._silent(process)
        pause = 1.0 if self.plan.workers == 1 else 20.0
        self.loop.call_later(pause, self._again, slot, context=Context())

    def be_away(self, seconds: float) -> None:
        self.absence.begin(seconds)
        for worker in list(self.workers.values()):
            self.kill(worker.process)

    def _silent(self, process: Process) -> None:
        """It does not renew its statuses any more, so that the platform clears them."""
        self.venue.silence(process.name)

    def _again(self, slot: str) -> None:
        if pause := self.absence.seconds_left:
            self.loop.call_later(pause, self._again, slot, context=Context())
            return
        self._chores.append(self.loop.create_task(self._start(slot)))

    # What people do

    async def say(
        self,
        place: PlaceKey,
        person: PersonKey,
        text: str,
        *,
        twice: bool = False,
        calls: bool = True,
        after: float = 0.0,
    ) -> Said:
        """Write a message, of which we are told some seconds `after`; return when the platform was
        told that it is written down."""
        events = await self.venue.say(place, person, text, calls=calls)
        calls = is_addressed(events[0])
        said = Said(events[0], [text], calls, overheard=not calls)
        self.facts.said.append(said)
        if self.absence.seconds_left:
            said.missed, said.accepted = self.absence.missed(said.inbound.place), True
            return said
        await self._tell_of(said, (*events, *events) if twice else events, after)
        return said

    async def edit(self, said: Said, text: str, *, calls: bool, after: float = 0.0) -> None:
        said.texts.append(text)
        said.calls |= calls
        await self._tell_of(
            said, await self.venue.edit(said.inbound, text, calls=said.calls), after
        )

    async def delete(self, said: Said, *, after: float = 0.0) -> None:
        said.deleted = True
        await self._tell_of(said, await self.venue.delete(said.inbound), after)

    async def _tell_of(self, said: Said, events: Sequence[Event], after: float) -> None:
        said.untold += 1
        await asyncio.sleep(after)
        for event in events:
            DOING.set(Deletion(said) if isinstance(event, Deleted) else said)
            told = await self.telling.hand_over(_accepting(event))
            said.dropped |= told.how == "forgotten"
            said.may_be_stale |= isinstance(event, Edited) and told.how == "ignored"
        said.untold -= 1
        said.accepted = said.untold == 0

    async def tell(self, events: Sequence[Event]) -> None:
        """Tell of something whose effect the caller judges."""
        for event in events:
            await self.telling.hand_over(_accepting(event))

    # The end

    async def until_quiet(self, still_seconds: float = ECHO_SECONDS) -> None:
        """Until nothing waits, and nothing that comes late changes that for so long."""
        quiet_since = self.loop.time()
        give_up = self.loop.time() + PATIENCE_SECONDS
        while self.loop.time() - quiet_since < still_seconds:
            await asyncio.sleep(min(still_seconds, 5))
            frozen = any(w.process.thaws_at > self.loop.time() for w in self.workers.values())
            if frozen or not self.workers or not self.records.is_quiet():
                quiet_since = self.loop.time()
            if self.loop.time() > give_up:
                self.facts.object_to("it never became quiet")
                return

    def judge(self) -> list[str]:
        return judge(
            Evidence(
                self.facts,
                self.records,
                self.venue,
                self.store.contents,
                shop=self.folder / "shop.db",
                allowance=self.plan.allowance,
                left_over=[each for one in self.workers.values() for each in one.left_over()],
                echoes=self.plan.echoes,
            )
        )

    async def end(self) -> None:
        """Kill all that is left, for good."""
        for worker in self.workers.values():
            worker.process.dead = True
            self.loop.thaw(worker.process)
            for task in worker.process.tasks:
                task.cancel()
            worker.drop()
        await asyncio.sleep(0)
        self.store.close()

    def _background(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not isinstance(error, HARMLESS):
            self.facts.object_to(f"in the background: {context['message']} {error!r}")


def _accepting(event: Event) -> Callable[[Worker], Awaitable[Accepted]]:
    return lambda worker: worker.parts.intake.accept(event)
