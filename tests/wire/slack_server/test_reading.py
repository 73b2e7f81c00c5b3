"""What the app reads on the loopback, page by page, and what it leaves there."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes import FakeClock
from tests.servers.slack.people import Person, Workspace
from tests.servers.slack.world import Channel, Json, Message

pytestmark = pytest.mark.slow

MARK = {"event_type": "nimbus", "event_payload": {"turn": "1"}}


@dataclass
class Scene:
    """Five messages in a thread: Ann's root, three replies, and one of the app."""

    home: Workspace
    client: AsyncWebClient
    ann: Person
    channel: Channel
    root: Message
    own: Message

    async def call(self, method: str, **arguments: object) -> Json:
        """About the channel."""
        sent = {"channel": self.channel.id, "channel_id": self.channel.id, **arguments}
        answer = await self.client.api_call(method, json=sent)
        assert isinstance(answer.data, dict)
        return answer.data

    async def read(self, method: str, **arguments: object) -> list[Json]:
        messages: list[Json] = (await self.call(method, **arguments))["messages"]
        return messages

    async def set_status(self, text: str) -> None:
        await self.call("assistant.threads.setStatus", thread_ts=self.root.ts, status=text)


@pytest.fixture
async def scene(home: Workspace, ann: Person, channel: Channel, client: AsyncWebClient) -> Scene:
    root = await ann.says(channel, "root")
    for text in "123":
        await ann.says(channel, text, thread=root.ts)
    answer = {"markdown_text": "**4**", "thread_ts": root.ts, "metadata": MARK}
    await client.api_call("chat.postMessage", json={"channel": channel.id, **answer})
    [own] = home.own(channel)
    return Scene(home, client, ann, channel, root, own)


def texts(messages: list[Json]) -> list[str]:
    return [each["text"] for each in messages]


async def test_a_thread_is_read_page_by_page_with_its_root_on_each(scene: Scene) -> None:
    thread = await scene.client.conversations_replies(
        channel=scene.channel.id, ts=scene.root.ts, limit=3
    )
    pages = [texts(page["messages"]) async for page in thread]

    assert pages == [["root", "1", "2", "3"], ["root", "**4**"]]


async def test_a_thread_is_read_from_a_time_on(scene: Scene) -> None:
    [_, first, *_] = scene.channel.messages
    since = {"ts": scene.root.ts, "oldest": first.ts}
    after = await scene.read("conversations.replies", **since)
    from_then = await scene.read("conversations.replies", **since, inclusive=True)

    assert texts(after) == ["root", "2", "3", "**4**"]
    assert texts(from_then) == ["root", "1", "2", "3", "**4**"]


async def test_the_history_is_newest_first_without_threads(scene: Scene) -> None:
    later = await scene.ann.says(scene.channel, "later")
    await scene.ann.says(scene.channel, "shown", thread=scene.root.ts, broadcast=True)
    history = await scene.read("conversations.history")
    older = await scene.read("conversations.history", latest=later.ts)

    assert texts(history) == ["shown", "later", "root"]
    assert history[2]["reply_count"] == 5
    assert texts(older) == ["root"]


async def test_metadata_is_told_only_when_asked_for(scene: Scene) -> None:
    plain = await scene.read("conversations.replies", ts=scene.root.ts)
    whole = await scene.read("conversations.replies", ts=scene.root.ts, include_all_metadata=True)

    assert "metadata" not in plain[-1]
    assert whole[-1]["metadata"] == MARK
    assert whole[-1]["bot_id"] == scene.home.bot.bot_id


async def test_a_reply_alone_is_what_its_own_time_gives(scene: Scene) -> None:
    assert texts(await scene.read("conversations.replies", ts=scene.own.ts)) == ["**4**"]


async def test_a_channel_tells_what_it_is(scene: Scene) -> None:
    direct = scene.home.direct(scene.ann)
    public = await scene.client.conversations_info(
        channel=scene.channel.id, include_num_members=True
    )
    private = await scene.client.conversations_info(channel=direct.id)

    assert (public["channel"]["is_channel"], public["channel"]["num_members"]) == (True, 2)
    assert (private["channel"]["is_im"], private["channel"]["user"]) == (True, scene.ann.id)
    members = await scene.client.conversations_members(channel=scene.channel.id)
    assert set(members["members"]) == {scene.ann.id, scene.home.bot.id}


async def test_a_long_text_is_cut_and_that_is_told(scene: Scene) -> None:
    answer = await scene.client.chat_postMessage(channel=scene.channel.id, text="x" * 40_001)

    assert answer["warning"] == "message_truncated"
    assert len(scene.channel.messages[-1].text) == 40_000


async def test_an_update_replaces_text_and_blocks_and_keeps_the_mark(scene: Scene) -> None:
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "5"}}
    await scene.call("chat.update", ts=scene.own.ts, text="5", blocks=[section])
    await scene.call("chat.update", ts=scene.own.ts, text="6")

    assert (scene.own.text, scene.own.blocks, scene.own.metadata) == ("6", [], MARK)
    assert scene.own.edits == 2


async def test_a_status_goes_with_an_answer_in_its_thread(scene: Scene) -> None:
    await scene.set_status("thinks")
    assert scene.home.statuses() == [(scene.channel.id, scene.root.ts, "thinks")]

    await scene.call("chat.postMessage", text="elsewhere")
    assert scene.home.statuses()
    await scene.call("chat.postMessage", text="here", thread_ts=scene.root.ts)
    assert not scene.home.statuses()


async def test_a_status_goes_when_told_to_and_by_itself(scene: Scene, time: FakeClock) -> None:
    await scene.set_status("thinks")
    time.advance(119_999)
    assert scene.home.statuses()
    time.advance(1)
    assert not scene.home.statuses()

    await scene.set_status("thinks")
    await scene.set_status("")
    assert not scene.home.statuses()


async def test_a_reaction_is_added_once_and_removed(scene: Scene) -> None:
    eyes = {"timestamp": scene.root.ts, "name": "eyes"}
    await scene.call("reactions.add", **eyes)
    with pytest.raises(SlackApiError, match="already_reacted"):
        await scene.call("reactions.add", **eyes)
    [seen] = await scene.read("conversations.history")
    await scene.call("reactions.remove", **eyes)

    assert seen["reactions"][0]["name"] == "eyes"
    assert not scene.root.reactions


async def test_a_message_has_a_link_and_the_bot_a_face(scene: Scene) -> None:
    link = await scene.client.chat_getPermalink(channel=scene.channel.id, message_ts=scene.root.ts)
    face = await scene.client.bots_info(bot=scene.home.bot.bot_id)

    assert link["permalink"].endswith(f"/p{scene.root.ts.replace('.', '')}")
    assert face["bot"]["app_id"] == scene.home.hub.app_id


async def test_two_channels_have_messages_of_the_same_time(scene: Scene) -> None:
    """A time is an id in its channel only."""
    one = await scene.ann.says(scene.home.channel("a"), "Hello?")
    other = await scene.ann.says(scene.home.channel("b"), "Hello?")

    assert one.ts == other.ts
