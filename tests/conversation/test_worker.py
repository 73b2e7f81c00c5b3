"""The worker: listens, answers, is alone on its file, and ends in order."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from filelock import FileLock
from pydantic import SecretStr

from bot.cli.serve import only_worker, run_worker
from bot.errors import AlreadyRunningError, ConfigError
from bot.main import Replaced
from bot.platform import Inbound, Platform, Reception
from bot.settings import Settings, Timing
from memory.engines import open_database
from memory.errors import StorageError
from memory.keys import PersonKey, PlaceKey
from tests.fakes import ScriptedModel, Step, hangs, says
from tests.played_platform import PlayedPlatform
from tests.seat import until

PLACE = PlaceKey("played", "w", "c", "t")
ROBIN = PersonKey("played", "w", "robin")


class Listened(Platform):
    """A played platform whose events arrive one by one."""

    def __init__(self) -> None:
        self.played = PlayedPlatform(lambda: time.time_ns() // 1_000_000)
        self.outlet = self.played
        self.is_listening = False
        self.refused: list[Inbound] = []  # not acknowledged
        self._events: asyncio.Queue[Inbound] = asyncio.Queue()

    async def listen(self, reception: Reception) -> None:
        self.is_listening = True
        reception.connected(self.outlet.platform, None)
        try:
            while True:
                event = await self._events.get()
                try:
                    await reception.accept(event)
                except StorageError:
                    self.refused.append(event)
        finally:
            self.is_listening = False

    def say(self, text: str, place: PlaceKey = PLACE, person: PersonKey = ROBIN) -> None:
        self._events.put_nowait(self.played.say(place, person, text))

    async def until_shown(self, text: str) -> None:
        await until(lambda: text in self.played.shown(PLACE))


@asynccontextmanager
async def working(
    url: str, platform: Listened, *steps: Step, grace: int = 25_000
) -> AsyncIterator[ScriptedModel]:
    """A worker for as long as the block lasts, which ends it as the system does: SIGTERM."""
    model = ScriptedModel(*steps)
    settings = Settings(database_url=url, tools=())
    replaced = Replaced(model=model, timing=Timing(grace=grace, sweep=1, send=50, settle=1))
    async with asyncio.TaskGroup() as group:
        group.create_task(run_worker(settings, [platform], replaced))
        yield model
        os.kill(os.getpid(), signal.SIGTERM)
    await model.close()


async def states(url: str) -> list[tuple[str, str | None]]:
    database = await open_database(url)
    rows = await database.read(lambda tx: tx.fetch("SELECT state, outcome FROM turns"))
    await database.close()
    return [(row["state"], row["outcome"]) for row in rows]


async def test_what_is_said_on_a_platform_is_answered_there(sqlite_url: str) -> None:
    platform = Listened()
    async with working(sqlite_url, platform, says("Hello, Robin.")):
        platform.say("Hello")
        await platform.until_shown("> Hello, Robin.")

    assert await states(sqlite_url) == [("done", "answered")]


async def test_what_is_said_between_two_workers_is_answered(sqlite_url: str) -> None:
    platform = Listened()
    async with working(sqlite_url, platform, says("Hello, Robin.")):
        platform.say("Hello")
        await platform.until_shown("> Hello, Robin.")
    platform.played.say(PLACE, ROBIN, "Are you there?")

    async with working(sqlite_url, platform, says("I am.")):
        await platform.until_shown("> I am.")


async def test_a_running_turn_is_given_its_grace(sqlite_url: str) -> None:
    platform = Listened()
    async with working(sqlite_url, platform, says("Hello, ", "Robin.")) as model:
        platform.say("Hello")
        await until(lambda: bool(model.requests))

    assert not platform.is_listening
    assert platform.played.shown(PLACE) == ["Hello", "> Hello, Robin."]


async def test_a_turn_past_its_grace_is_left_for_the_next_worker(sqlite_url: str) -> None:
    platform = Listened()
    async with working(sqlite_url, platform, hangs(), grace=1) as model:
        platform.say("Hello")
        await until(lambda: bool(model.open_streams))
    assert await states(sqlite_url) == [("running", None)]

    async with working(sqlite_url, platform, says("Hello, Robin.")):
        await platform.until_shown("> Hello, Robin.")
    assert await states(sqlite_url) == [("done", "answered")]


async def test_a_second_worker_is_refused_before_it_answers_anything(sqlite_url: str) -> None:
    settings = Settings(database_url=sqlite_url)
    lock = FileLock(f"{sqlite_url.removeprefix('sqlite:///')}.lock", thread_local=False)
    await asyncio.to_thread(lock.acquire)

    with pytest.raises(AlreadyRunningError, match="Another worker runs on"):
        await run_worker(settings, [Listened()])
    await asyncio.to_thread(lock.release)


async def test_a_worker_without_a_platform_is_a_mistake_of_configuration() -> None:
    with pytest.raises(ConfigError, match="no chat platform"):
        await run_worker(Settings())


class Refused(Listened):
    """A platform that takes our tokens no longer."""

    async def listen(self, reception: Reception) -> None:
        """Ends at once."""


async def test_a_worker_ends_when_no_platform_is_left(sqlite_url: str) -> None:
    settings = Settings(database_url=sqlite_url, tools=())

    with pytest.raises(ConfigError, match="No chat platform is left"):
        await run_worker(settings, [Refused()])


async def test_a_worker_with_half_of_the_tokens_is_told_what_it_lacks(sqlite_url: str) -> None:
    settings = Settings(database_url=sqlite_url, slack_bot_token=(SecretStr("xoxb-1"),))

    with pytest.raises(ConfigError, match="there are 1 and 0"):
        await run_worker(settings)


async def test_on_postgresql_many_may_work() -> None:
    async with only_worker("postgresql://host/name"), only_worker("postgresql://host/name"):
        pass
