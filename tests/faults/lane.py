"""The real worker, killed at one request after another, and what it leaves each time.

A lane is one platform, one file and one worker at a time, which is started anew with the usual
command. Whoever took up what the killed one left is asked the next question, and killed in turn.
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import time
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGKILL
from tempfile import TemporaryFile
from typing import IO, Any

from bot.context import ContextBuilder
from memory import people
from memory.database import Transaction
from memory.engines import open_database
from memory.keys import PlaceKey
from memory.messages import user
from memory.migrate import migrate
from tests.benchmarks.startup import ROOT, environment
from tests.faults.clerk import FIRST, Clerk, final, squeezed
from tests.faults.ground import Ground
from tests.faults.striker import Blow
from tests.servers.openai.server import Server, serving
from tests.validity import problems

LATER = 1_000_000
LOOK_SECONDS = 0.05
LOOKS = 1_200
FEW_LOOKS = 100

_SENT = """
SELECT count(*) FROM deliveries d JOIN conversations c ON c.id = d.conversation
WHERE c.place = ? AND d.state = 'sent'
"""
_ASKED = """
SELECT count(*) FROM messages m JOIN conversations c ON c.id = m.conversation
WHERE c.place = ? AND m.role = 'user' AND m.state <> 'observed'
"""

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """Of one question. `requests`: what was sent until its answer, by all workers."""

    blow: Blow | None
    requests: Sequence[str]
    problems: Sequence[str]
    seconds: float


@dataclass
class Lane:
    """`root`: the tree whose worker it is."""

    ground: Ground
    model: Server
    folder: Path
    log: IO[bytes]
    lines: int
    root: Path = ROOT
    worker: Process | None = None
    _asked: int = field(default=0, init=False)

    async def prepare(self) -> None:
        """Today's schema, and everybody a customer of the shop."""
        database = await open_database(self._url)
        try:
            await migrate(database)
            await database.write(self._link_all)
        finally:
            await database.close()

    async def _link_all(self, tx: Transaction) -> None:
        for person in self.ground.askers:
            await people.link(tx, person, "demo")

    async def start(self) -> Process:
        """The usual command."""
        self.worker = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "run"),
            cwd=self.root,
            env=environment(
                self.folder,
                **self.ground.environment,
                OPENAI_BASE_URL=self.model.base_url,
                NIMBUS_MODEL="openai:clerk",
                NIMBUS_TOOLS="bot.tools.support",
            ),
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=self.log,
        )
        await self.ground.met()
        return self.worker

    async def stop(self) -> None:
        if self.worker is not None and self.worker.returncode is None:
            self.worker.kill()
            await self.worker.wait()

    async def survive(self, blow: Blow | None) -> Result:
        """Ask a question; kill the worker there, go on with another, and judge."""
        number, self._asked = self._asked, self._asked + 1
        began, token, found = time.monotonic(), f"k{number:06d}x", list[str]()
        try:
            found += await self._through(number, token, blow)
        except TimeoutError as late:
            found.append(f"It took too long: {late}\n{self.ground.story()}\n{self._log()}")
        requests = list(self.ground.striker.requests)
        return Result(blow, requests, found, time.monotonic() - began)

    async def _through(self, number: int, token: str, blow: Blow | None) -> list[str]:
        is_there = self.worker is not None and self.worker.returncode is None
        worker = self.worker if self.worker and is_there else await self.start()
        await self.ground.met()
        self.ground.striker.arm(blow, worker.kill)
        place = await self.ground.ask(number, f"My order 1042 is wet: {token}.")
        if blow is not None:
            await self._killed(worker, place)
            await self.ground.left()
            worker = await self.start()
            await self.ground.tell_again(acknowledged=False)
        await self.ground.settled()
        if not await self._comes(lambda: self._count(_ASKED, place) > 0, FEW_LOOKS):
            return ["The question was acknowledged and not written down."]
        await self._until(lambda: self._is_done(place), "the turn was not done")
        await self._comes(lambda: not self.ground.wrong(), FEW_LOOKS)  # a status goes last of all
        await self.ground.settled()
        found = [*self._judged(number, token, place), *await self._refused(place)]
        before = self._traces()
        await self.ground.tell_again(acknowledged=True)
        await self.ground.settled()
        if self._traces() != before:
            found.append(f"Told again, it did something: {before} became {self._traces()}")
        if worker.returncode is not None:
            found.append(f"The worker ended with {worker.returncode}.\n{self._log()}")
        return found

    async def _killed(self, worker: Process, place: PlaceKey) -> None:
        """Raise TimeoutError when the blow never falls."""

        def is_dead() -> bool:
            return worker.returncode is not None

        await self._until(lambda: is_dead() or self._is_done(place), "neither dead nor done")
        await self._comes(is_dead, FEW_LOOKS)  # something may be tidied up when all is done
        if worker.returncode != -SIGKILL:
            raise TimeoutError(f"its moment never came: {', '.join(self.ground.striker.requests)}")
        self.ground.is_edited.set()  # nobody waits for an edit any more

    async def _until(self, happened: Callable[[], bool], why: str) -> None:
        if not await self._comes(happened, LOOKS):
            raise TimeoutError(why)

    async def _comes(self, awaited: Callable[[], bool], looks: int) -> bool:
        for _ in range(looks):
            if awaited():
                return True
            await asyncio.sleep(LOOK_SECONDS)
        return False

    def _judged(self, number: int, token: str, place: PlaceKey) -> Iterator[str]:
        tickets = self._rows("shop.db", "SELECT number FROM tickets WHERE summary = ?", _for(token))
        if len(tickets) != 1:
            yield f"{len(tickets)} tickets"
        ticket = f"T-{tickets[0][0]:04d}" if tickets else "T-none"
        told = self.ground.answer(number)
        wanted = squeezed(FIRST + final(token, ticket, self.lines))
        if squeezed("".join(told)) != wanted:
            yield f"The answer is not whole, or not alone: {[_short(each) for each in told]}"
        turns = self._rows("chat.db", "SELECT state, outcome FROM turns WHERE place = ?", place)
        if turns != [("done", "answered")]:
            yield f"turns: {turns}"
        if self._count(_SENT, place) != len(told):
            yield "The parts that are noted are not those that stand there."
        if self._count(_ASKED, place) != 1:
            yield "The question is not stored once."
        yield from self.ground.wrong()
        yield from self.model.refused

    async def _refused(self, place: PlaceKey) -> list[str]:
        """Why a provider would refuse the next question's request."""
        [[conversation]] = self._rows(
            "chat.db", "SELECT id FROM conversations WHERE place = ?", place
        )
        database = await open_database(self._url)
        try:
            context = await database.read(
                lambda tx: ContextBuilder("Help.").build(
                    tx, conversation, [user("And now?")], LATER, 0
                )
            )
        finally:
            await database.close()
        return problems(context.request)

    def _traces(self) -> dict[str, int]:
        """What may not become more."""
        return {
            "turns": self._count("SELECT count(*) FROM turns"),
            "tickets": self._rows("shop.db", "SELECT count(*) FROM tickets")[0][0],
            "model calls": len(self.model.requests),
            "sends": self.ground.sends,
        }

    def _is_done(self, place: PlaceKey) -> bool:
        states = self._rows("chat.db", "SELECT state FROM turns WHERE place = ?", place)
        return bool(states) and all(state == "done" for (state,) in states)

    def _count(self, sql: str, *values: object) -> int:
        [[count]] = self._rows("chat.db", sql, *values)
        return int(count)

    def _rows(self, file: str, sql: str, *values: object) -> list[Row]:
        with closing(sqlite3.connect(self.folder / file)) as database:
            return database.execute(sql, [str(value) for value in values]).fetchall()

    def _log(self) -> str:
        self.log.seek(0)
        return self.log.read().decode()[-2_000:]

    @property
    def _url(self) -> str:
        return f"sqlite:///{self.folder / 'chat.db'}"


def _for(token: str) -> str:
    return f"For {token}."


def _short(text: str) -> str:
    return text if len(text) < 80 else f"{text[:50]} … {text[-25:]}"


@asynccontextmanager
async def open_lane(
    ground: Ground, folder: Path, lines: int, root: Path = ROOT
) -> AsyncIterator[Lane]:
    clerk = Clerk(lines, ground.is_edited.wait)
    with TemporaryFile() as log:
        async with serving(clerk) as model:
            lane = Lane(ground, model, folder, log, lines, root)
            await lane.prepare()
            try:
                yield lane
            finally:
                await lane.stop()
