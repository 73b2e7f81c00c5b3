"""What we find of our own in Slack, and what we take away."""

import pytest

from adapters.chat.sending import Pace, Part
from adapters.slack.posts import Posts, mark
from adapters.slack.rates import Governor
from adapters.slack.web import SlackError
from bot.platform import OwnMessage
from tests.fakes import FakeClock
from tests.servers.slack.people import Person, Workspace
from tests.servers.slack.world import Channel
from tests.slack_in_process import ClientInProcess, Line, installation, workspace

PACE = Pace(lambda: None, 4_000)
NOON = 1_796_040_000_000


class Scene:
    """A thread of Ann's, and a direct message with her."""

    def __init__(self) -> None:
        self.clock = FakeClock(NOON)
        self.home: Workspace = workspace(self.clock)
        self.line = Line(self.home)
        governor = Governor(lambda: 0, {})
        self.posts = Posts(ClientInProcess(self.line), installation(self.home), governor)
        self.ann: Person = self.home.person("Ann")
        self.channel: Channel = self.home.channel("general", self.ann)
        self.direct: Channel = self.home.direct(self.ann)
        self.flat = {"channel": self.direct.id, "thread": ""}

    async def thread(self) -> dict[str, str]:
        asked = await self.ann.says(self.channel, "<@bot> May I?")
        return {"channel": self.channel.id, "thread": asked.ts}

    async def post(self, address: dict[str, str], turn: str, number: int = 1) -> str:
        self.clock.advance(1_000)
        ts = await self.posts.post(address, Part(turn, number, f"{turn} {number}"), PACE)
        assert ts
        return ts


@pytest.fixture
def scene() -> Scene:
    return Scene()


async def test_our_messages_in_a_thread_are_found_in_order(scene: Scene) -> None:
    thread = await scene.thread()
    posted = [await scene.post(thread, "t1", 1), await scene.post(thread, "t1", 2)]
    await scene.ann.says(scene.channel, "Thanks.", thread=thread["thread"])
    posted.append(await scene.post(thread, "t2"))

    found = await scene.posts.own_messages(thread, 0)

    assert found == [
        OwnMessage(ts, turn) for ts, turn in zip(posted, ["t1", "t1", "t2"], strict=True)
    ]


async def test_our_messages_in_a_direct_message_are_found_in_order(scene: Scene) -> None:
    posted = [await scene.post(scene.flat, turn) for turn in ("t1", "t2", "t3")]

    found = await scene.posts.own_messages(scene.flat, 0)

    assert [message.remote_id for message in found] == posted


async def test_a_message_keeps_its_mark_when_it_is_edited(scene: Scene) -> None:
    thread = await scene.thread()
    ts = await scene.post(thread, "t1")
    await scene.posts.update(thread, ts, Part("t1", 1, "Other."), PACE)

    assert await scene.posts.own_messages(thread, 0) == [OwnMessage(ts, "t1")]


async def test_what_is_older_is_not_told(scene: Scene) -> None:
    thread = await scene.thread()
    await scene.post(thread, "t1")
    scene.clock.advance(60_000)
    newer = await scene.post(thread, "t2")

    found = await scene.posts.own_messages(thread, NOON + 30_000)

    assert [message.remote_id for message in found] == [newer]


async def test_our_message_under_which_a_thread_began_is_not_newer_for_that(scene: Scene) -> None:
    root = await scene.post(scene.flat, "t1")
    under = {"channel": scene.direct.id, "thread": root}
    await scene.ann.says(scene.direct, "And now?", thread=root)
    answer = await scene.post(under, "t2")

    found = await scene.posts.own_messages(under, NOON + 2_000)

    assert [message.remote_id for message in found] == [answer]


async def test_another_bot_with_our_mark_is_not_us(scene: Scene) -> None:
    thread = await scene.thread()
    bot = scene.home.person("Other", kind="bot")
    said = await bot.says(scene.channel, "Hello.", thread=thread["thread"])
    said.metadata = mark(Part("t1", 1, "Hello."))

    assert await scene.posts.own_messages(thread, 0) == []


async def test_our_messages_without_a_mark_are_not_an_answer(scene: Scene) -> None:
    thread = await scene.thread()
    ts = await scene.post(thread, "t1")
    message = scene.channel.find(ts)
    assert message is not None
    for metadata in (None, {"event_type": "other", "event_payload": {"turn": "t1"}}):
        message.metadata = metadata

        assert await scene.posts.own_messages(thread, 0) == []


async def test_a_long_thread_is_read_page_by_page(scene: Scene) -> None:
    thread = await scene.thread()
    for number in range(450):
        await scene.ann.says(scene.channel, f"{number}", thread=thread["thread"])
    ts = await scene.post(thread, "t1")

    assert await scene.posts.own_messages(thread, 0) == [OwnMessage(ts, "t1")]
    assert scene.line.methods.count("replies") == 3


async def test_reading_back_has_an_end(scene: Scene) -> None:
    message = await scene.ann.says(scene.direct, "Hello?")
    scene.direct.messages += [message] * 5_000

    await scene.posts.own_messages(scene.flat, 0)

    assert scene.line.methods.count("history") == 10


async def test_what_is_removed_is_gone_and_may_have_been_before(scene: Scene) -> None:
    thread = await scene.thread()
    ts = await scene.post(thread, "t1")
    for _ in range(2):
        await scene.posts.remove(thread, ts, PACE)

    assert scene.home.own(scene.channel) == []


async def test_what_is_not_ours_is_not_removed(scene: Scene) -> None:
    thread = await scene.thread()

    with pytest.raises(SlackError, match="cant_delete_message"):
        await scene.posts.remove(thread, thread["thread"], PACE)


async def test_a_send_takes_only_so_long(scene: Scene) -> None:
    thread = await scene.thread()
    scene.line.travel = lambda: 3_600

    with pytest.raises(SlackError) as late:
        await scene.posts.post(thread, Part("t1", 1, "No."), Pace(lambda: None, 10))

    assert late.value.unknown
