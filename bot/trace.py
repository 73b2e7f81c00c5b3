"""Ids bound once, log lines without content, and the events that `chat -v` prints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened in a turn; `step` 0 is before the first model call."""

    step: int
    what: str
    milliseconds: int | None = None


Listener = Callable[[Event], None]


def unheard(_event: Event) -> None:
    """The listener where nobody listens."""
