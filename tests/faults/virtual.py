"""An event loop whose time jumps: nothing real is awaited, and a seed reproduces every step."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeVar, TypeVarTuple

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

BEGINNING = 1_796_047_500_000  # Monday 30 November 2026, 14:05 UTC


class DeadlockError(AssertionError):
    """Everybody waits and no timer is left: nothing will ever happen again."""


@dataclass(slots=True, eq=False)
class Process:
    """What would be one process: while it is frozen none of its callbacks runs."""

    name: str
    thaws_at: float = 0.0
    slept: float = 0.0  # seconds it was frozen
    dead: bool = False
    held: list[_Step] = field(default_factory=list)
    tasks: list[asyncio.Task[Any]] = field(default_factory=list)


PROCESS: ContextVar[Process | None] = ContextVar("process", default=None)


class _NumberedTask(asyncio.Task[Any]):
    """Sets of tasks are walked by hash, which is an address: a number makes the order ours."""

    _numbers = count()

    def __init__(self, work: Any, **options: Any) -> None:
        self._number = next(self._numbers)
        super().__init__(work, **options)

    def __hash__(self) -> int:
        return self._number

    def __eq__(self, other: object) -> bool:
        return self is other


class _Step:
    """A callback that waits for its process to thaw."""

    def __init__(self, loop: VirtualLoop, context: Context, callback: Callable[[], object]) -> None:
        self.loop = loop
        self.context = context
        self.callback = callback
        self.process = context.get(PROCESS)
        self.handle: asyncio.Handle | None = None

    def __call__(self) -> None:
        if self.process is not None and self.process.thaws_at > self.loop.time():
            self.process.held.append(self)
        elif self.handle is None or not self.handle.cancelled():
            self.callback()


class _Selector:
    """Waits for nothing but the next timer, and that is now."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop

    def select(self, timeout: float | None) -> list[object]:
        if timeout is None:
            raise DeadlockError("everybody waits and no timer is left")
        self._loop.advance(timeout)
        return []

    def close(self) -> None: ...


class VirtualLoop(asyncio.BaseEventLoop):
    """Callbacks belong to the process in whose context they were made."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        self._selector = _Selector(self)

    def time(self) -> float:
        return self._now

    def milliseconds(self) -> int:
        """The wall clock, the database's and everybody's: UTC milliseconds."""
        return BEGINNING + round(self._now * 1000)

    def advance(self, seconds: float) -> None:
        self._now += seconds

    def start(self, process: Process, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run `work` as part of a process: what it starts belongs to it, too."""
        context = copy_context()
        context.run(PROCESS.set, process)
        return self.create_task(work, context=context)

    def freeze(self, process: Process, seconds: float) -> None:
        """Stop a process for a while; who calls it goes on to the next await."""
        process.slept += seconds
        process.thaws_at = self._now + seconds
        super().call_at(process.thaws_at, self._thaw, process, process.thaws_at, context=Context())

    def thaw(self, process: Process) -> None:
        process.thaws_at = 0.0
        held, process.held = process.held, []
        for step in held:
            super().call_soon(step, context=step.context)

    def create_task(
        self,
        coro: Generator[Any, None, T] | Coroutine[Any, Any, T],
        *,
        name: object = None,
        context: Context | None = None,
    ) -> asyncio.Task[T]:
        task = _NumberedTask(coro, loop=self, name=str(name or "task"), context=context)
        process = PROCESS.get() if context is None else context.get(PROCESS)
        if process is not None:
            process.tasks.append(task)
        return task

    def call_soon(
        self,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.Handle:
        context = copy_context() if context is None else context
        step = _Step(self, context, lambda: callback(*args))
        step.handle = super().call_soon(step, context=context)
        return step.handle

    def call_at(
        self,
        when: float,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        context = copy_context() if context is None else context
        step = _Step(self, context, lambda: callback(*args))
        step.handle = timer = super().call_at(when, step, context=context)
        return timer

    def run_in_executor(
        self, executor: object, func: Callable[[*Ts], T], *args: *Ts
    ) -> asyncio.Future[T]:
        """What would be done in a thread is done at once."""
        del executor
        done: asyncio.Future[T] = self.create_future()
        done.set_result(func(*args))
        return done

    def _thaw(self, process: Process, due: float) -> None:
        if process.thaws_at == due:  # else it was frozen again, or killed
            self.thaw(process)

    def _process_events(self, _events: list[object]) -> None: ...

    def _write_to_self(self) -> None: ...


def run(main: Callable[[VirtualLoop], Coroutine[Any, Any, T]]) -> T:
    """Run `main` to its end on a loop of its own."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, VirtualLoop)
        return runner.run(main(loop))
