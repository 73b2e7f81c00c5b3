"""Killed at any moment, the real program still opens one ticket and answers once."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.faults.doomed import MOMENTS
from tests.faults.kill import Command, Talk, Verdict, begun, survive

pytestmark = pytest.mark.slow

TURNS = {"ask": 4, "chat": 3}  # `ask` asks once more


@pytest.fixture(scope="session")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Talk:
    return begun(tmp_path_factory.mktemp("before"))


@pytest.mark.parametrize("command", ["ask", "chat"])
def test_killed_at_any_moment_the_program_opens_one_ticket_and_answers_once(
    talk: Talk, tmp_path: Path, command: Command
) -> None:
    with ThreadPoolExecutor(len(MOMENTS)) as pool:  # they mostly wait for a lease to end
        verdicts = list(pool.map(lambda m: survive(talk, m, command, tmp_path), MOMENTS))

    turns = TURNS[command]
    good = Verdict([1042], [("done", "answered")] * turns, turns, refused=[])
    assert dict(zip(MOMENTS, verdicts, strict=True)) == dict.fromkeys(MOMENTS, good)
