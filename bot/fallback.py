"""Several models as one: the next is asked when one fails, while nothing was shown."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack

from bot.errors import ModelError
from bot.model import Model, ModelRequest, ModelResponse, closing
from bot.tighten import tighten

_log = logging.getLogger(__name__)


class Fallback:
    """Models in the order in which they are asked; one is enough.

    A model that failed rests: for so long it is asked last, so that an outage slows down one
    question and not all. `clock` is in seconds.
    """

    def __init__(
        self,
        models: Sequence[Model],
        *,
        rest_seconds: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = ", ".join(model.name for model in models)
        self._models = tuple(models)
        self._rest_seconds = rest_seconds
        self._clock = clock
        self._rests_until = [clock()] * len(self._models)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelResponse, None]:
        """What the first model says that does not fail. A blocked question is not handed on."""
        failures: list[ModelError] = []
        for number in self._in_order(request.first):
            spoken = False
            try:
                async with closing(_ask(self._models[number], request)) as pieces:
                    async for piece in pieces:
                        spoken = True
                        yield piece
            except ModelError as error:
                if spoken or error.kind == "blocked":
                    raise
                self._note(number, error)
                failures.append(error)
            else:
                return
        raise max(failures, key=_promise)

    async def close(self) -> None:
        async with AsyncExitStack() as stack:  # all of them, also when closing one fails
            for model in self._models:
                stack.push_async_callback(model.close)

    def ready(self) -> list[str]:
        """The models in the order in which they are asked; those that rest only if all do."""
        order = self._in_order()
        awake = [number for number in order if not self._rests(number)]
        return [self._models[number].name for number in awake or order]

    def _in_order(self, first: str = "") -> list[int]:
        return sorted(
            range(len(self._models)),
            key=lambda number: (self._rests(number), self._models[number].name != first),
        )

    def _rests(self, number: int) -> bool:
        return self._rests_until[number] > self._clock()

    def _note(self, number: int, error: ModelError) -> None:
        if error.kind != "too_long":  # another question fits again
            self._rests_until[number] = self._clock() + self._rest_seconds
        if len(self._models) > 1:  # a failure that ends the turn is logged with the turn
            level = logging.ERROR if error.kind == "account" else logging.WARNING
            _log.log(level, "one of the models failed: %s", error, extra=_ACTION)


def ready(model: Model) -> Sequence[str]:
    """The names of all models that may be asked now, in order."""
    return model.ready() if isinstance(model, Fallback) else (model.name,)


_ACTION = {"action": "model_handed_on"}


def _promise(error: ModelError) -> tuple[bool, bool]:
    """Of several failures the person hears of the one that they can do most about."""
    return error.kind == "too_long", error.retryable


async def _ask(model: Model, request: ModelRequest) -> AsyncGenerator[str | ModelResponse, None]:
    """One model; what is too long for it is made shorter, once."""
    spoken = False
    try:
        async with closing(model.stream(request)) as pieces:
            async for piece in pieces:
                spoken = True
                yield piece
    except ModelError as error:
        shorter = tighten(request)
        if spoken or error.kind != "too_long" or shorter == request:
            raise
        _log.warning("made shorter, because: %s", error, extra={"action": "model_too_long"})
    else:
        return
    async with closing(model.stream(shorter)) as pieces:
        async for piece in pieces:
            yield piece
