"""A workspace's own window: what people are told of it, and the command that gives it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.caller import Caller
from memory import workspaces
from memory.database import Database
from memory.engines import open_database
from memory.keys import PersonKey, PlaceKey
from tests.commands import nimbus
from tests.fakes import FakeClock
from tests.seat import seated

NOW = 1_796_070_000_000
ANN = PersonKey("played", "W", "ann")
THERE = Caller(ANN, PlaceKey("played", "W", "c", "1"), "public", NOW)


@pytest.fixture
async def file(sqlite_url: str) -> AsyncIterator[Database]:
    opened = await open_database(sqlite_url, clock=FakeClock(NOW))
    yield opened
    await opened.close()


async def test_help_and_status_tell_the_window_of_the_workspace(file: Database) -> None:
    async with seated(file) as seat:
        commands = seat.parts.commands
        await commands.new(THERE)
        assert "is kept for 30 days" in await commands.run("help", THERE)
        assert "Deleted      30 December 2026" in await commands.run("status", THERE)

        await file.write(lambda tx: workspaces.set_window(tx, "played", "W", 7))

        assert "is kept for 7 days" in await commands.run("help", THERE)
        assert "Deleted      7 December 2026" in await commands.run("status", THERE)


async def test_help_says_that_nothing_forgotten_is_read_back(file: Database) -> None:
    async with seated(file) as seat:
        told = await seat.parts.commands.run("help", THERE)

    assert "I never read back here what is older, or was said before a forget." in told


@pytest.mark.inline
def test_the_command_gives_a_workspace_a_window_and_takes_it_back(
    monkeypatch: pytest.MonkeyPatch, sqlite_url: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", sqlite_url)

    assert nimbus("retention").stdout == "everywhere  30 days\n"
    told = nimbus("retention", "slack:T1", "7").stdout
    assert told == "slack:T1  7 days\nelsewhere  30 days\n"
    assert nimbus("purge").stdout.startswith(
        "Deleted: 0 conversations without activity for 30 days, or their workspace's own window."
    )
    assert "slack:T1" not in nimbus("retention", "slack:T1", "default").stdout


@pytest.mark.inline
@pytest.mark.parametrize(
    ("given", "code"),
    [
        (["slack:T1"], 2),
        (["slack:T1", "0"], 1),
        (["slack:T1", "soon"], 1),
        (["slack:T1:C1", "7"], 1),
        (["irc:T1", "7"], 1),
    ],
)
def test_what_is_no_window_is_refused(
    monkeypatch: pytest.MonkeyPatch, sqlite_url: str, given: list[str], code: int
) -> None:
    monkeypatch.setenv("DATABASE_URL", sqlite_url)

    assert nimbus("retention", *given).exit_code == code
    assert nimbus("retention").stdout == "everywhere  30 days\n"
