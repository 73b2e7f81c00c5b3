"""Slack's time, where it does not tell it."""

from __future__ import annotations

from dataclasses import dataclass

from adapters.slack.events import milliseconds
from memory.database import Clock


@dataclass(slots=True)
class SlackTime:
    """Our clock may be slow: whatever we have heard of already is earlier than now."""

    clock: Clock
    newest: int = 0

    def note(self, ts: str) -> None:
        self.newest = max(self.newest, milliseconds(ts))

    def now(self) -> int:
        """UTC ms."""
        return max(self.clock(), self.newest + 1)
