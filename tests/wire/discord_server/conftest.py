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

START = 1_796_000_000_000


@pytest.fixture
def time() -> FakeClock:
    return FakeClock(START)


@pytest.fixture
def pace() -> Pace:
    return Pace()


@pytest.fixture
async def discord(pace: Pace, time: FakeClock) -> AsyncIterator[Discord]:
    async with serving(clock=time, pace=pace) as server:
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
    """Without a gateway."""
    async with client_of(discord, bot) as made:
        yield made


@pytest.fixture
async def ears(discord: Discord, bot: Bot, channel: Channel) -> AsyncIterator[Client]:
    """With one."""
    del channel
    async with listening(discord, bot) as made:
        yield made
