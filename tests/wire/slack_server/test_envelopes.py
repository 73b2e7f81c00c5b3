"""Socket Mode on the loopback: what is not acknowledged comes again."""

from __future__ import annotations

import aiohttp
import pytest

from tests.servers.slack.people import Person, Workspace
from tests.servers.slack.server import Slack
from tests.servers.slack.socket import Delivery, Pace
from tests.servers.slack.world import Channel
from tests.wire.slack_app import listening, web_client
from tests.wire.slack_server.hearing import Ears, settle

pytestmark = pytest.mark.slow

SOON = Pace(ack_seconds=0.1, retry_after=(0.0, 0.01, 0.02))


@pytest.mark.parametrize("pace", [SOON])
async def test_what_was_not_acknowledged_comes_again_in_a_new_envelope(
    slack: Slack, home: Workspace, ann: Person, channel: Channel
) -> None:
    ears = Ears(refuses=2)
    async with listening(slack, home, ears):
        await ann.says(channel, "Hello?")
        await settle(slack)

    [delivery] = slack.deliveries
    assert delivery.acked
    assert len(set(delivery.envelopes)) >= 3
    assert len({body["event_id"] for body in ears.bodies}) == 1


@pytest.mark.parametrize("pace", [SOON])
async def test_after_three_repetitions_an_event_is_lost(
    slack: Slack, home: Workspace, ann: Person, channel: Channel
) -> None:
    ears = Ears(refuses=99)
    async with listening(slack, home, ears):
        await ann.says(channel, "Hello?")
        await settle(slack)
        await slack.until(lambda: len(ears.bodies) == 4)

    assert slack.deliveries[0].lost


async def test_an_event_waits_for_a_connection(
    slack: Slack, home: Workspace, ann: Person, channel: Channel
) -> None:
    await ann.says(channel, "Hello?")
    await slack.until(lambda: len(slack.deliveries[0].envelopes) == 2)  # at once, in vain
    ears = Ears()
    async with listening(slack, home, ears):
        home.hub.hurry()
        await settle(slack)

    assert ears.texts == ["Hello?"]


async def test_an_acknowledged_event_can_come_again_all_the_same(
    slack: Slack, home: Workspace, ann: Person, channel: Channel
) -> None:
    ears = Ears()
    async with listening(slack, home, ears):
        asked = await ann.says(channel, "<@bot> Hello?")
        await settle(slack)
        await slack.again(*slack.about(asked) * 2)
        await slack.until(lambda: len(ears.bodies) == 6)

    assert len({body["event_id"] for body in ears.bodies}) == 2


async def test_events_come_in_another_order(
    slack: Slack, home: Workspace, ann: Person, channel: Channel
) -> None:
    ears = Ears()
    async with listening(slack, home, ears):
        slack.hold()
        asked = await ann.says(channel, "Hello?")
        await ann.deletes(asked)
        said, deleted = slack.about(asked)
        await slack.release(deleted)
        await slack.until(lambda: deleted.acked)
        assert not said.envelopes
        await slack.release()
        await slack.until(lambda: said.acked)

    assert [body["event"].get("subtype") for body in ears.bodies] == ["message_deleted", None]


async def test_the_twin_may_come_first(
    slack: Slack, home: Workspace, ann: Person, channel: Channel
) -> None:
    home.mention_first = False
    ears = Ears()
    async with listening(slack, home, ears):
        await ann.says(channel, "<@bot> Hello?")
        await settle(slack)

    assert [body["event"]["type"] for body in ears.bodies] == ["message", "app_mention"]


async def test_a_late_acknowledgement_does_not_count(
    slack: Slack, home: Workspace, ann: Person, channel: Channel
) -> None:
    async with web_client(slack, "") as client, aiohttp.ClientSession() as session:
        url = (await client.apps_connections_open(app_token=home.app_token))["url"]
        async with session.ws_connect(url) as socket:
            await socket.receive_json()
            await ann.says(channel, "Hello?")
            first = await socket.receive_json()
            home.hub.hurry()
            second = await socket.receive_json()
            await socket.send_json({"envelope_id": first["envelope_id"]})
            await socket.send_json({"envelope_id": "unheard of"})
            await slack.until(lambda: home.hub.strange_acks)

    [delivery] = slack.deliveries
    assert (delivery.late, delivery.acked) == (True, False)
    assert (first["retry_attempt"], second["retry_attempt"]) == (0, 1)
    assert first["payload"] == second["payload"]


async def test_waiting_in_vain_tells_what_happened(slack: Slack, ann: Person) -> None:
    channel = ann.workspace.channel("general", ann)
    await ann.says(channel, "Is anybody there?")

    with pytest.raises(TimeoutError, match="Is anybody there"):
        await slack.until(lambda: False, 0.01)


def test_a_delivery_without_an_event_has_an_empty_one() -> None:
    assert Delivery("slash_commands", {"command": "/nimbus"}).event == {}
