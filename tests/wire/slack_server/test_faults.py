"""What happens to a request on the loopback, when a test wants it to happen."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes import FakeClock
from tests.servers.slack import faults
from tests.servers.slack.faults import Act, Fate
from tests.servers.slack.people import Workspace
from tests.servers.slack.server import Slack
from tests.servers.slack.world import Channel

pytestmark = pytest.mark.slow


@dataclass
class Scene:
    slack: Slack
    home: Workspace
    client: AsyncWebClient
    channel: Channel

    async def post(self, text: str = "Hi.", **more: Any) -> str:
        """The `ts` of what was posted."""
        answer = await self.client.chat_postMessage(channel=self.channel.id, text=text, **more)
        return str(answer["ts"])

    @property
    def stands(self) -> list[str]:
        return self.home.shown(self.channel)


@pytest.fixture
def scene(slack: Slack, home: Workspace, client: AsyncWebClient, channel: Channel) -> Scene:
    return Scene(slack, home, client, channel)


FAILURES: dict[str, tuple[Act, type[Exception]]] = {
    "500": (faults.broken(), SlackApiError),
    "503": (faults.broken(503), SlackApiError),
    "429": (faults.limited(2), SlackApiError),
    "a refusal": (faults.refused("fatal_error"), SlackApiError),
    "nothing": (faults.dropped, aiohttp.ServerDisconnectedError),
}


@pytest.mark.parametrize("what", FAILURES)
async def test_a_request_fails_before_or_after_its_effect(scene: Scene, what: str) -> None:
    act, error = FAILURES[what]

    for fate, stands in ((Fate(before=act), []), (Fate(after=act), ["> Hi."])):
        scene.slack.decide(faults.always(fate))
        with pytest.raises(error):
            await scene.post()
        assert scene.stands == stands


async def test_only_the_nth_request_has_the_fate(scene: Scene) -> None:
    fate = Fate(before=faults.refused("internal_error"))
    scene.slack.decide(faults.nth(2, fate, "chat.postMessage"))
    await scene.client.auth_test()
    await scene.post("1")
    with pytest.raises(SlackApiError, match="internal_error"):
        await scene.post("2")
    await scene.post("3")

    assert scene.stands == ["> 1", "> 3"]
    assert [each.error for each in scene.slack.requests] == ["", "", "internal_error", ""]


async def test_some_methods_can_fail_and_others_not(scene: Scene) -> None:
    scene.slack.decide(faults.always(Fate(before=faults.broken()), "chat.update"))
    ts = await scene.post()

    with pytest.raises(SlackApiError):
        await scene.client.chat_update(channel=scene.channel.id, ts=ts, text="Ho.")


async def test_a_request_that_was_given_up_can_still_land(scene: Scene) -> None:
    gate = asyncio.Event()
    scene.slack.decide(faults.always(Fate(before=faults.held(gate))))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await scene.post()
    assert not scene.stands
    gate.set()
    await scene.slack.until(lambda: scene.slack.requests[0].status)

    assert scene.stands == ["> Hi."]


async def test_an_answer_can_take_its_time(scene: Scene) -> None:
    scene.slack.decide(faults.always(Fate(after=faults.delayed(0.01))))
    await scene.post()

    assert scene.stands == ["> Hi."]


async def test_a_worker_dies_before_or_after_a_request(scene: Scene) -> None:
    deaths: list[int] = []

    def die() -> None:
        deaths.append(len(scene.channel.messages))

    for fate in (Fate(before=faults.killing(die)), Fate(after=faults.killing(die))):
        scene.slack.decide(faults.nth(1, fate))
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await scene.post()

    assert deaths == [0, 1]


async def test_what_was_on_its_way_when_the_network_was_cut_is_not_answered(scene: Scene) -> None:
    gate = asyncio.Event()
    scene.slack.decide(faults.always(Fate(before=faults.held(gate))))
    async with asyncio.TaskGroup() as tasks:
        posted = tasks.create_task(failure(scene))
        await scene.slack.until(lambda: scene.slack.requests)
        scene.slack.cut_network()
        gate.set()

    assert isinstance(posted.result(), aiohttp.ClientError)
    assert scene.stands == ["> Hi."]


async def failure(scene: Scene) -> Exception:
    with pytest.raises(aiohttp.ClientError) as failed:
        await scene.post()
    return failed.value


async def test_every_request_is_recorded(scene: Scene) -> None:
    await scene.post(metadata={"event_type": "nimbus", "event_payload": {"turn": "1"}})

    [request] = scene.slack.requests
    assert (request.number, request.method, request.status) == (1, "chat.postMessage", 200)
    assert request.team == scene.home.team
    assert request.arguments["metadata"]["event_payload"] == {"turn": "1"}


async def test_a_repeated_post_is_one_while_the_first_is_remembered(
    scene: Scene, time: FakeClock
) -> None:
    scene.home.remembers = 60
    first, second = await scene.post(client_msg_id="a"), await scene.post(client_msg_id="a")
    other = await scene.post(client_msg_id="b")
    time.advance(60_000)
    third = await scene.post(client_msg_id="a")

    assert first == second
    assert len({first, other, third}) == 3


async def test_repeated_posts_are_several_where_nothing_is_remembered(scene: Scene) -> None:
    assert await scene.post(client_msg_id="a") != await scene.post(client_msg_id="a")


async def test_a_repeated_post_of_what_is_gone_or_elsewhere_is_refused(scene: Scene) -> None:
    scene.home.remembers = float("inf")
    ts = await scene.post(client_msg_id="a")
    elsewhere = scene.home.channel("random").id

    with pytest.raises(SlackApiError, match="duplicate_channel_not_found"):
        await scene.client.chat_postMessage(channel=elsewhere, text="a", client_msg_id="a")
    await scene.client.chat_delete(channel=scene.channel.id, ts=ts)
    with pytest.raises(SlackApiError, match="duplicate_message_not_found"):
        await scene.post(client_msg_id="a")


UNSPEAKABLE = {
    "a token": "Use xoxb-123456-secret",
    "an exception": "ValueError: no such order",
    "a traceback": "Traceback (most recent call last):",
    "a ping of Slack": "Hear, <!channel>!",
    "a ping of a group": "Hear, <!subteam^S1>!",
    "a ping as typed": "Hear, @everyone!",
}


@pytest.mark.parametrize("what", UNSPEAKABLE)
async def test_what_nobody_may_read_is_noted(scene: Scene, what: str) -> None:
    await scene.post(UNSPEAKABLE[what])

    [note] = scene.slack.checked
    assert UNSPEAKABLE[what] in note


async def test_ids_and_tokens_of_this_slack_are_known(scene: Scene) -> None:
    ann = scene.home.person("Ann")
    scene.channel.members.add(ann.id)
    await scene.post(f"Thank you, {ann.mention}, in <#{scene.channel.id}|general>.")
    assert scene.slack.checked == []

    section = {"type": "section", "text": {"type": "mrkdwn", "text": f"In {scene.channel.id}."}}
    await scene.post("Where?", blocks=[section])
    await scene.client.chat_postEphemeral(channel=scene.channel.id, user=ann.id, text=ann.id)
    assert len(scene.slack.checked) == 2
