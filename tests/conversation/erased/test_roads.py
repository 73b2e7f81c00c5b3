"""On whatever road somebody's words came in, forgotten they are nowhere, and stay so."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.platform import Removed
from memory.erase_rules import RULES
from memory.keys import PersonKey
from tests import postgres
from tests.conversation.erased.dwelling import ANN, BOB, CY, PLACE, Dwelling, dwelling
from tests.conversation.erased.roads import ROADS, STAYS, Echo, go_all, tools
from tests.faults.stores import ON_SQLITE, Engine, OnPostgres
from tests.planted import found_in, planted

pytestmark = pytest.mark.inline

ALL = frozenset(map(planted, ROADS))


@dataclass(frozen=True)
class Way:
    """One on which Bob's words go; `keeps` is what of them stays all the same."""

    name: str
    began: PersonKey
    go: Callable[[Dwelling], Awaitable[object]]
    keeps: frozenset[str] = frozenset()
    is_quick: bool = False
    on_postgres: bool = False

    def __str__(self) -> str:
        return f"{self.name}, which {self.began.user} began"


async def forget(house: Dwelling) -> None:
    await house.say("forget", BOB)


async def forget_me(house: Dwelling) -> None:
    await house.say("forget me", BOB)


async def delete_all(house: Dwelling) -> None:
    for posted in house.platform.messages:
        if posted.told is not None and posted.author == str(BOB):
            await house.delete(posted.told)


async def let_it_rest(house: Dwelling) -> None:
    await house.restart(after_days=31)
    await house.purge()


async def remove_channel(house: Dwelling) -> None:
    at = house.loop.milliseconds()
    await house.parts.intake.accept(Removed("played", "W", at, channel=PLACE.channel))


NAME = frozenset({planted("name")})  # he was there, and may speak again
WAYS = [
    Way("forget of a conversation", BOB, forget, is_quick=True),
    Way("forget of a part", ANN, forget, on_postgres=True),
    Way("forget me", BOB, forget_me),
    Way("forget me", ANN, forget_me, is_quick=True, on_postgres=True),
    Way("delete", BOB, delete_all, NAME),
    Way("delete", ANN, delete_all, NAME, on_postgres=True),
    Way("retention", ANN, let_it_rest, on_postgres=True),
    Way("a removed channel", ANN, remove_channel),
]


def _params() -> Iterator[object]:
    for way in WAYS:
        yield pytest.param("sqlite", way, marks=() if way.is_quick else pytest.mark.slow)
        if way.on_postgres:
            yield pytest.param("postgres", way, marks=pytest.mark.slow)


@pytest.fixture
def engine(request: pytest.FixtureRequest, name: str) -> Iterator[Engine]:
    if name == "sqlite":
        ON_SQLITE.prepare((ANN,))
        yield ON_SQLITE
        return
    server: postgres.Server = request.getfixturevalue("postgres_server")
    with server.migrated() as url:
        on_postgres = OnPostgres(url)
        on_postgres.prepare((ANN,))
        yield on_postgres


@pytest.mark.parametrize(("name", "way"), list(_params()), ids=str)
async def test_forgotten_words_are_nowhere_and_stay_so(
    tmp_path: Path, engine: Engine, way: Way, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)  # every line is looked at, see tests/conftest.py
    model = Echo(repeats=way.go is not delete_all)  # what others were told stays then
    async with dwelling(tmp_path, engine, model, tools()) as house:
        await go_all(house, way.began)
        assert await _columns_without_words(house) == []
        assert house.words() >= ALL

        await way.go(house)
        asked = len(model.requests)
        _look(house, way)
        await _bring_back(house, way)
        if way.go is not delete_all:  # no platform tells of a deleted message again
            await house.execute("DELETE FROM seen")  # a week later
            await _bring_back(house, way)

        told = found_in(repr([request.messages for request in model.requests[asked:]]))
        assert told & ALL <= way.keeps
    assert house.words() & ALL <= way.keeps


async def _columns_without_words(house: Dwelling) -> list[str]:
    """A column that holds words, and that no road here leads to."""
    return [
        f"{table}.{column}"
        for table, rule in RULES.items()
        for column in rule.words
        if not found_in(repr(await house.rows(f"SELECT {column} FROM {table}")))  # noqa: S608 - ours
    ]


def _look(house: Dwelling, way: Way) -> None:
    assert house.words() & ALL <= way.keeps
    has_rest = way.began == ANN and way.go in {forget, forget_me, delete_all}
    assert (STAYS in house.words()) == has_rest


async def _bring_back(house: Dwelling, way: Way) -> None:
    """Tell of everything again, change everything, ask, and read all of it back."""
    told = list(house.told)
    for said in told:
        await house.tell(said)
    _look(house, way)
    for said in told:
        await house.tell(house.platform.edit(said, f"{said.text}, as I said"))
    _look(house, way)
    await house.say("What did we say here?", CY)
    _look(house, way)
    await house.restart()
    await asyncio.sleep(10)
    _look(house, way)
