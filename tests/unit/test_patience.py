"""How long a provider is waited for, and when it is asked again."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from bot.errors import ModelError
from bot.model import ModelResponse
from bot.patience import Patience, persist
from memory.messages import assistant
from tests.wire.pauses import Pauses

RESPONSE = ModelResponse(assistant("Hi."), "stop")
DOWN = ModelError("down", retryable=True)
BAD_KEY = ModelError("bad key", retryable=False)


class Provider:
    """Each attempt gives what it is told to, then fails if an error comes next."""

    def __init__(self, *attempts: tuple[str | ModelResponse | ModelError, ...]) -> None:
        self.left = list(attempts)

    async def attempt(self) -> AsyncGenerator[str | ModelResponse, None]:
        for piece in self.left.pop(0):
            if isinstance(piece, ModelError):
                raise piece
            yield piece


async def heard(provider: Provider, pauses: Pauses) -> list[str | ModelResponse]:
    return [piece async for piece in persist(provider.attempt, Patience(), pauses)]


async def test_an_attempt_that_holds_is_the_only_one() -> None:
    pauses = Pauses()

    assert await heard(Provider(("Hi.", RESPONSE), ("no",)), pauses) == ["Hi.", RESPONSE]
    assert pauses.seconds == []


async def test_what_failed_is_tried_again_after_a_pause() -> None:
    pauses = Pauses()

    assert await heard(Provider((DOWN,), (DOWN,), (RESPONSE,)), pauses) == [RESPONSE]
    assert len(pauses.seconds) == 2


@pytest.mark.parametrize(
    "attempts",
    [((BAD_KEY,),), (("Hel", DOWN),), ((DOWN,),) * 3],
    ids=["bad key", "spoken", "thrice"],
)
async def test_it_is_given_up(attempts: tuple[tuple[str | ModelError, ...], ...]) -> None:
    provider = Provider(*attempts)
    with pytest.raises(ModelError):
        await heard(provider, Pauses())

    assert provider.left == []


def test_pauses_grow_up_to_a_limit_and_luck_shortens_them() -> None:
    patience = Patience(attempts=9, first_pause_seconds=1.0, longest_pause_seconds=5.0)

    pauses = [patience.pause_seconds(attempt, DOWN, luck=0.0) for attempt in (1, 2, 3, 4)]
    assert pauses == [1.0, 2.0, 4.0, 5.0]
    assert patience.pause_seconds(2, DOWN, luck=1.0) == 1.5


@pytest.mark.parametrize(("asked", "kept"), [(0.0, 0.0), (30.0, 30.0), (30.1, None)])
def test_a_pause_that_the_server_names_is_kept_or_not_made(
    asked: float, kept: float | None
) -> None:
    error = ModelError("busy", retryable=True, retry_after=asked)

    assert Patience().pause_seconds(1, error, luck=0.5) == kept
