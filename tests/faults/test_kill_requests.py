"""Killed before and after any of its requests, the worker on a chat platform answers once."""

import asyncio
from collections.abc import Iterable

import pytest

from tests.faults.request_plants import STRUCK, hunt, is_caught
from tests.faults.requests import ARENAS, Arena, survive

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]  # on a busy machine each start takes long


@pytest.mark.parametrize("arena", ARENAS.values(), ids=lambda arena: arena.name)
async def test_killed_at_any_request_the_worker_answers_once(arena: Arena) -> None:
    results = await survive(arena, [None, *arena.every_blow()])

    assert {str(each.blow): each.problems for each in results if each.problems} == {}
    assert len(results) == 1 + 2 * len(arena.requests)
    [calm] = [set(each.requests) for each in results if each.blow is None]
    assert calm >= set(arena.requests)
    assert kinds(calm) == kinds(arena.requests)  # on a busy machine there may be more of a kind


def kinds(requests: Iterable[str]) -> set[str]:
    return {each.rpartition(" ")[0] for each in requests}


async def test_a_rule_that_is_switched_off_is_noticed() -> None:
    found = await asyncio.gather(*map(hunt, STRUCK))

    pairs = zip(STRUCK, found, strict=True)
    assert [each.plant.name for each, results in pairs if not is_caught(each, results)] == []
