"""From every API to every other and back: nothing is refused, mixed up or done twice."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bot.fallback import Fallback
from tests.wire.apis import APIS
from tests.wire.matrix import Api, Name, Wire
from tests.wire.switching import Talk, both, marks

pytestmark = [
    pytest.mark.slow,
    pytest.mark.parametrize(
        ("one", "other"),
        [pytest.param(one, other, id=f"{one.name}-{other.name}") for one in APIS for other in APIS],
    ),
]


def provider(wire: Wire) -> str:
    return wire.model.name.partition(":")[0]


def check(talk: Talk, one: Wire, other: Wire, orders: Sequence[int]) -> None:
    """`one` answered the first and the last of the turns."""
    assert [turn.outcome for turn in talk.turns] == ["answered"] * len(talk.turns)
    assert one.refused + other.refused == []
    assert sorted(talk.orders) == sorted(orders)
    own = talk.kept(provider(one), len(talk.turns) - 1) if takes_marks(one) else set()
    assert set(marks(one.requests[-1])) == own  # comes back equal, all of it
    for wire in (one, other):
        allowed = talk.kept(provider(wire), len(talk.turns)) if takes_marks(wire) else set()
        assert set(marks(wire.requests)) <= allowed  # and nobody else's


def takes_marks(wire: Wire) -> bool:
    """Chat Completions has no field for what only its maker can read."""
    return "messages" not in wire.requests[0]


@pytest.mark.parametrize(
    ("said", "orders"),
    [(["text"], []), (["call", "text"], [1, 1]), (["two calls", "text"], [1, 2, 1, 2])],
    ids=["plain", "one call", "parallel calls"],
)
async def test_a_conversation_goes_on_with_another_model_and_back(
    one: Api, other: Api, said: list[Name], orders: list[int], sqlite_url: str
) -> None:
    talk = Talk(sqlite_url)
    async with both(one, other, said, said, ["text"]) as (first, second):
        for wire in (first, second, first):
            await talk.ask(wire.model)

    check(talk, first, second, orders)


async def test_another_model_goes_on_with_a_turn_that_has_called_a_tool(
    one: Api, other: Api, sqlite_url: str
) -> None:
    talk = Talk(sqlite_url)
    async with both(one, other, ["call", "down"], ["text"], ["text"]) as (first, second):
        await talk.ask(Fallback([first.model, second.model]))
        await talk.ask(first.model)

    check(talk, first, second, [1])
    told = second.requests[-2 if one is other else -1]
    assert ("Done so far" in str(told)) == (provider(first) != provider(second))


async def test_another_model_takes_up_a_turn_whose_process_died_in_a_tool(
    one: Api, other: Api, sqlite_url: str
) -> None:
    talk = Talk(sqlite_url)
    async with both(one, other, ["call"], ["text"], ["text"]) as (first, second):
        await talk.die(first.model)
        await talk.take_up(second.model)
        await talk.ask(first.model)

    check(talk, first, second, [1])
    told = second.requests[-2 if one is other else -1]
    assert "unknown whether this was done" in str(told)
