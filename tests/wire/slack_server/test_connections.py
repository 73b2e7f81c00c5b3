"""Socket Mode on the loopback: connections are made, shared, broken, and made again."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError

from tests.servers.slack.people import Person, Workspace
from tests.servers.slack.server import Slack
from tests.servers.slack.socket import Pace
from tests.servers.slack.world import Channel
from tests.wire.slack_app import listening, web_client
from tests.wire.slack_server.hearing import Ears, settle

pytestmark = pytest.mark.slow


async def test_an_address_is_good_for_one_connection(slack: Slack, home: Workspace) -> None:
    async with web_client(slack, "") as client, aiohttp.ClientSession() as session:
        url = (await client.apps_connections_open(app_token=home.app_token))["url"]
        async with session.ws_connect(url) as socket:
            hello = await socket.receive_json()
            with pytest.raises(aiohttp.WSServerHandshakeError):
                await session.ws_connect(url)

    assert hello["type"] == "hello"
    assert hello["num_connections"] == 1
    assert hello["connection_info"] == {"app_id": home.hub.app_id}


async def test_an_app_is_connected_ten_times_at_most(slack: Slack, home: Workspace) -> None:
    async with web_client(slack, "") as client, aiohttp.ClientSession() as session:
        sockets = []
        for _ in range(11):
            url = (await client.apps_connections_open(app_token=home.app_token))["url"]
            sockets.append(await session.ws_connect(url))
        frame = await sockets[-1].receive_json()

    assert (frame["type"], frame["reason"]) == ("disconnect", "too_many_websockets")


async def test_each_payload_goes_to_one_connection(
    slack: Slack, home: Workspace, ann: Person, channel: Channel
) -> None:
    one, other = Ears(), Ears()
    async with listening(slack, home, one), listening(slack, home, other):
        await slack.connected(2)
        for text in "abcd":
            await ann.says(channel, text)
        await settle(slack)

    assert sorted(one.texts + other.texts) == list("abcd")
    assert len(one.texts) == len(other.texts) == 2


async def test_a_client_that_is_asked_to_go_comes_back(
    slack: Slack, home: Workspace, ann: Person, channel: Channel
) -> None:
    ears = Ears()
    async with listening(slack, home, ears):
        [before] = home.hub.connections
        home.hub.disconnect("refresh_requested")
        await slack.until(lambda: home.hub.connections and before not in home.hub.connections)
        await ann.says(channel, "Hello?")
        await settle(slack)

    assert ears.texts == ["Hello?"]


async def test_a_dead_connection_swallows_events_until_the_client_notices(
    slack: Slack, home: Workspace, ann: Person, channel: Channel
) -> None:
    ears = Ears()
    async with listening(slack, home, ears):
        [dead] = home.hub.connections
        home.hub.deafen()
        await ann.says(channel, "Hello?")
        await slack.until(lambda: home.hub.connections and dead not in home.hub.connections)
        assert not ears.texts
        home.hub.hurry()
        await settle(slack)

    assert ears.texts == ["Hello?"]


@pytest.mark.parametrize("pace", [Pace(ack_seconds=0.1, retry_after=(0.0,) * 3)])
async def test_a_ghost_gets_its_share_and_says_nothing(
    slack: Slack, home: Workspace, ann: Person, channel: Channel
) -> None:
    ears = Ears()
    async with listening(slack, home, ears):
        home.hub.haunt()
        await ann.says(channel, "a")
        await ann.says(channel, "b")
        await settle(slack)

    assert sorted(ears.texts) == ["a", "b"]
    assert max(len(each.envelopes) for each in slack.deliveries) > 1


async def test_a_cut_network_lets_nothing_through_until_it_is_mended(
    slack: Slack, home: Workspace, ann: Person, channel: Channel
) -> None:
    ears = Ears()
    async with listening(slack, home, ears) as app:
        slack.cut_network()
        await slack.until(lambda: not home.hub.connections)
        with pytest.raises(aiohttp.ClientError):
            await app.client.auth_test()
        await ann.says(channel, "Hello?")
        slack.mend_network()
        await slack.until(lambda: home.hub.connections)
        home.hub.hurry()
        await settle(slack)

    assert ears.texts == ["Hello?"]


async def test_an_app_without_socket_mode_cannot_connect(slack: Slack, home: Workspace) -> None:
    home.hub.enabled = False

    async with web_client(slack, "") as client:
        with pytest.raises(SlackApiError, match="forbidden_team"):
            await client.apps_connections_open(app_token=home.app_token)


async def test_a_watcher_is_told_of_each_payload_and_its_acknowledgement(
    slack: Slack, home: Workspace, ann: Person, channel: Channel
) -> None:
    moments: list[str] = []
    home.hub.watch = lambda _delivery, moment: moments.append(moment)
    async with listening(slack, home, Ears()):
        await ann.says(channel, "Hello?")
        await settle(slack)

    assert moments == ["sent", "acked"]


async def test_two_apps_hear_nothing_of_each_other(slack: Slack, home: Workspace) -> None:
    other = slack.workspace("other")
    mine, theirs = Ears(), Ears()
    async with listening(slack, home, mine), listening(slack, other, theirs):
        for each in (home, other):
            bob = each.person("Bob")
            await bob.says(each.channel("general", bob), f"at {each.name}")
        await settle(slack)

    assert (mine.texts, theirs.texts) == (["at acme"], ["at other"])


async def test_nothing_is_left_running(slack: Slack, home: Workspace) -> None:
    async with listening(slack, home, Ears()):
        pass

    await slack.until(lambda: not home.hub.connections)
    assert len(asyncio.all_tasks()) < 10
