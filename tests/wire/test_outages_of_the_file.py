"""Another program holds the worker's real file while people write on Slack and on Discord."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing

import pytest

from adapters.discord.platform import Patience
from bot.settings import Settings
from bot.watched import PROMISE
from memory.engines import sqlite_path
from tests.servers.slack.socket import Pace
from tests.wire import discord_house
from tests.wire.discord_house import until
from tests.wire.discord_scene import open_scene as open_discord_scene
from tests.wire.slack_house import said, working
from tests.wire.slack_scene import open_scene
from tests.wire.slack_stories import Repeating

pytestmark = pytest.mark.slow

LOCKED = "Another program holds the database; try again when it is done."


@asynccontextmanager
async def held(url: str) -> AsyncIterator[None]:
    """Another program writes, and takes its time."""
    other = await asyncio.to_thread(
        sqlite3.connect, sqlite_path(url), isolation_level=None, check_same_thread=False
    )
    with closing(other):
        await asyncio.to_thread(other.execute, "BEGIN IMMEDIATE")
        yield


@pytest.fixture(autouse=True)
def _a_service_s_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "bot")


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if record.levelno >= logging.WARNING]


async def test_what_is_said_on_slack_meanwhile_is_not_acknowledged_and_answered_once(
    sqlite_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    pace = Pace(ack_seconds=3.0, retry_after=(0.0, 1.0, *[1.0] * 20))
    settings = Settings(database_url=sqlite_url, tools=())
    async with open_scene(sqlite_url, pace) as scene:
        async with working(scene.slack, sqlite_url, model=Repeating(), settings=settings) as health:
            async with held(sqlite_url):
                asked = [await scene.ann.says(scene.channel, f"<@bot> {n}") for n in range(3)]
                await until(lambda: health.database.how == "lost")
                await asyncio.sleep(4)
                hub = scene.home.hub
                assert not any(each.acked for each in hub.deliveries if each.event)
            for number, root in enumerate(asked):
                await scene.answered(str(number), root.ts)
            await until(lambda: health.is_ready)
        for number, root in enumerate(asked):
            answer = f"Let me see. I was told: [From Ann] {number}"
            assert said(scene.home, scene.channel, root.ts) == [answer]

    assert warnings(caplog) == [f"database: lost: {LOCKED} {PROMISE}"]


async def test_what_is_said_on_discord_meanwhile_is_held_and_answered_once(
    sqlite_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(database_url=sqlite_url, tools=())
    async with open_discord_scene() as scene:
        async with discord_house.working(
            scene.discord,
            sqlite_url,
            model=Repeating(),
            settings=settings,
            patience=Patience(first_pause=0.1, longest_pause=0.5, held=600),
        ) as health:
            direct = scene.bot.direct(scene.ann)
            async with held(sqlite_url):
                await scene.ann.says(direct, "1")
                await until(lambda: health.database.how == "lost")
                await asyncio.sleep(4)
                assert not scene.bot.own(direct)
            await discord_house.answered(scene.discord, direct, "1")
            await until(lambda: health.is_ready, 30)

        assert [each.content for each in scene.bot.own(direct)] == ["Let me see. I was told: 1"]

    assert warnings(caplog) == [f"database: lost: {LOCKED} {PROMISE}"]
