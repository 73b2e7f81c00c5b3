"""What every platform's outlet must be able to tell of a place."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from io import StringIO
from itertools import count
from typing import Protocol

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from adapters.discord.api import Line
from adapters.discord.events import Reader
from adapters.discord.outlet import DiscordOutlet
from adapters.discord.web import open_client as open_discord_client
from adapters.discord.wire import Wire
from adapters.slack.checks import identify
from adapters.slack.events import Installation
from adapters.slack.outlet import SlackOutlet, furnished
from adapters.slack.web import open_client
from adapters.terminal.reply import TerminalOutlet
from adapters.terminal.screen import Screen
from bot.health import Health
from bot.platform import Address, Inbound, Outlet, Said
from memory.keys import PersonKey, PlaceKey
from tests.fakes import FakeClock
from tests.played_network import Request
from tests.played_platform import PlayedPlatform
from tests.servers.discord.homes import Bot
from tests.servers.discord.message_shapes import message as message_shape
from tests.servers.discord.permissions import May
from tests.servers.discord.server import Discord
from tests.servers.discord.server import serving as discord_serving
from tests.servers.discord.world import Channel
from tests.servers.slack.server import Slack, serving
from tests.servers.slack.world import Message


class Scene(Protocol):
    """A platform with a thread in which Ann, who is an administrator, and Bob write."""

    outlet: Outlet
    place: PlaceKey
    address: Address
    ann: PersonKey
    bob: PersonKey

    async def say(self, person: PersonKey, text: str) -> Inbound: ...

    async def remove(self, inbound: Inbound) -> None: ...

    async def answer(self, text: str) -> None:
        """Nimbus writes."""
        ...


class PlayedScene:
    def __init__(self) -> None:
        self.clock = FakeClock(1_000)
        self.ann, self.bob = (PersonKey("played", "W", name) for name in ("ann", "bob"))
        self.place = PlaceKey("played", "W", "C", "1")
        self.address: Address = {"place": str(self.place)}
        self.platform = PlayedPlatform(self.clock, administrators=frozenset({self.ann}))
        self.outlet: Outlet = self.platform

    async def say(self, person: PersonKey, text: str) -> Inbound:
        self.clock.advance(1_000)
        return self.platform.say(self.place, person, text)

    async def remove(self, inbound: Inbound) -> None:
        self.platform.delete(inbound)

    async def answer(self, text: str) -> None:
        await self.platform.call(Request("post", str(self.place), "t1", text))


class SlackScene:
    """Slack on the loopback. Nimbus has begun the thread."""

    def __init__(self, slack: Slack, client: AsyncWebClient, us: Installation) -> None:
        [self.home] = slack.workspaces
        people = [self.home.person("Ann", admin=True), self.home.person("Bob")]
        self.people = {us.person(each.id): each for each in people}
        self.ann, self.bob = self.people
        self.channel = self.home.channel("general", *people)
        self.root = Message("", self.channel.id, self.home.bot, "Good morning")
        self.workspace = furnished(us, client, FakeClock())
        self.outlet: Outlet = SlackOutlet([self.workspace])
        self.home.post(self.root)
        self.place = PlaceKey("slack", us.workspace, self.channel.id, self.root.ts)
        self.address: Address = {
            "workspace": us.workspace,
            "channel": self.channel.id,
            "thread": self.root.ts,
            "message": "later",
        }

    async def say(self, person: PersonKey, text: str) -> Inbound:
        who = self.people[person]
        await who.says(self.channel, text, thread=self.root.ts)
        told = self.workspace.reader.read(self.home.hub.deliveries[-1].payload)
        assert isinstance(told, Inbound)
        return replace(told, name=who.profile.name)

    async def remove(self, inbound: Inbound) -> None:
        message = self.channel.find(inbound.message_id)
        assert message is not None
        await self.people[inbound.person].deletes(message)

    async def answer(self, text: str) -> None:
        self.home.post(Message("", self.channel.id, self.home.bot, text, self.root.ts))


@asynccontextmanager
async def on_slack() -> AsyncIterator[SlackScene]:
    seconds = count(1_718_000_000)
    async with serving(clock=lambda: next(seconds) * 1_000) as slack:
        home = slack.workspace()
        async with open_client(home.bot_token, slack.api_url) as client:
            yield SlackScene(slack, client, await identify(client, 1, Health()))


class DiscordScene:
    """A thread on Discord, which somebody else has begun."""

    def __init__(self, discord: Discord, bot: Bot, line: Line, thread: Channel) -> None:
        [home] = discord.servers
        people = [discord.person("Ann", home), discord.person("Bob", home)]
        home.role("mods", May.MANAGE_MESSAGES, people[0])
        self.discord = discord
        self.people = {PersonKey("discord", "", each.id): each for each in people}
        self.ann, self.bob = self.people
        self.bot = bot
        self.thread = thread
        self.reader = Reader(bot.id)
        self.outlet: Outlet = DiscordOutlet(line, self.reader, FakeClock())
        self.place = PlaceKey("discord", home.id, "-", thread.id)
        self.address: Address = {
            "guild": home.id,
            "channel": thread.id,
            "message": "later",
            "thread": "",
            "parent": thread.parent.id if thread.parent else "",
            "surface": "public",
        }

    async def say(self, person: PersonKey, text: str) -> Inbound:
        said = await self.people[person].says(self.thread, text)
        told = self.reader.fetched(message_shape(said), self.address)
        assert told is not None
        return told

    async def remove(self, inbound: Inbound) -> None:
        message = self.thread.find(inbound.message_id)
        assert message is not None
        await self.people[inbound.person].deletes(message)

    async def answer(self, text: str) -> None:
        realm = self.discord.realm
        realm.post(realm.new_message(self.thread, self.bot.user, text))


@asynccontextmanager
async def on_discord() -> AsyncIterator[DiscordScene]:
    seconds = count(1_718_000_000)
    async with discord_serving(clock=lambda: next(seconds) * 1_000) as discord:
        bot = discord.bot()
        home = discord.guild("acme", bot)
        kim = discord.person("Kim", home)
        thread = await kim.starts_thread(home.channel("general"), "Morning")
        async with open_discord_client(bot.token, discord.api_url) as client:
            yield DiscordScene(discord, bot, Wire(client), thread)


@pytest.fixture(params=["played", "slack", "discord"])
async def scene(request: pytest.FixtureRequest) -> AsyncIterator[Scene]:
    if request.param == "played":
        yield PlayedScene()
    elif request.param == "slack":
        async with on_slack() as opened:
            yield opened
    else:
        async with on_discord() as discord:
            yield discord


async def test_what_others_said_is_read_in_order_the_newest_at_most(scene: Scene) -> None:
    said = [await scene.say(scene.ann, f"number {number}") for number in range(4)]

    assert await scene.outlet.earlier(scene.address, 0, 3) == said[1:]


async def test_what_nimbus_said_and_what_is_gone_is_not_read(scene: Scene) -> None:
    kept, gone = await scene.say(scene.ann, "kept"), await scene.say(scene.bob, "gone")
    await scene.answer("Hello.")
    await scene.remove(gone)

    assert await scene.outlet.earlier(scene.address, 0, 50) == [kept]


async def test_what_was_said_later_is_read_as_its_event_would_tell_it(scene: Scene) -> None:
    known = await scene.say(scene.ann, "known")
    said = [await scene.say(person, "later") for person in (scene.ann, scene.bob, scene.ann)]
    await scene.answer("Hello.")

    later = await scene.outlet.later(scene.place, scene.address, known.said_at, 2)

    assert [replace(each, address={}) for each in later] == [
        replace(each, address={}) for each in said[1:]
    ]
    assert [each.place for each in later] == [scene.place] * 2


async def test_nothing_older_is_read(scene: Scene) -> None:
    old, young = await scene.say(scene.ann, "old"), await scene.say(scene.bob, "young")

    assert await scene.outlet.earlier(scene.address, old.said_at, 50) == [young]


async def test_who_has_no_name_gets_one(scene: Scene) -> None:
    said = [Said(scene.ann, "", "Hi"), Said(scene.bob, "", "Hello")]
    completed = await scene.outlet.complete(scene.address, said)

    assert [one.person for one in completed] == [scene.ann, scene.bob]
    assert all(one.name for one in completed)
    assert [one.text for one in completed] == ["Hi", "Hello"]


async def test_an_administrator_is_known(scene: Scene) -> None:
    assert await scene.outlet.is_administrator(scene.address, scene.ann)
    assert not await scene.outlet.is_administrator(scene.address, scene.bob)


async def test_a_terminal_has_nothing_to_read_and_belongs_to_who_sits_there() -> None:
    outlet = TerminalOutlet(Screen(StringIO(), StringIO()))
    robin = PersonKey("terminal", "", "robin")
    said = (Said(robin, "robin", "Hi"),)

    assert await outlet.earlier({}, 0, 50) == ()
    assert await outlet.later(PlaceKey("terminal", "local", "chat", "1"), {}, 0, 50) == ()
    assert await outlet.complete({}, said) == said
    assert await outlet.is_administrator({}, robin)
