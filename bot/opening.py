"""The chat platforms that the settings name; the adapter of another is never imported."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from bot.awaited import Opening, opened
from bot.health import Health
from bot.lease import suspended_clock
from bot.platform import Platform
from bot.settings import Settings


def names_platforms(settings: Settings) -> bool:
    """Whether there is a platform to listen on; half of one is told what it lacks."""
    return _names_slack(settings) or settings.discord_token is not None


@asynccontextmanager
async def open_platforms(
    settings: Settings, health: Health, *, wait_ms: int
) -> AsyncIterator[Sequence[Platform]]:
    """The platforms whose tokens are set; who is away is waited for so long, and then beside the
    others. Raise ConfigError when one refuses them by then."""
    openings = []
    # In a thread: importing an SDK takes a second.
    if _names_slack(settings):
        openings.append(await asyncio.to_thread(_open_slack, settings, health))
    if settings.discord_token is not None:
        openings.append(await asyncio.to_thread(_open_discord, settings, health))
    async with opened(openings, health, wait_ms=wait_ms) as platforms:
        yield platforms


def _names_slack(settings: Settings) -> bool:
    return bool(settings.slack_bot_token or settings.slack_app_token)


def _open_slack(settings: Settings, health: Health) -> Opening:
    from adapters.slack.checks import connections
    from adapters.slack.events import PLATFORM
    from adapters.slack.opening import Slack, open_slack

    slack = Slack(
        bot_tokens=[token.get_secret_value() for token in settings.slack_bot_token],
        app_tokens=[token.get_secret_value() for token in settings.slack_app_token],
        api_url=settings.slack_api_url,
        dm=settings.slack_dm,
        allow_external=settings.allow_external,
    )
    names = connections(slack.app_tokens).values()
    return Opening(PLATFORM, tuple(names), open_slack(slack, health, suspended_clock()))


def _open_discord(settings: Settings, health: Health) -> Opening:
    from adapters.discord.checks import NAME
    from adapters.discord.events import PLATFORM
    from adapters.discord.opening import Discord, open_discord

    token = settings.discord_token
    discord = Discord(
        token="" if token is None else token.get_secret_value().strip(),
        api_url=settings.discord_api_url,
        threads=settings.discord_threads,
    )
    return Opening(PLATFORM, (NAME,), open_discord(discord, health))
