"""What is remembered of long conversations, and what that costs, beside three other strategies.

The texts were written before the memory was, by somebody who had not seen it.
"""

from statistics import mean

import pytest

from tests.benchmarks.memory.compare import NIMBUS, compare
from tests.benchmarks.memory.script import write_script
from tests.benchmarks.memory.texts import read_texts

pytestmark = pytest.mark.slow

SEEDS = (1, 2, 3)


@pytest.mark.parametrize("seed", SEEDS)
def test_in_200_turns_no_fact_is_missing_when_it_is_asked_for(seed: int) -> None:
    """Nor is a history invalid, a model called in vain, or recalled what nobody asked for."""
    nimbus = compare(200, seed)[NIMBUS]

    assert (nimbus.missing, nimbus.found, nimbus.invalid) == ([], 40, [])
    assert nimbus.calls(write_script(read_texts(), seed, 200)) <= 1.15
    assert mean(nimbus.recalled) < 300


def test_over_500_turns_it_costs_at_most_a_third_of_a_cut_that_moves_each_turn() -> None:
    """With one seed for the sake of time; `dev.py bench memory --turns 2000 --seed 3` plays any."""
    played = compare(500, 1)

    assert played[NIMBUS].cost() <= played["a cut that moves each turn"].cost() / 3
    assert played[NIMBUS].invalid == []
