"""What stands in for the world in tests: a model that follows a script, a clock that is set."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

from bot.errors import ModelError
from bot.model import Finish, ModelRequest, ModelResponse, Usage
from memory.messages import Message, Text, ToolCall
from tests.validity import problems

USAGE = Usage(input_tokens=100, cached_tokens=50, output_tokens=10, reasoning_tokens=5)


@dataclass(frozen=True, slots=True)
class Step:
    """What the model does when it is asked once: it says its pieces, then fails, hangs or ends."""

    pieces: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    finish: Finish = "stop"
    error: ModelError | None = None
    hangs: bool = False
    pause: float = 0  # seconds before each piece; for virtual time
    seconds: float = 0  # it takes between its last piece and its end; for virtual time
    breaks_off: bool = False  # ends as if all had been said, without a response
    message: Message | None = None  # instead of what the pieces and calls come to

    @property
    def response(self) -> ModelResponse:
        text = "".join(self.pieces)
        spoken = (Text(text),) if text else ()
        message = self.message or Message("assistant", (*spoken, *self.calls))
        return ModelResponse(message, self.finish, USAGE, "scripted-1")


def says(*pieces: str, finish: Finish = "stop") -> Step:
    return Step(pieces, finish=finish)


def asks(*calls: ToolCall, text: str = "") -> Step:
    """The model asks for tools, perhaps after a word to the person."""
    return Step((text,) if text else (), calls)


def fails(*pieces: str, error: ModelError | None = None) -> Step:
    return Step(pieces, error=error or ModelError("the provider broke off", retryable=True))


def hangs(*pieces: str) -> Step:
    return Step(pieces, hangs=True)


def after(seconds: float, step: Step) -> Step:
    """The step, which ends so long after its last piece."""
    return replace(step, seconds=seconds)


def trickles(text: str, *, pause: float = 1) -> Step:
    """The model says a letter, and then lets people wait."""
    return Step(tuple(text), pause=pause)


def thinks(seconds: float, text: str) -> Step:
    """The model says nothing for a while, then all at once."""
    return Step(message=Message("assistant", (Text(text),)), seconds=seconds)


class ScriptedModel:
    """Does one step for each request. A request too many, one that a provider would refuse and
    steps left over are complaints, and fail the test when the model is closed."""

    name = "scripted"

    def __init__(self, *steps: Step) -> None:
        self.requests: list[ModelRequest] = []
        self.open_streams = 0
        self.complaints: list[str] = []
        self._steps = list(steps)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        self.requests.append(request)
        self.complaints += problems(request)
        if not self._steps:
            self.complaints.append(f"Request {len(self.requests)} is one too many.")
        assert not self.complaints, self.complaints
        step = self._steps.pop(0)
        self.open_streams += 1
        try:
            for piece in step.pieces:
                if step.pause:
                    await asyncio.sleep(step.pause)
                yield piece
            if step.seconds:
                await asyncio.sleep(step.seconds)
            if step.hangs:
                await asyncio.Event().wait()
            if step.error is not None:
                raise step.error
            if not step.breaks_off:
                yield step.response
        finally:
            self.open_streams -= 1

    async def close(self) -> None:
        left = [f"The step {step} was not asked for." for step in self._steps]
        assert not self.complaints + left, self.complaints + left


@dataclass(slots=True)
class FakeClock:
    """Milliseconds that pass only when told to."""

    now: int = 0

    def __call__(self) -> int:
        return self.now

    def advance(self, milliseconds: int) -> None:
        self.now += milliseconds
