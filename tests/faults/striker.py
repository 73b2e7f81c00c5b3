"""Counts what a worker sends by name, and kills it at one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tests.servers.faults import ARRIVES, Fate, killing

Moment = Literal["before", "after"]


@dataclass(frozen=True, slots=True)
class Blow:
    """Where the worker is killed: on receipt of a request, which then has no effect, or after its
    effect, which then nobody hears of."""

    request: str
    moment: Moment

    def __str__(self) -> str:
        return f"{self.moment} {self.request}"


def blows(requests: Sequence[str]) -> list[Blow]:
    """Both at each request."""
    return [Blow(request, moment) for request in requests for moment in ("before", "after")]


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
        return blow.moment
