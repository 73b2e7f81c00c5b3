"""Killed before and after any of its requests, the worker on Slack answers once."""

import asyncio
from collections.abc import Iterable

import pytest

from tests.faults.request_plants import STRUCK, hunt, is_caught
from tests.faults.requests import ARENAS, survive

pytestmark = pytest.mark.slow

SLACK = ARENAS["slack"]


async def test_killed_at_any_request_the_worker_answers_once() -> None:
    results = await survive(SLACK, [None, *SLACK.every_blow()])

    assert {str(each.blow): each.problems for each in results if each.problems} == {}
    assert len(results) == 1 + 2 * len(SLACK.requests)
    [calm] = [set(each.requests) for each in results if each.blow is None]
    assert calm >= set(SLACK.requests)
    assert kinds(calm) == kinds(SLACK.requests)  # on a busy machine there may be more of a kind


def kinds(requests: Iterable[str]) -> set[str]:
    return {each.rpartition(" ")[0] for each in requests}


async def test_a_rule_that_is_switched_off_is_noticed() -> None:
    found = await asyncio.gather(*map(hunt, STRUCK))

    missed = [
        s.plant.name for s, results in zip(STRUCK, found, strict=True) if not is_caught(s, results)
    ]
    assert missed == []
