"""A worker's own view of its lease: past it, it sends nothing and runs nothing that acts."""

from __future__ import annotations

import time
from collections.abc import Callable

from bot.settings import Timing
from memory.errors import Superseded

Clock = Callable[[], int]
"""Milliseconds that also pass while the machine sleeps; only differences mean anything."""

_MS = 1_000_000  # nanoseconds


def suspended_clock(boottime: int | None = getattr(time, "CLOCK_BOOTTIME", None)) -> Clock:
    """CLOCK_BOOTTIME where it exists, else the larger of monotonic and wall-clock progress.

    A clock that stands still in suspend would let a laptop that wakes up believe in its lease.
    """
    if boottime is not None:
        return lambda: time.clock_gettime_ns(boottime) // _MS
    return larger_progress(time.monotonic_ns, time.time_ns)


def larger_progress(monotonic: Callable[[], int], wall: Callable[[], int]) -> Clock:
    """The progress of whichever went further; both in nanoseconds."""
    started, started_wall = monotonic(), wall()
    return lambda: max(monotonic() - started, wall() - started_wall) // _MS


class Lease:
    """The deadline of one turn. `asked_at` is always read BEFORE the statement is sent: the
    database counts from later, so our deadline is never after its."""

    def __init__(self, clock: Clock, timing: Timing, *, asked_at: int) -> None:
        self._clock = clock
        self._timing = timing
        self._deadline = asked_at + timing.lease

    def renewed(self, *, asked_at: int) -> None:
        self._deadline = asked_at + self._timing.lease

    @property
    def is_over(self) -> bool:
        return self._clock() >= self._deadline

    def guard(self) -> None:
        """Directly before each send, and each tool call that is not `read`."""
        if self._clock() > self._deadline - self._timing.margin:
            raise Superseded("late")
