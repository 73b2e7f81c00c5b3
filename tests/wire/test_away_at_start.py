"""Slack or Discord is away when the worker starts: the other answers, and health says why."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from bot.cli.serve import serve
from bot.errors import ConfigError
from bot.health import Health, State
from bot.main import Replaced
from bot.opening import open_platforms
from bot.settings import Settings
from tests.fakes import ScriptedModel, says
from tests.wire.discord_house import TIMING, answered, until
from tests.wire.discord_scene import Scene as DiscordScene
from tests.wire.discord_scene import open_scene as open_discord
from tests.wire.slack_scene import Scene as SlackScene
from tests.wire.slack_scene import open_scene as open_slack

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Both:
    slack: SlackScene
    discord: DiscordScene

    def settings(self) -> Settings:
        given = {**self.slack.slack.environment(), **self.discord.discord.environment()}
        named = {name.lower(): value for name, value in given.items()}
        return Settings.model_validate({**named, "database_url": self.slack.url, "tools": ()})

    async def slack_answers(self) -> None:
        await self.slack.asks(self.slack.ann, "Hello", "Hello.")

    async def discord_answers(self) -> None:
        asked = await self.discord.ann.says(self.discord.channel, "<@nimbus> Hello")
        await self.discord.discord.until(lambda: asked.thread)
        assert asked.thread is not None
        await answered(self.discord.discord, asked.thread, "Hello.")

    @asynccontextmanager
    async def working(self, *, wait_ms: int = 1_500) -> AsyncIterator[Health]:
        """A worker on both, until the block ends."""
        health, stop, settings = Health(), asyncio.Event(), self.settings()
        model = ScriptedModel(says("Hello."), says("Hello."))
        replaced = Replaced(model=model, timing=TIMING)
        async with open_platforms(settings, health, wait_ms=wait_ms) as platforms:
            serving = asyncio.create_task(serve(settings, platforms, stop, replaced, health))
            try:
                yield health
            finally:
                stop.set()
                await serving


@pytest.fixture
async def both(sqlite_url: str) -> AsyncIterator[Both]:
    async with open_slack(sqlite_url) as slack, open_discord() as discord:
        yield Both(slack, discord)


async def test_discord_answers_while_slack_is_away(both: Both) -> None:
    both.slack.slack.cut_network()
    async with both.working() as health:
        await both.discord.discord.connected()
        await both.discord_answers()
        assert health.states["Slack 1"] == State("lost", "no answer")
        assert not health.is_ready

        both.slack.slack.mend_network()
        await both.slack.slack.connected()
        await both.slack_answers()
        await until(lambda: health.is_ready)


async def test_slack_answers_while_discord_is_away(both: Both) -> None:
    both.discord.discord.cut_network()
    async with both.working() as health:
        await both.slack.slack.connected()
        await both.slack_answers()
        assert health.states["Discord"].how == "lost"
        assert not health.is_ready

        both.discord.discord.mend_network()
        await both.discord.discord.connected()
        await both.discord_answers()
        await until(lambda: health.is_ready)


async def test_who_refuses_us_when_it_is_back_is_dead_and_the_other_goes_on(both: Both) -> None:
    both.slack.slack.cut_network()
    async with both.working() as health:
        await both.discord.discord.connected()
        both.slack.home.token_error = "token_revoked"
        both.slack.slack.mend_network()
        await until(lambda: health.states["Slack 1"].how == "dead")

        assert "SLACK_BOT_TOKEN is no longer valid" in health.states["Slack 1"].why
        assert health.states["Discord"] == State("connected")
        await both.discord_answers()


async def test_who_refuses_us_at_once_keeps_all_from_starting(both: Both) -> None:
    both.slack.home.token_error = "token_revoked"
    both.discord.discord.cut_network()

    with pytest.raises(ConfigError, match="SLACK_BOT_TOKEN is no longer valid"):
        async with both.working():
            pass
