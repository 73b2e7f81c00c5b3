"""The benchmark of many conversations at once, with few."""

from pathlib import Path

import pytest

from tests.benchmarks.crowd import Size
from tests.benchmarks.load import ENGINES, play_round

SMALL = Size(talks=3, messages=2, running_turns=20)


@pytest.mark.parametrize("engine", ["SQLite", pytest.param("PostgreSQL", marks=pytest.mark.slow)])
async def test_the_benchmark_answers_all_in_order_and_replays_what_it_did(
    tmp_path: Path, engine: str
) -> None:
    made = ENGINES[engine]
    with made.fresh(tmp_path) as fresh, fresh() as ours, fresh() as theirs:
        measured = await play_round(made, ours, theirs, "normal", SMALL)

    assert measured.ratio > 0
    assert measured.commits >= 4
