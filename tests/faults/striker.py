"""Counts what a worker sends by name, and kills it at one of them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Literal

from tests.servers.faults import ARRIVES, Fate, killing

Moment = Literal["before", "after"]
LATER = (0.0, 0.01, 0.03, 0.1, 0.3)  # seconds
_NAME = re.compile(r"((?P<seconds>[0-9.]+) s )?(?P<moment>before|after) (?P<request>.+)")


@dataclass(frozen=True, slots=True)
class Blow:
    """Where the worker is killed: on receipt of a request, which then has no effect, or after its
    effect, which then nobody hears of; or some `seconds` after that, whatever it does then."""

    request: str
    moment: Moment
    seconds: float = 0.0

    def __str__(self) -> str:
        later = f"{self.seconds} s " if self.seconds else ""
        return f"{later}{self.moment} {self.request}"

    @classmethod
    def named(cls, name: str) -> Blow:
        """Of its name, such as "after chat.update 1" or "0.1 s after chat.update 1"."""
        found = _NAME.fullmatch(name)
        if found is None:
            raise ValueError(f"no blow: {name}")
        moment: Moment = "before" if found["moment"] == "before" else "after"
        return cls(found["request"], moment, float(found["seconds"] or 0))


def blows(requests: Sequence[str]) -> list[Blow]:
    """Both at each request."""
    return [Blow(request, moment) for request in requests for moment in ("before", "after")]


def random_blow(requests: Sequence[str], random: Random) -> Blow:
    """At one of the requests, or a little after it."""
    blow = random.choice(blows(requests))
    return blow if blow.moment == "before" else replace(blow, seconds=random.choice(LATER))


def _nobody() -> None:
    """Nobody is killed."""


@dataclass
class Striker:
    """`requests` are all that came, each as its name and a number."""

    requests: list[str] = field(default_factory=list)
    blow: Blow | None = None
    kill: Callable[[], object] = _nobody

    def arm(self, blow: Blow | None, kill: Callable[[], object]) -> None:
        self.blow, self.kill = blow, kill

    def fate(self, name: str) -> Fate:
        """Count a request; what becomes of it."""
        match self.hit(name):
            case "before":
                return Fate(before=killing(self.kill))
            case "after":
                return Fate(after=killing(self.kill))
            case _:
                return ARRIVES

    def hit(self, name: str) -> Moment | None:
        """Count something; when around it the worker has to die."""
        nth = 1 + sum(each.startswith(f"{name} ") for each in self.requests)
        self.requests.append(f"{name} {nth}")
        if self.blow is None or self.blow.request != self.requests[-1]:
            return None
        blow, self.blow = self.blow, None
        if blow.seconds:
            asyncio.get_running_loop().call_later(blow.seconds, self.kill)
            return None
        return blow.moment
