"""Ids, which are times: a later one is greater, and tells when its thing was made."""

from __future__ import annotations

from datetime import UTC, datetime

from memory.database import Clock

EPOCH = 1_420_070_400_000  # the first second of 2015
_LOW_BITS = 22


class Snowflakes:
    """Strictly ascending, whatever the clock does. It must stand after 2015. Each that was made
    is put into `made`."""

    def __init__(self, clock: Clock, made: set[str]) -> None:
        self.clock = clock
        self.made = made
        self._last = 0

    def next(self) -> str:
        at = self.clock() - EPOCH
        assert at >= 0, "Discord has no ids from before 2015"
        self._last = max(at << _LOW_BITS, self._last + 1)
        self.made.add(str(self._last))
        return str(self._last)

    def timestamp(self) -> str:
        return iso(self.clock())


def made_at(snowflake: str) -> int:
    """In milliseconds."""
    return (int(snowflake) >> _LOW_BITS) + EPOCH


def iso(milliseconds: int) -> str:
    """As Discord writes a time."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="microseconds")
