"""One workspace, one person, one channel and one thread on the loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes import FakeClock
from tests.servers.slack.people import Person, Workspace
from tests.servers.slack.server import Slack, serving
from tests.servers.slack.socket import Pace
from tests.servers.slack.world import Channel
from tests.wire.slack_app import web_client
from tests.wire.slack_server.scene import Scene


@pytest.fixture
def time() -> FakeClock:
    return FakeClock(1_000_000)


@pytest.fixture
def pace() -> Pace:
    return Pace()


@pytest.fixture
async def slack(pace: Pace, time: FakeClock) -> AsyncIterator[Slack]:
    async with serving(clock=time, pace=pace, strict=False) as server:
        yield server


@pytest.fixture
def home(slack: Slack) -> Workspace:
    return slack.workspace()


@pytest.fixture
def ann(home: Workspace) -> Person:
    return home.person("Ann")


@pytest.fixture
def channel(home: Workspace, ann: Person) -> Channel:
    return home.channel("general", ann)


@pytest.fixture
async def client(slack: Slack, home: Workspace) -> AsyncIterator[AsyncWebClient]:
    async with web_client(slack, home.bot_token) as client:
        yield client


@pytest.fixture
async def scene(
    slack: Slack, home: Workspace, ann: Person, channel: Channel, client: AsyncWebClient
) -> Scene:
    root = await ann.says(channel, "<@bot> Hello?")
    reply = await ann.says(channel, "Anyone?", thread=root.ts)
    await client.chat_postMessage(channel=channel.id, text="Hi.", thread_ts=root.ts)
    [own] = home.own(channel)
    return Scene(slack, home, client, ann, channel, root, reply, own)
