"""One server, one person and one channel on the loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.fakes import FakeClock
from tests.servers.discord.gateway import Pace
from tests.servers.discord.homes import Bot, Server
from tests.servers.discord.people import Person
from tests.servers.discord.server import Discord, serving
from tests.servers.discord.world import Channel
from tests.wire.discord_app import Client, client_of, listening
from tests.wire.discord_server.scene import Scene

START = 1_796_000_000_000


@pytest.fixture
def time() -> FakeClock:
    return FakeClock(START)


@pytest.fixture
def pace() -> Pace:
    return Pace()


@pytest.fixture
async def discord(pace: Pace, time: FakeClock) -> AsyncIterator[Discord]:
    async with serving(clock=time, pace=pace, strict=False) as server:
        yield server


@pytest.fixture
def bot(discord: Discord) -> Bot:
    return discord.bot()


@pytest.fixture
def home(discord: Discord, bot: Bot) -> Server:
    return discord.guild("acme", bot)


@pytest.fixture
def ann(discord: Discord, home: Server) -> Person:
    return discord.person("Ann", home)


@pytest.fixture
def channel(home: Server) -> Channel:
    return home.channel("general")


@pytest.fixture
async def client(discord: Discord, bot: Bot) -> AsyncIterator[Client]:
    """Only logged in."""
    async with client_of(discord, bot) as made:
        yield made


@pytest.fixture
async def ears(discord: Discord, bot: Bot, channel: Channel) -> AsyncIterator[Client]:
    """Connected."""
    del channel
    async with listening(discord, bot) as made:
        yield made


@pytest.fixture
def rest(discord: Discord, home: Server, ann: Person, channel: Channel, client: Client) -> Scene:
    """With a bot that only calls."""
    return _scene(discord, home, ann, channel, client)


@pytest.fixture
def scene(discord: Discord, home: Server, ann: Person, channel: Channel, ears: Client) -> Scene:
    """With a bot that listens."""
    return _scene(discord, home, ann, channel, ears)


def _scene(discord: Discord, home: Server, ann: Person, channel: Channel, client: Client) -> Scene:
    clock = discord.realm.clock
    assert isinstance(clock, FakeClock)
    return Scene(discord, discord.bots[0], home, ann, channel, client, clock)
