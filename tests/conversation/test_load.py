"""The benchmarks of many conversations at once, and for long: with few, and not for long."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from memory.engines import sqlite_path
from tests.benchmarks.crowd import Size
from tests.benchmarks.load import ENGINES, play_round
from tests.benchmarks.soak import soak, unfinished, verdict
from tests.benchmarks.through import come_through
from tests.benchmarks.told import Told
from tests.benchmarks.towns import Talk
from tests.benchmarks.worker import Pulse

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


@pytest.mark.slow
async def test_all_are_answered_through_the_real_adapters(tmp_path: Path) -> None:
    measured = [each async for each in come_through(tmp_path, talks=2, messages=2)]

    assert [(each.platform, each.turns) for each in measured] == [("Slack", 4), ("Discord", 4)]


@pytest.mark.slow
async def test_a_soak_tells_what_a_worker_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await soak(tmp_path, minutes=0.1, every=0.5, talks=2)

    told = capsys.readouterr().out
    assert "without an answer: none" in told
    assert "left over:\n  none" in told
    assert "files" in told.splitlines()[-2]


@dataclass
class Talked(Talk):
    """Somebody asked, and this stands there."""

    stands: list[str]

    async def says(self, text: str, *, other: bool = False) -> None: ...

    async def edits_last(self, text: str) -> None: ...

    async def deletes_last(self) -> None: ...

    def answers(self) -> list[str]:
        return self.stands


async def test_what_is_missing_or_doubled_is_told() -> None:
    talk = Talked(["One.", "Two."])
    told = Told(talk)
    await told.answered("Two")
    assert list(told.wrong()) == []

    talk.stands = ["One.", "One."]
    assert list(told.wrong()) == ["missing: ('Two',)", "twice: One."]


def test_what_is_left_over_is_told(sqlite_url: str) -> None:
    file = sqlite_path(sqlite_url)
    assert unfinished(file) == []

    with closing(sqlite3.connect(file)) as database:
        database.execute(
            "INSERT INTO messages"
            " (conversation, position, role, state, remote_id, said_at, content)"
            " VALUES ('c', 1, 'user', 'waiting', '7', 0, '')"
        )
        database.commit()
    assert unfinished(file) == ["waiting: 7"]


def test_what_grows_is_not_flat() -> None:
    def pulse(number: int) -> Pulse:
        return Pulse(80.0, 90_000 + 1_000 * number, 20 + number % 3, 18, 1.0)

    found = verdict([pulse(number) for number in range(30)], every=60)

    assert {name for name, (_, _, is_flat) in found.items() if not is_flat} == {"objects"}
