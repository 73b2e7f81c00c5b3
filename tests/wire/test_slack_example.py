"""The example conversation on Slack, with the real desk and the real loop."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.settings import Settings
from bot.tools.shop import Shop
from tests.servers.slack.world import Channel
from tests.wire.slack_house import link, said, working
from tests.wire.slack_scene import Scene, open_scene

FIRST = "Can I get a refund for order #1043?"
SECOND = "OK. What about my other order, 1042?"
THIRD = "Yes please."
ANSWERS = (
    "1043 (coffee grinder) is not eligible",
    "Shall I open a refund request for order 1042?",
    "Done: I opened ticket T-0001, a refund request for order 1042.",
)


@pytest.fixture
async def scene(sqlite_url: str) -> AsyncIterator[Scene]:
    """Ann is a customer of the shop, and Bob is none."""
    async with open_scene(sqlite_url) as opened:
        await link(sqlite_url, opened.home, opened.ann)
        yield opened


async def tickets(scene: Scene) -> list[int | None]:
    shop = Shop(Path(scene.url.removeprefix("sqlite:///")).with_name("shop.db"))
    return [ticket.order_id for ticket in await shop.tickets("demo")]


async def goes_on(scene: Scene, channel: Channel, thread: str) -> None:
    for text, answer in ((SECOND, ANSWERS[1]), (THIRD, ANSWERS[2])):
        await scene.ann.says(channel, text, thread=thread)
        await scene.answered(answer, thread, channel)


async def test_in_a_channel_a_mention_begins_a_thread_and_follow_ups_need_none(
    scene: Scene,
) -> None:
    async with working(scene.slack, scene.url):
        thread = await scene.asks(scene.ann, FIRST, ANSWERS[0])
        await goes_on(scene, scene.channel, thread)

    assert len(said(scene.home, scene.channel, thread)) == 3
    assert scene.home.shown(scene.channel) == [f"{scene.home.mention} {FIRST}"]
    assert await tickets(scene) == [1042]


@pytest.mark.slow
async def test_a_direct_message_is_one_conversation(scene: Scene) -> None:
    channel = scene.home.direct(scene.ann)

    async with working(scene.slack, scene.url):
        await scene.ann.says(channel, FIRST)
        await scene.answered(ANSWERS[0], channel=channel)
        await goes_on(scene, channel, "")

    assert len(said(scene.home, channel)) == 3
    assert all(not each.thread_ts for each in scene.home.own(channel))
    assert await tickets(scene) == [1042]


@pytest.mark.slow
async def test_a_direct_message_as_threads_keeps_them_apart(scene: Scene) -> None:
    channel = scene.home.direct(scene.ann)
    settings = Settings(database_url=scene.url, slack_dm="threads")

    async with working(scene.slack, scene.url, settings=settings):
        root = await scene.ann.says(channel, FIRST)
        await scene.answered(ANSWERS[0], root.ts, channel)
        other = await scene.ann.says(channel, THIRD)
        await scene.answered("I had not offered anything", other.ts, channel)
        await goes_on(scene, channel, root.ts)

    assert len(said(scene.home, channel, root.ts)) == 3
    assert len(said(scene.home, channel, other.ts)) == 1
    assert await tickets(scene) == [1042]


@pytest.mark.slow
async def test_a_yes_of_somebody_else_is_asked_for_somebody_else(scene: Scene) -> None:
    async with working(scene.slack, scene.url):
        thread = await scene.asks(scene.ann, FIRST, ANSWERS[0])
        await scene.ann.says(scene.channel, SECOND, thread=thread)
        await scene.answered(ANSWERS[1], thread)
        await scene.bob.says(scene.channel, f"<@bot> {THIRD}", thread=thread)
        await scene.slack.until(lambda: len(said(scene.home, scene.channel, thread)) == 3)
        await scene.slack.until(lambda: scene.slack.quiet)

    assert await tickets(scene) == []
