"""How long a provider is waited for, and how often it is asked, in one call of a model."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

from bot.errors import ModelError
from bot.model import ModelResponse


@dataclass(frozen=True, slots=True)
class Patience:
    """Who waits is a person: a server that asks for a longer pause than `longest_pause_seconds` is
    left to the next model, or to the person."""

    connect_seconds: float = 5.0
    silence_seconds: float = 120.0  # before the first chunk and between two
    attempts: int = 3
    first_pause_seconds: float = 0.5
    longest_pause_seconds: float = 30.0

    def pause_seconds(self, attempt: int, error: ModelError, luck: float) -> float | None:
        """The pause after this failed attempt, shortened at random by up to a quarter.

        None: another attempt is not worth it. `luck` is at least 0 and less than 1.
        """
        if not error.retryable or attempt >= self.attempts:
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= self.longest_pause_seconds else None
        grown = self.first_pause_seconds * 2.0 ** (attempt - 1)
        return min(grown, self.longest_pause_seconds) * (1 - luck / 4)


# Where another model can be asked: two attempts and their silence leave it a third of a turn.
HASTE = Patience(silence_seconds=60.0, attempts=2, longest_pause_seconds=5.0)


async def persist(
    attempt: Callable[[], AsyncGenerator[str | ModelResponse, None]],
    patience: Patience,
    sleep: Callable[[float], Awaitable[None]],
) -> AsyncGenerator[str | ModelResponse, None]:
    """What an attempt yields. One that failed is tried again while nothing was yielded."""
    failed = 0
    while True:
        spoken = False
        try:
            async with aclosing(attempt()) as pieces:
                async for piece in pieces:
                    spoken = True
                    yield piece
        except ModelError as error:
            failed += 1
            pause = patience.pause_seconds(failed, error, random.random())  # noqa: S311 - no secret
            if spoken or pause is None:
                raise
            await sleep(pause)
        else:
            return
