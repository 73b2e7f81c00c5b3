"""Whatever Slack says again, and in whatever order: one answer each, and memory as if once."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import permutations

import pytest

from bot.model import ModelRequest, ModelResponse
from bot.settings import Settings
from tests.servers.slack.server import Slack
from tests.servers.slack.socket import Delivery
from tests.wire.slack_house import said, working
from tests.wire.slack_scene import Scene, open_scene
from tests.wire.slack_stories import TIMING, Outcome, Repeating, is_at_rest, outcome

pytestmark = pytest.mark.slow

Way = Callable[[Slack, Sequence[Delivery]], Awaitable[None]]


async def once(_slack: Slack, _told: Sequence[Delivery]) -> None:
    """As it should be."""


async def five_times_in_a_row(slack: Slack, told: Sequence[Delivery]) -> None:
    for _ in range(5):
        await slack.again(*told)
        await slack.until(lambda: slack.quiet)


async def five_times_at_once(slack: Slack, told: Sequence[Delivery]) -> None:
    await slack.again(*[*told] * 5)
    await slack.until(lambda: slack.quiet)


WAYS: Mapping[str, tuple[Way, Way]] = {  # while it happens, and after a restart
    "five times in a row": (five_times_in_a_row, once),
    "five times at once": (five_times_at_once, once),
    "after a restart": (once, five_times_in_a_row),
    "at once after a restart": (once, five_times_at_once),
}


@dataclass
class Stage:
    """Tells of everything again, in its way, as soon as it happened."""

    scene: Scene
    way: Way
    told: int = 0

    async def again(self) -> None:
        await self.scene.slack.until(lambda: self.scene.slack.quiet)
        deliveries = self.scene.slack.deliveries
        fresh, self.told = deliveries[self.told :], len(deliveries)
        await self.way(self.scene.slack, fresh)
        await at_rest(self.scene.url)


@dataclass
class Attentive(Repeating):
    requests: list[ModelRequest] = field(default_factory=list)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        self.requests.append(request)
        async for piece in super().stream(request):
            yield piece


@pytest.mark.parametrize("mention_first", [True, False])
@pytest.mark.parametrize("way", WAYS)
async def test_what_slack_says_again_is_as_if_it_was_said_once(
    way: str, sqlite_url: str, *, mention_first: bool
) -> None:
    twice = sqlite_url.replace("nimbus.db", "twice.db")
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as empty:
        empty.execute("VACUUM INTO ?", (twice.removeprefix("sqlite:///"),))

    expected = await played((once, once), sqlite_url, mention_first=mention_first)
    found = await played(WAYS[way], twice, mention_first=mention_first)

    assert found == expected


async def played(
    ways: tuple[Way, Way], url: str, *, mention_first: bool
) -> tuple[Outcome, list[list[str]]]:
    """What came of a long story in the end, and all that the model was told in its course."""
    model, settings = Attentive(), Settings(database_url=url, tools=())
    async with open_scene(url) as scene:
        scene.home.mention_first = mention_first
        async with working(scene.slack, url, model=model, settings=settings, timing=TIMING):
            thread = await much_happens(Stage(scene, ways[0]))
        async with working(scene.slack, url, model=model, settings=settings, timing=TIMING):
            await ways[1](scene.slack, scene.slack.deliveries)
            await at_rest(url)
            await scene.ann.says(scene.channel, "<@bot> what was it?", thread=thread)
            await scene.answered("what was it?", thread)
            await at_rest(url)
        told = [[message.text for message in request.messages] for request in model.requests]
        return outcome(scene), [[text.partition("]")[2] for text in each] for each in told]


async def much_happens(stage: Stage) -> str:
    """In a thread, whose id it returns, beside it, and in a direct message."""
    scene, ann, channel = stage.scene, stage.scene.ann, stage.scene.channel
    root = await ann.says(channel, "<@bot> my word is apple")
    await scene.answered("apple", root.ts)
    await stage.again()
    second = await ann.says(channel, "and pear", thread=root.ts)
    await scene.answered("pear", root.ts)
    await stage.again()
    await ann.edits(root, "<@bot> my word is plum")
    await stage.again()
    await scene.bob.says(channel, "<@Ann> lunch?", thread=root.ts)
    await stage.again()
    await ann.deletes(second)
    await stage.again()
    late = await ann.says(channel, "anybody?")
    await stage.again()
    await ann.edits(late, "<@bot> anybody?")
    await scene.answered("anybody", late.ts)
    await stage.again()
    direct = scene.home.direct(ann)
    await ann.says(direct, "hello")
    await scene.answered("hello", channel=direct)
    await stage.again()
    return root.ts


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("changes", ["edit", "delete", "edit and delete"])
async def test_a_message_and_its_changes_may_come_in_any_order(
    changes: str, sqlite_url: str, *, at_once: bool
) -> None:
    """Message and mention, the edit, the delete: each order of them, with one message for each."""
    settings = Settings(database_url=sqlite_url, tools=())
    number = 2 + len(changes.split(" and "))
    async with (
        open_scene(sqlite_url) as scene,
        working(scene.slack, sqlite_url, model=Repeating(), settings=settings, timing=TIMING),
    ):
        for order in permutations(range(number)):
            scene.slack.hold()
            root = await scene.ann.says(scene.channel, "<@bot> ringo")
            if "edit" in changes:
                await scene.ann.edits(root, "<@bot> apple")
            if "delete" in changes:
                await scene.ann.deletes(root)
            await tell(scene.slack, order, at_once=at_once)
            await at_rest(sqlite_url)

            kept, answers = (
                remembered(sqlite_url, root.ts),
                said(scene.home, scene.channel, root.ts),
            )
            if "delete" in changes:
                assert kept == [], order
                assert len(answers) <= 1, order
            else:
                assert len([text for text in kept if "apple" in text]) >= 1, (order, kept)
                assert len(kept) == 2, (order, kept)
                assert len(answers) == 1, order


async def tell(slack: Slack, order: Sequence[int], *, at_once: bool) -> None:
    """Of what was held back."""
    [home] = slack.workspaces
    held = list(home.hub.held or [])
    assert len(held) == len(order)
    home.hub.held = None
    for place in order:
        home.hub.send(held[place])
        if not at_once:
            await slack.until(partial(is_settled, held[place]))
    await slack.until(lambda: slack.quiet)


def is_settled(delivery: Delivery) -> bool:
    return delivery.settled


async def at_rest(url: str) -> None:
    while not is_at_rest(url):  # noqa: ASYNC110 - a row tells nobody
        await asyncio.sleep(0.01)


def remembered(url: str, thread: str) -> list[str]:
    """Question and answer, as they are kept."""
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database:
        rows = database.execute(
            """
            SELECT m.content FROM messages m JOIN conversations c ON c.id = m.conversation
            WHERE c.thread = ? ORDER BY m.position
            """,
            (thread,),
        )
        return [content for (content,) in rows]
