"""Nimbus on Discord on the loopback: real discord.py, real HTTP, a real gateway."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from adapters.discord.gateway import Pace
from adapters.discord.opening import Discord as DiscordSettings
from adapters.discord.opening import open_discord
from adapters.discord.platform import Patience
from bot.cli.serve import serve
from bot.health import Health
from bot.main import Replaced
from bot.model import Model
from bot.platform import Accepted, Answer, Called, Event, Platform, Present, Reception
from bot.settings import Settings, Timing
from memory import people
from memory.engines import open_database
from memory.keys import PersonKey
from tests.servers.discord.people import Person
from tests.servers.discord.server import Discord
from tests.servers.discord.world import Channel
from tests.wire.through import as_it_is

QUICK = Pace(silence=1, patience=2, steady=0.2, first_pause=0.01, longest_pause=0.05)
TIMING = Timing(sweep=20, apart=100)
PATIENT = Patience(first_pause=0.01, longest_pause=0.05, held=0.15)


class Listener(Reception):
    """A desk that only notes what it is brought; first it fails, so many times."""

    def __init__(self, *, failures: int = 0) -> None:
        self.events: list[Event] = []
        self.called: list[Called] = []
        self.connections: list[int | None] = []
        self.confirmed: list[Called] = []
        self.failures = failures
        self.notice = ""
        self.answer = Answer("Done.")

    @property
    def name(self) -> str:
        return "Nimbus"

    async def accept(self, event: Event) -> Accepted:
        if isinstance(event, Present):
            return Accepted("ignored")
        self._fail()
        self.events.append(event)
        return Accepted("waiting", notice=self.notice)

    async def command(self, called: Called, *, confirmed: bool = False) -> Answer:
        self._fail()
        (self.confirmed if confirmed else self.called).append(called)
        return Answer("Gone.") if confirmed else self.answer

    def _fail(self) -> None:
        if self.failures:
            self.failures -= 1
            raise OSError("disk full")

    def connected(self, platform: str, since: int | None) -> None:
        assert platform == "discord"
        self.connections.append(since)

    async def is_news(self, what: str, person: PersonKey) -> bool:
        del what, person
        return True


async def until(happened: Callable[[], object], seconds: float = 10) -> None:
    """For what happens in the worker alone, of which the server knows nothing."""
    async with asyncio.timeout(seconds):
        while not happened():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.005)


def given_for(discord: Discord) -> DiscordSettings:
    return DiscordSettings(discord.bots[0].token, discord.api_url, pace=QUICK, patience=PATIENT)


@asynccontextmanager
async def listening(
    discord: Discord, desk: Reception, *, waits: bool = True
) -> AsyncIterator[Health]:
    """The adapter alone, until the block ends."""
    health = Health()
    async with open_discord(given_for(discord), health) as platform:
        task = asyncio.create_task(platform.listen(desk))
        try:
            if waits:
                await discord.connected()
            yield health
        finally:
            task.cancel()
            await asyncio.wait({task})


@asynccontextmanager
async def working(
    discord: Discord,
    url: str,
    *,
    model: Model | None = None,
    settings: Settings | None = None,
    seen_as: Callable[[Platform], Platform] = as_it_is,
    patience: Patience = PATIENT,
) -> AsyncIterator[Health]:
    """A worker, until the block ends."""
    settings = settings or Settings(database_url=url)
    given = replace(given_for(discord), threads=settings.discord_threads, patience=patience)
    health, stop = Health(), asyncio.Event()
    async with open_discord(given, health) as platform:
        replaced = Replaced(model=model, timing=TIMING)
        async with asyncio.TaskGroup() as group:
            group.create_task(serve(settings, [seen_as(platform)], stop, replaced, health))
            try:
                await discord.connected()
                yield health
            finally:
                stop.set()


async def link(url: str, person: Person, customer: str = "demo") -> None:
    """Make a person a customer of the demo shop."""
    database = await open_database(url)
    key = PersonKey("discord", "", person.id)
    await database.write(lambda tx: people.link(tx, key, customer))
    await database.close()


async def answered(discord: Discord, channel: Channel, text: str = "") -> None:
    """Until we have said this there and all is quiet."""
    bot = discord.bots[0]
    await discord.until(
        lambda: any(text in each.content for each in bot.own(channel)) and discord.quiet
    )
