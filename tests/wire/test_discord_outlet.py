"""Answers to Discord through discord.py, over real HTTP."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import pytest
from discord import Client

from adapters.discord.answers import DiscordError
from adapters.discord.api import Request
from adapters.discord.events import Reader
from adapters.discord.outlet import DiscordOutlet
from adapters.discord.web import open_client
from adapters.discord.wire import Wire
from bot.errors import DeliveryError
from bot.platform import Delivery, Reply
from memory.database import wall_clock
from tests.servers.discord.faults import (
    Act,
    Fate,
    broken,
    delayed,
    dropped,
    held,
    limited,
    nth,
    refused,
)
from tests.servers.discord.homes import Bot
from tests.servers.discord.rates import Limit
from tests.servers.discord.server import Discord, serving
from tests.servers.discord.world import Channel, Message

POSTING, EDITING = "POST channels/*/messages", "PATCH channels/*/messages/*"
LONG = "one two three " * 1_000


@dataclass
class House:
    """A direct message of Ann's with a bot that listens to nothing."""

    discord: Discord
    bot: Bot
    client: Client
    channel: Channel
    question: Message

    def __post_init__(self) -> None:
        self.wire = Wire(self.client)
        self.outlet = DiscordOutlet(self.wire, Reader(self.bot.id), wall_clock)

    def reply(self, send_ms: int = 4_000) -> Reply:
        address = {"guild": "", "channel": self.channel.id, "message": self.question.id}
        address |= {"thread": "", "parent": "", "surface": "direct"}
        return self.outlet.reply(Delivery("t1", address, lambda: None, send_ms))

    def shown(self) -> list[str]:
        return [message.content for message in self.bot.own(self.channel)]

    def made(self, method: str) -> int:
        return sum(each.method == method for each in self.discord.requests)

    def ask(self) -> Request:
        return Request("GET", "/channels/{channel_id}", {"channel_id": self.channel.id})


@asynccontextmanager
async def opened() -> AsyncIterator[House]:
    async with serving() as discord:
        bot = discord.bot()
        ann = discord.person("Ann", discord.guild("acme", bot))
        channel = bot.direct(ann)
        question = await ann.says(channel, "May I?")
        async with open_client(bot.token, discord.api_url) as client:
            yield House(discord, bot, client, channel, question)


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with opened() as one:
        yield one


async def test_an_answer_arrives_without_a_gateway(house: House) -> None:
    async with house.reply() as reply:
        await reply.show("Let me")
        await reply.finish("No.")
        await reply.recorded()

    assert house.shown() == ["No."]
    assert house.bot.hub.identifies == 0


@pytest.mark.slow
@pytest.mark.parametrize("act", [broken(500), broken(502), broken(503), broken(504), dropped])
@pytest.mark.parametrize("route", [POSTING, EDITING])
async def test_what_passes_is_tried_again(house: House, route: str, act: Act) -> None:
    async with house.reply() as reply:
        house.discord.decide(nth(1, Fate(before=act), route))
        await reply.show("Let me")
        await reply.finish("No.")

    assert house.shown() == ["No."]
    assert house.made(route) == 2


@pytest.mark.slow
async def test_a_response_that_was_lost_makes_no_second_message(house: House) -> None:
    house.discord.decide(nth(1, Fate(after=dropped), POSTING))
    async with house.reply() as reply:
        await reply.finish("No.")

    assert house.shown() == ["No."]


@pytest.mark.slow
async def test_what_gets_no_answer_in_time_may_have_arrived(house: House) -> None:
    house.discord.decide(nth(1, Fate(before=held(asyncio.Event())), POSTING))
    async with house.reply(send_ms=300) as reply:
        with pytest.raises(DeliveryError) as lost:
            await reply.finish("No.")

    assert lost.value.unknown


@pytest.mark.slow
async def test_where_nobody_answers_nothing_has_arrived() -> None:
    async with AsyncExitStack() as clients:
        async with serving() as discord:
            opening = open_client(discord.bot().token, discord.api_url)
            wire = Wire(await clients.enter_async_context(opening))
        with pytest.raises(DiscordError, match="no connection") as error:
            await wire.carry(Request("GET", "/users/@me", {}), 2_000)

    assert (error.value.permanent, error.value.unknown) == (False, False)


@pytest.mark.slow
@pytest.mark.parametrize("banned", [False, True])
@pytest.mark.parametrize("everywhere", [False, True])
async def test_a_429_is_told_at_once_and_waited_out(
    house: House,
    everywhere: bool,  # noqa: FBT001
    banned: bool,  # noqa: FBT001
) -> None:
    fate = Fate(before=limited(0.4, everywhere=everywhere, banned=banned))
    house.discord.decide(nth(1, fate, POSTING))
    began = asyncio.get_running_loop().time()
    async with house.reply() as reply:
        with pytest.raises(DiscordError, match="rate limited"):
            await reply.finish("No.")
        told = asyncio.get_running_loop().time() - began
        await reply.finish("No.")
    took = asyncio.get_running_loop().time() - began

    assert told < 0.4 <= took
    assert house.shown() == ["No."]


@pytest.mark.slow
async def test_the_last_call_of_a_rate_is_answered_at_once_and_nobody_has_to_be_refused(
    house: House,
) -> None:
    house.discord.limit({POSTING: Limit(2, 0.5)})
    async with house.reply(send_ms=450) as reply:
        parts = await reply.finish(LONG)

    assert "".join(house.shown()) == LONG
    assert len(parts) == house.made(POSTING)
    assert not [each for each in house.discord.requests if each.error]


@pytest.mark.slow
async def test_who_finds_no_room_has_sent_nothing(house: House) -> None:
    """discord.py lets one call through until it knows the rate."""
    house.discord.decide(nth(1, Fate(before=delayed(1.0)), "GET channels/*"))
    first = asyncio.create_task(house.wire.carry(house.ask(), 4_000))
    await house.discord.until(lambda: house.made("GET channels/*"))
    with pytest.raises(DiscordError, match="no room") as error:
        await house.wire.carry(house.ask(), 100)
    await first

    assert not error.value.unknown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "words"),
    [
        (10003, "gone"),
        (50001, "may not see"),
        (50007, "takes no direct messages"),
        (50013, "permission is missing"),
        (50035, "form"),
        (160005, "locked"),
    ],
)
async def test_a_refusal_is_told_in_words(house: House, code: int, words: str) -> None:
    house.discord.decide(nth(1, Fate(before=refused(code)), POSTING))
    async with house.reply() as reply:
        with pytest.raises(DiscordError, match=words) as error:
            await reply.finish("No.")

    assert (error.value.permanent, error.value.unknown) == (True, False)


@pytest.mark.slow
async def test_a_token_that_was_reset_is_told(house: House) -> None:
    object.__setattr__(house.bot.app, "token", "another")
    async with house.reply() as reply:
        with pytest.raises(DiscordError, match="token is not valid") as error:
            await reply.finish("No.")

    assert error.value.permanent


@pytest.mark.slow
async def test_a_closed_client_sends_nothing(house: House) -> None:
    await house.client.close()
    with pytest.raises(DiscordError, match="is closed") as error:
        await house.wire.carry(house.ask(), 1_000)

    assert not error.value.unknown
