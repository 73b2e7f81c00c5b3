"""A platform's time, where it does not tell it."""

from __future__ import annotations

from dataclasses import dataclass

from memory.database import Clock


@dataclass(slots=True)
class PlatformTime:
    """Our clock may be slow: whatever we have heard of already is earlier than now. UTC ms."""

    clock: Clock
    newest: int = 0

    def note(self, said_at: int) -> None:
        self.newest = max(self.newest, said_at)

    def now(self) -> int:
        return max(self.clock(), self.newest + 1)
