"""Every commit and outbound call is a point, and at a point something may go wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from bot.errors import ModelError
from memory.errors import StorageError
from tests.faults.virtual import PROCESS, Process, VirtualLoop

T = TypeVar("T")
Kind = Literal["commit", "model", "tool", "send", "find", "write", "ask"]
"""`send` and `find` go to the played platform, `write` and `ask` to one with a web API."""
Fault = Literal[
    "crash before",
    "crash after",
    "crash, then it lands",  # only a send outlives its sender
    "freeze before",
    "freeze",
    "request lost",
    "response lost",
    "late",
    "too many requests",
    "server error",
    "refused",
    "cut off",  # it arrives, and the connection ends before there is a response
]

FREEZE_SECONDS = 45.0  # longer than any lease
IN_FLIGHT_SECONDS = 3.5  # a request of a dead process lands within the time of one send
SLOW_SECONDS: Mapping[Kind, float] = {
    "commit": 12.0,  # longer than the pause between two renewals
    "model": 40.0,  # longer than a lease
    "tool": 12.0,
    "send": 3.9,  # just within the time of one send, which is what the design allows a network
    "find": 3.0,
    "write": 3.9,
    "ask": 3.9,
}


class KilledError(BaseException):
    """The process is dead: nothing in it may catch this, and none of its calls takes effect."""


class NoResponseError(Exception):
    """A tool's own system did something and nobody heard of it."""


@dataclass(frozen=True, slots=True)
class Point:
    number: int
    process: str
    kind: Kind
    what: str
    at: int

    def __str__(self) -> str:
        return f"{self.number} ({self.process}, {self.kind} {self.what})"


@dataclass(slots=True)
class Gate:
    """What every seam call of every process goes through."""

    loop: VirtualLoop
    faults: Callable[[Point], Fault | None]
    kill: Callable[[Process], None]
    silent: Callable[[Process], None]
    passed: list[Point] = field(default_factory=list)
    struck: list[tuple[Point, Fault]] = field(default_factory=list)

    def alive(self) -> Process:
        """The process that calls; raise KilledError when it is dead."""
        process = PROCESS.get()
        assert process is not None, "a seam was called from outside of every process"
        if process.dead:
            raise KilledError
        return process

    def strike(self, kind: Kind, what: str) -> Fault | None:
        """Count a call; what goes wrong with it."""
        point = Point(len(self.passed), self.alive().name, kind, what, self.loop.milliseconds())
        self.passed.append(point)
        fault = self.faults(point)
        if fault is not None:
            self.struck.append((point, fault))
        return fault

    async def through(self, kind: Kind, what: str, call: Callable[[], Awaitable[T]]) -> T:
        """Make a call, or what is left of it."""
        fault = self.strike(kind, what)
        match fault:
            case "crash before":
                self.crash()
            case "freeze before":
                await self.freeze()
                self.alive()
            case "late":
                await asyncio.sleep(SLOW_SECONDS[kind])
                self.alive()
            case "request lost":
                raise failure(kind)
        result = await call()
        match fault:
            case "crash after" | "crash, then it lands":
                self.crash()
            case "freeze":
                await self.freeze()
            case "response lost":
                raise failure(kind)
        self.alive()
        return result

    def crash(self) -> None:
        self.kill(self.alive())
        raise KilledError

    async def freeze(self) -> None:
        process = self.alive()
        self.loop.freeze(process, FREEZE_SECONDS)
        self.silent(process)
        await asyncio.sleep(0)


def failure(kind: Kind) -> Exception:
    """What the caller of each kind learns of a call without a response."""
    match kind:
        case "commit":
            return StorageError("The connection to the database was lost.")
        case "model":
            return ModelError("no response", retryable=True)
        case _:
            return NoResponseError("no response")


EVERYWHERE: Sequence[Fault] = ("crash before", "crash after", "freeze", "response lost", "late")
WEB: Sequence[Fault] = (
    *EVERYWHERE,
    "too many requests",
    "server error",
    "refused",
    "cut off",
)
FAULTS: Mapping[Kind, Sequence[Fault]] = {
    "commit": (*EVERYWHERE, "freeze before"),
    "model": (*EVERYWHERE, "freeze before"),
    "tool": EVERYWHERE,  # nothing can help who freezes between the check and the act
    "send": (*EVERYWHERE, "crash, then it lands", "request lost"),  # likewise
    "find": (*EVERYWHERE, "freeze before"),
    "write": (*WEB, "crash, then it lands", "request lost"),
    "ask": (*WEB, "freeze before"),
}
