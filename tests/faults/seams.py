"""The seams of one simulated process, each behind the gate."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from bot.model import Model, ModelRequest, ModelResponse, Usage, guess_usage
from memory.database import Database, Row, Transaction, Value, Work
from tests.faults.points import IN_FLIGHT_SECONDS, SLOW_SECONDS, Fault, Gate
from tests.faults.virtual import PROCESS
from tests.played_network import LOST, Fate, Request, late
from tests.played_platform import PlayedPlatform

T = TypeVar("T")
SENDS = ("post", "edit", "remove")
LATENCY = 0.1  # seconds that a request takes to the platform
PACE = 0.2  # seconds between two pieces of a model's answer


@dataclass(slots=True)
class Noted:
    """A transaction that keeps what was sent, to judge the order of statements by, and the values
    of those that changed a turn by its fence."""

    tx: Transaction
    statements: list[str] = field(default_factory=list)
    fenced: list[Mapping[str, Value]] = field(default_factory=list)

    async def fetch(self, sql: str, /, **values: Value) -> list[Row]:
        self.statements.append(" ".join(sql.split()))
        rows = await self.tx.fetch(sql, **values)
        self._note_fenced(values, len(rows))
        return rows

    async def execute(self, sql: str, /, **values: Value) -> int:
        self.statements.append(" ".join(sql.split()))
        changed = await self.tx.execute(sql, **values)
        self._note_fenced(values, changed)
        return changed

    def _note_fenced(self, values: Mapping[str, Value], changed: int) -> None:
        if "fence" in values and changed:
            self.fenced.append(values)

    async def now(self) -> int:
        return await self.tx.now()


@dataclass(slots=True)
class GatedDatabase:
    """`committed` hears the statements of each transaction that took effect, and by which values it
    changed turns of this process."""

    database: Database
    gate: Gate
    before_write: Callable[[], None]
    committed: Callable[[Sequence[str], Sequence[Mapping[str, Value]]], None]

    async def read(self, work: Work[T]) -> T:
        self.gate.alive()
        return await self.database.read(work)

    async def write(self, work: Work[T]) -> T:
        noted: list[Noted] = []

        async def noting(tx: Transaction) -> T:
            self.before_write()
            noted.append(Noted(tx))
            return await work(noted[-1])

        async def commit() -> T:
            result = await self.database.write(noting)
            self.committed(noted[-1].statements, noted[-1].fenced)
            return result

        return await self.gate.through("commit", name_of(work), commit)

    async def truncate_log(self) -> bool:
        self.gate.alive()
        return await self.database.truncate_log()

    async def close(self) -> None:
        await self.database.close()


def name_of(work: Callable[..., object]) -> str:
    """Where a transaction is written down: `Intake.accept`."""
    name: str = getattr(work, "__qualname__", type(work).__name__)
    return name.replace(".<locals>", "").replace(".<lambda>", "")


class GatedModel:
    """`asked` hears every request that goes out, `spent` the tokens of every response that arrives
    and those of a call that is broken off; `think` says how long an answer takes."""

    def __init__(
        self,
        model: Model,
        gate: Gate,
        asked: Callable[[ModelRequest], None],
        think: Callable[[], float],
        spent: Callable[[Usage], None],
    ) -> None:
        self.name = model.name
        self._model = model
        self._gate = gate
        self._asked = asked
        self._think = think
        self._spent = spent

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        self._asked(request)

        async def answer() -> list[str | ModelResponse]:
            await asyncio.sleep(self._think())
            return [piece async for piece in self._model.stream(request)]

        text: str | None = ""
        try:
            for piece in await self._gate.through("model", "request", answer):
                if isinstance(piece, ModelResponse):
                    self._spent(piece.usage)
                    text = None
                else:
                    text = f"{text}{piece}"
                yield piece
                await asyncio.sleep(PACE)
                self._gate.alive()
        except (asyncio.CancelledError, GeneratorExit):
            if text is not None:
                self._spent(guess_usage(request, text))
            raise

    async def close(self) -> None: ...


@dataclass
class GatedPlatform(PlayedPlatform):
    """The platform as the processes reach it; `sending` hears each request as it leaves."""

    gate: Gate | None = None
    sending: Callable[[Request], None] = lambda _request: None
    status_by: dict[tuple[str, str], str] = field(default_factory=dict)

    async def call(self, request: Request, *, give_up_ms: int = 4_000) -> str:
        gate = self.gate
        assert gate is not None
        gate.alive()
        self.sending(request)
        fault = gate.strike("send" if request.kind in SENDS else "find", request.kind)
        match fault:
            case "crash before":
                gate.crash()
            case "freeze before":
                await gate.freeze()
                gate.alive()
            case "crash after":
                self.depart(request, LATENCY)
                gate.crash()
            case "crash, then it lands":
                self.depart(request, IN_FLIGHT_SECONDS)
                gate.crash()
        self.fate = lambda _request: fate_of(fault)
        try:
            return await super().call(request, give_up_ms=give_up_ms)
        finally:
            if fault == "freeze":
                await gate.freeze()
            gate.alive()

    def set_status(self, place: str, turn: str, *, busy: bool) -> None:
        process = PROCESS.get()
        if process is not None and not process.dead:
            super().set_status(place, turn, busy=busy)
            self.status_by[place, turn] = process.name

    def time_out_statuses(self, process: str) -> None:
        """A status that nobody renews or clears goes by itself."""
        for status, name in self.status_by.items():
            if name == process:
                self.statuses.discard(status)


def fate_of(fault: Fault | None) -> Fate:
    match fault:
        case "request lost":
            return LOST
        case "response lost":
            return Fate(lands_after=LATENCY, answered=False)
        case "late":
            return late(SLOW_SECONDS["send"])
        case _:
            return Fate(lands_after=LATENCY)
