"""The support example on Discord, wherever people talk there."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.settings import Settings
from tests.servers.discord.world import Channel
from tests.wire.discord_house import answered, link, working
from tests.wire.discord_scene import Scene, open_scene

QUESTIONS = (
    "Can I get a refund for order #1043?",
    "OK. What about my other order, 1042?",
    "Yes please.",
    "what did I ask first?",
)
ANSWERS = ("20 days ago", "1042", "T-0001", "refund for order #1043?")


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with open_scene() as scene:
        yield scene


async def test_in_direct_messages(scene: Scene, sqlite_url: str) -> None:
    direct = scene.bot.direct(scene.ann)
    async with working(scene.discord, sqlite_url):
        await link(sqlite_url, scene.ann)
        await talk(scene, direct, 0)


@pytest.mark.slow
async def test_by_mention_and_what_follows_in_the_thread(scene: Scene, sqlite_url: str) -> None:
    async with working(scene.discord, sqlite_url):
        await link(sqlite_url, scene.ann)
        asked = await scene.ann.says(scene.channel, f"<@nimbus> {QUESTIONS[0]}")
        await scene.discord.until(lambda: asked.thread)
        assert asked.thread is not None
        await answered(scene.discord, asked.thread, ANSWERS[0])
        await talk(scene, asked.thread, 1)

    assert scene.bot.own(scene.channel) == []


@pytest.mark.slow
async def test_in_a_forum(scene: Scene, sqlite_url: str) -> None:
    forum = scene.home.channel("help", "forum")
    async with working(scene.discord, sqlite_url):
        await link(sqlite_url, scene.ann)
        post = await scene.ann.posts(forum, "Refund", f"<@nimbus> {QUESTIONS[0]}")
        await answered(scene.discord, post.channel, ANSWERS[0])
        await talk(scene, post.channel, 1)


@pytest.mark.slow
async def test_as_replies_where_no_threads_are_wanted(scene: Scene, sqlite_url: str) -> None:
    settings = Settings(database_url=sqlite_url, discord_threads="never")
    async with working(scene.discord, sqlite_url, settings=settings):
        await link(sqlite_url, scene.ann)
        to, words = None, "<@nimbus> "
        for question, answer in zip(QUESTIONS, ANSWERS, strict=True):
            said = await scene.ann.says(scene.channel, f"{words}{question}", to=to, pings=False)
            await answered(scene.discord, scene.channel, answer)
            to, words = scene.bot.own(scene.channel)[-1], ""
            assert to.replies_to == said.id

    assert scene.home.guild.channels.keys() == {scene.channel.id}


async def talk(scene: Scene, channel: Channel, first: int) -> None:
    """Ask from this question on, each after the answer to the one before."""
    for question, answer in list(zip(QUESTIONS, ANSWERS, strict=True))[first:]:
        await scene.ann.says(channel, question)
        await answered(scene.discord, channel, answer)
