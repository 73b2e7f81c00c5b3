"""Turn 10,000 costs what turn 10 costs."""

from pathlib import Path

import pytest

from tests.benchmarks.house import talking
from tests.benchmarks.recording import rows
from tests.benchmarks.turns import effort_at

pytestmark = pytest.mark.slow  # ten thousand turns are written twice


async def test_turn_10_000_asks_of_the_database_what_turn_10_asked(tmp_path: Path) -> None:
    early, late = await effort_at(tmp_path, 10), await effort_at(tmp_path, 10_000)

    assert late.statements == early.statements
    assert late.steps_of_a_row <= early.steps_of_a_row


async def test_turn_10_000_reads_no_more_than_the_fullest_window_of_early_turns(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path / "early.db", durability="normal") as talk:
        early = [rows(await talk.turn()) for _ in range(110)][9:]

    late = await effort_at(tmp_path, 10_000)

    assert late.rows <= max(early)
