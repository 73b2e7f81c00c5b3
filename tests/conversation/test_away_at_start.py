"""A platform that is away when the worker starts keeps nobody else waiting, and nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from bot.awaited import Opening, opened
from bot.cli.serve import serve
from bot.errors import ConfigError, DeliveryError
from bot.health import Health, State
from bot.main import Replaced
from bot.platform import Delivery, Platform, SentPart
from bot.settings import Settings, Timing
from tests.conversation.test_worker import PLACE, ROBIN, Listened, states, working
from tests.fakes import ScriptedModel, Step, hangs, says
from tests.seat import until

AWAY = pytest.raises(DeliveryError, match="was not reached since the start")


class Door:
    """A platform that opens when it is back, or refuses us then."""

    def __init__(self, platform: Listened, name: str = "played") -> None:
        self.platform = platform
        self.name = name
        self.is_open = False
        self.back = asyncio.Event()
        self.refusal: Exception | None = None

    def opening(self) -> Opening:
        return Opening(self.name, (self.name,), self._open())

    def come_back(self, refusal: Exception | None = None) -> None:
        self.refusal = refusal
        self.back.set()

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[Platform]:
        await self.back.wait()
        if self.refusal is not None:
            raise self.refusal
        self.is_open = True
        try:
            yield self.platform
        finally:
            self.is_open = False


@asynccontextmanager
async def serving(url: str, doors: Sequence[Door], *steps: Step) -> AsyncIterator[Health]:
    """A worker, which waits for nobody, until the block ends."""
    health, stop, model = Health(), asyncio.Event(), ScriptedModel(*steps)
    settings = Settings(database_url=url, tools=())
    replaced = Replaced(model=model, timing=Timing(sweep=1, send=50, settle=1, pause=1))
    async with opened([door.opening() for door in doors], health, wait_ms=1) as platforms:
        serving = asyncio.create_task(serve(settings, platforms, stop, replaced, health))
        try:
            yield health
        finally:
            stop.set()
            await serving
    await model.close()
    assert not any(door.is_open for door in doors)


@pytest.fixture
def door() -> Door:
    return Door(Listened())


async def test_those_who_are_there_answer_and_the_other_when_it_is_back(
    door: Door, sqlite_url: str
) -> None:
    there = Door(Listened(), "there")
    there.platform.outlet.platform = "there"
    there.come_back()
    async with serving(sqlite_url, [door, there], says("Hello.")) as health:
        await until(lambda: there.platform.is_listening)
        assert health.states["played"] == State("connecting")
        assert not health.is_ready
        door.come_back()
        door.platform.say("Hi")
        await door.platform.until_shown("> Hello.")


async def test_what_was_open_before_is_delivered_when_it_is_back(
    door: Door, sqlite_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with working(sqlite_url, door.platform, hangs(), grace=1) as model:
        door.platform.say("Hello")
        await until(lambda: bool(model.open_streams))

    async with serving(sqlite_url, [door], says("Hello, Robin.")):
        await until(lambda: "Will send again: played was not reached" in caplog.text)
        assert await states(sqlite_url) == [("sending", "answered")]
        door.come_back()
        await door.platform.until_shown("> Hello, Robin.")

    assert door.platform.played.shown(PLACE) == ["Hello", "> Hello, Robin."]
    assert await states(sqlite_url) == [("done", "answered")]


async def test_what_is_refused_at_once_is_said_all_together(door: Door) -> None:
    other = Door(Listened())
    door.come_back(ConfigError("No token.", "No scope."))
    other.come_back(ConfigError("No intent."))

    with pytest.raises(ConfigError) as refused:
        async with opened([door.opening(), other.opening()], Health(), wait_ms=10_000):
            pass

    assert refused.value.problems == ("No token.", "No scope.", "No intent.")


async def test_who_is_refused_later_is_dead_and_not_the_end(door: Door, sqlite_url: str) -> None:
    there = Door(Listened(), "there")
    there.come_back()
    async with serving(sqlite_url, [there, door]) as health:
        door.come_back(ConfigError("No token."))
        await until(lambda: health.states["played"] == State("dead", "No token."))
        assert there.platform.is_listening


async def test_a_defect_is_not_hidden(door: Door) -> None:
    door.come_back(ZeroDivisionError())

    with pytest.raises(ZeroDivisionError):
        async with opened([door.opening()], Health(), wait_ms=10_000):
            pass


async def test_a_failure_to_close_is_not_hidden() -> None:
    @asynccontextmanager
    async def stuck() -> AsyncIterator[Platform]:
        try:
            yield Listened()
        finally:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        async with opened([Opening("played", (), stuck())], Health(), wait_ms=10_000):
            pass


async def test_the_worker_may_end_before_it_is_back(door: Door, sqlite_url: str) -> None:
    async with serving(sqlite_url, [door]) as health:
        assert health.states == {"played": State("connecting")}

    assert not door.platform.is_listening


async def test_its_outlet_says_so_until_it_is_there(door: Door) -> None:
    delivery = Delivery("t1", {"place": str(PLACE)}, lambda: None, 50, (SentPart("7", 3),))
    async with opened([door.opening()], Health(), wait_ms=1) as [platform]:
        outlet = platform.outlet
        for call in (
            outlet.own_messages(delivery.address, 0),
            outlet.remove(delivery.address, "7"),
            outlet.earlier(delivery.address, 0, 50),
            outlet.later(PLACE, delivery.address, 0, 50),
            outlet.complete(delivery.address, ()),
            outlet.is_administrator(delivery.address, ROBIN),
        ):
            with AWAY:
                await call

        async with outlet.reply(delivery) as reply:
            with AWAY:
                await reply.finish("One.")
            with AWAY:
                await reply.close("Gone.")
            await reply.recorded()
            assert reply.sent == delivery.sent
