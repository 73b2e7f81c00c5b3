"""Whatever people say, change and take back, in whatever order: what is known is what may be.

`NIMBUS_TEST_EXAMPLES=500` plays more orders than the tests do.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conversation.erased.machine import Step, What, play

EXAMPLES = int(os.environ.get("NIMBUS_TEST_EXAMPLES", "24"))

_HOW_OFTEN: dict[What, int] = {
    "ask": 4,
    "note": 3,
    "observe": 3,
    "unheard": 2,
    "quote": 3,
    "edit": 2,
    "delete": 2,
    "forget": 3,
    "forget me": 2,
    "new": 1,
    "restart": 2,
    "rest 10": 1,
    "rest 31": 1,
    "repeat": 1,
}
STEPS = st.builds(
    Step,
    what=st.sampled_from([what for what, times in _HOW_OFTEN.items() for _ in range(times)]),
    who=st.integers(0, 2),
    where=st.integers(0, 1),
    which=st.integers(0, 4),
)


@pytest.mark.slow
@pytest.mark.inline
@settings(max_examples=EXAMPLES, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=st.lists(STEPS, min_size=4, max_size=25), budget=st.sampled_from([1_000, 100_000]))
def test_what_is_known_is_what_may_be(steps: list[Step], budget: int) -> None:
    play(steps, budget=budget)
