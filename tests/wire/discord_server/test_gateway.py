"""The gateway on the loopback: sessions are begun, broken, resumed and lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest
from discord import errors

from tests.servers.discord.gateway import Pace
from tests.servers.discord.homes import Bot, Server
from tests.servers.discord.people import Person
from tests.servers.discord.server import Discord
from tests.servers.discord.world import Channel
from tests.wire.discord_app import Client, client_of, listening
from tests.wire.discord_server.scene import Scene

pytestmark = pytest.mark.slow


async def test_a_client_that_is_asked_to_come_back_hears_what_it_missed(scene: Scene) -> None:
    hub = scene.bot.hub
    await scene.ann.says(scene.channel, "1")
    hub.reconnect()
    await scene.discord.until(lambda: not hub.ready)
    await scene.ann.says(scene.channel, "2")
    await scene.discord.until(lambda: scene.client.events("resumed"))
    await scene.ann.says(scene.channel, "3")
    await scene.discord.until(lambda: len(scene.client.texts) == 3)

    assert scene.client.texts == ["1", "2", "3"]
    assert (hub.identifies, hub.resumes) == (1, 1)


async def test_a_cut_connection_is_resumed(scene: Scene) -> None:
    scene.bot.hub.abort()
    await scene.ann.says(scene.channel, "Hello?")
    await scene.discord.until(lambda: scene.client.texts)

    assert scene.bot.hub.resumes == 1


async def test_whatever_breaks_a_resumed_session_tells_all_once_and_in_order(
    scene: Scene,
) -> None:
    hub = scene.bot.hub
    breaks: list[Callable[[], None]] = [
        hub.abort,
        hub.reconnect,
        lambda: hub.invalidate(resumable=True),
        hub.close,
    ]
    said = [str(each) for each in range(40)]
    for each in said:
        await scene.ann.says(scene.channel, each)
        if hub.ready and int(each) % 3 == 0:
            breaks[int(each) % len(breaks)]()
        await asyncio.sleep(0)
    await scene.discord.until(lambda: len(scene.client.texts) >= len(said))

    assert scene.client.texts == said
    assert hub.identifies == 1
    assert hub.resumes > 1


async def test_a_session_that_may_be_resumed_is_resumed(scene: Scene) -> None:
    scene.bot.hub.invalidate(resumable=True)
    await scene.ann.says(scene.channel, "Hello?")
    await scene.discord.until(lambda: scene.client.events("resumed"))

    assert scene.client.texts == ["Hello?"]
    assert scene.bot.hub.identifies == 1


@pytest.mark.parametrize("told", [True, False])
async def test_with_a_lost_session_goes_what_was_said_meanwhile(
    scene: Scene, *, told: bool
) -> None:
    hub = scene.bot.hub
    if told:
        hub.invalidate()
    else:
        hub.forget_sessions()
        hub.abort()
    await scene.ann.says(scene.channel, "Hello?")
    await scene.discord.until(lambda: hub.identifies == 2 and hub.ready)
    await scene.ann.says(scene.channel, "Anyone?")
    await scene.discord.until(lambda: scene.client.texts)

    assert scene.client.texts == ["Anyone?"]
    assert hub.resumes == 0


@pytest.mark.parametrize("pace", [Pace(heartbeat_seconds=0.05)])
async def test_a_dead_connection_is_noticed_and_resumed(
    discord: Discord, bot: Bot, ann: Person, channel: Channel
) -> None:
    async with listening(discord, bot, Client(heartbeat_timeout=0.3)) as client:
        bot.hub.deafen()
        await ann.says(channel, "Hello?")
        await discord.until(lambda: client.texts)

    assert (bot.hub.identifies, bot.hub.resumes) == (1, 1)


@pytest.mark.parametrize("pace", [Pace(heartbeat_seconds=0.02)])
async def test_heartbeats_are_acknowledged(scene: Scene) -> None:
    await scene.discord.until(lambda: scene.bot.hub.heartbeats >= 3)

    assert scene.client.latency < 1


@pytest.mark.parametrize(("code", "left"), [(1000, 0), (1001, 0), (4000, 1)])
async def test_a_session_ends_when_its_client_says_good_bye(
    discord: Discord, bot: Bot, code: int, left: int
) -> None:
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(discord.realm.gateway_url) as socket,
    ):
        await socket.send_json({"op": 2, "d": {"token": bot.token, "intents": 1}})
        await discord.until(lambda: bot.hub.ready)
        await socket.close(code=code)
    await discord.until(lambda: not bot.hub.ready)

    assert len(bot.hub.sessions) == left


async def test_nothing_is_left_running(discord: Discord, bot: Bot) -> None:
    async with listening(discord, bot):
        pass

    await discord.until(lambda: not bot.hub.connections)
    assert len(asyncio.all_tasks()) < 10


async def test_a_cut_network_lets_nothing_through_until_it_is_mended(scene: Scene) -> None:
    scene.discord.cut_network()
    await scene.discord.until(lambda: not scene.bot.hub.connections)
    with pytest.raises(aiohttp.ClientError):
        await scene.place().send("Hi.")
    await scene.ann.says(scene.channel, "Hello?")
    scene.discord.mend_network()
    await scene.discord.until(lambda: scene.client.texts, 30)

    assert scene.bot.shown(scene.channel) == ["Hello?"]


async def test_a_gateway_that_is_closed_takes_nobody(discord: Discord, bot: Bot) -> None:
    discord.gateway_open = False
    async with client_of(discord, bot) as client:
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await client.connect(reconnect=False)

    assert bot.hub.identifies == 0


async def test_two_clients_of_one_bot_hear_the_same(
    discord: Discord, bot: Bot, ann: Person, channel: Channel
) -> None:
    async with listening(discord, bot) as one, listening(discord, bot) as other:
        await ann.says(channel, "Hello?")
        await discord.until(lambda: one.texts and other.texts)

    assert one.texts == other.texts == ["Hello?"]


async def test_each_shard_hears_of_its_own_servers(
    discord: Discord, bot: Bot, ann: Person, channel: Channel, home: Server
) -> None:
    mine = (int(home.id) >> 22) % 2
    shards = [Client(shard_id=each, shard_count=2) for each in (mine, 1 - mine)]
    async with listening(discord, bot, shards[0]), listening(discord, bot, shards[1]):
        await ann.says(channel, "In the server")
        await ann.says(bot.direct(ann), "Alone")
        await discord.until(lambda: sum(len(each.texts) for each in shards) == 2)
        guilds = [[each.name for each in client.guilds] for client in shards]

    assert guilds == [["acme"], []]
    alone = 0 if mine == 0 else 1
    assert "Alone" in shards[alone].texts


async def test_a_message_may_be_told_twice_and_late(scene: Scene) -> None:
    scene.discord.hold()
    first, second = [await scene.ann.says(scene.channel, each) for each in "12"]
    await scene.discord.release(*scene.discord.about(second))
    await scene.discord.release()
    await scene.discord.again(*scene.discord.about(first))
    await scene.discord.until(lambda: len(scene.client.texts) == 3)

    assert scene.client.texts == ["2", "1", "1"]


async def test_what_no_library_can_read_ends_the_connection(discord: Discord, bot: Bot) -> None:
    async with client_of(discord, bot) as client:
        connecting = asyncio.create_task(client.connect())
        await discord.connected()
        bot.hub.garble()
        with pytest.raises(KeyError):
            await connecting

    await discord.until(lambda: not bot.hub.ready)


async def test_an_intent_that_is_switched_off_may_not_be_asked_for(
    discord: Discord, bot: Bot
) -> None:
    bot.app.content_allowed = False
    async with client_of(discord, bot) as client:
        assert not client.application_flags.gateway_message_content_limited
        with pytest.raises(errors.PrivilegedIntentsRequired):
            await client.connect()


async def test_a_wrong_token_is_refused_by_rest_and_gateway(discord: Discord, bot: Bot) -> None:
    async with client_of(discord, bot) as client:
        bot.app.token = "another"
        with pytest.raises(errors.ConnectionClosed) as closed:
            await client.connect()
    async with Client() as client:
        with pytest.raises(errors.LoginFailure):
            await client.login("wrong")

    assert closed.value.code == 4004
    assert [each.status for each in discord.requests] == [200, 200, 401]


MISTAKES: dict[str, tuple[list[str], int]] = {
    "no JSON": (["what?"], 4002),
    "no operation": (["{}"], 4002),
    "an unknown operation": (['{"op": 99}'], 4001),
    "nobody yet": (['{"op": 3, "d": {}}'], 4003),
    "no intents": (['{"op": 2, "d": {"token": "TOKEN"}}'], 4013),
    "strange intents": (['{"op": 2, "d": {"token": "TOKEN", "intents": 1073741824}}'], 4013),
    "no such shard": (['{"op": 2, "d": {"token": "TOKEN", "intents": 1, "shard": [2, 2]}}'], 4010),
    "twice": (['{"op": 2, "d": {"token": "TOKEN", "intents": 1}}'] * 2, 4005),
}


@pytest.mark.parametrize("mistake", MISTAKES)
async def test_the_gateway_closes_on_mistakes(discord: Discord, bot: Bot, mistake: str) -> None:
    frames, code = MISTAKES[mistake]

    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(discord.realm.gateway_url) as socket,
    ):
        for each in frames:
            await socket.send_str(each.replace("TOKEN", bot.token))
        async for _ in socket:
            pass

    assert socket.close_code == code


async def test_a_sequence_of_the_future_cannot_be_resumed(discord: Discord, bot: Bot) -> None:
    async with listening(discord, bot), aiohttp.ClientSession() as session:
        [known] = bot.hub.sessions
        said: dict[str, Any] = {"token": bot.token, "session_id": known, "seq": 1_000}
        async with session.ws_connect(discord.realm.gateway_url) as socket:
            await socket.send_json({"op": 6, "d": said})
            frames = [each.json() async for each in socket]

    assert [each["op"] for each in frames] == [10]
    assert socket.close_code == 4007
