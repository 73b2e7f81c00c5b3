"""What a run is made with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.model import Model
from memory.usage import UNLIMITED, Allowance
from tests.faults.played import PLAYED
from tests.faults.points import Fault, Point
from tests.faults.venue import Frame
from tests.faults.virtual import Process, VirtualLoop


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is made with."""

    model: Callable[[], Model]
    faults: Callable[[Point], Fault | None] = lambda _point: None
    think: Callable[[], float] = lambda: 0.5
    workers: int = 1
    remembers: int = 5 * 60_000  # how long the platform knows a post by its key
    clock: Callable[[VirtualLoop, Process], int] = lambda loop, _process: loop.milliseconds()
    characters: int = 200  # in one message of the platform
    throttle: int = 1_000
    budget: int = 12_000
    allowance: Allowance = UNLIMITED
    echoes: bool = True
    catches_up: bool = False  # what was said while no process ran is read back
    frame: Frame = PLAYED
