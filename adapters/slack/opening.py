"""Slack from its tokens: checked, identified, ready to listen and to speak."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from adapters.slack.checks import complaints, connections, identify, try_socket
from adapters.slack.events import Dm
from adapters.slack.outlet import SlackOutlet, furnished
from adapters.slack.platform import SlackPlatform
from adapters.slack.rates import PAUSES, REAL, Governor, Tier
from adapters.slack.socket import Pace, Socket
from adapters.slack.web import open_client
from bot.errors import ConfigError
from bot.health import Health
from bot.lease import Clock


@dataclass(frozen=True, slots=True)
class Slack:
    """What is set for it: tokens paired by position, one pair for each workspace."""

    bot_tokens: Sequence[str]
    app_tokens: Sequence[str]
    api_url: str
    dm: Dm = "flat"
    allow_external: bool = False
    tiers: Mapping[str, Tier] = field(default_factory=lambda: REAL)
    pauses: Sequence[float] = PAUSES
    pace: Pace = field(default_factory=Pace)


@asynccontextmanager
async def open_slack(slack: Slack, health: Health, clock: Clock) -> AsyncIterator[SlackPlatform]:
    """Raise ConfigError with a sentence for each thing that has to be clicked."""
    found = complaints(slack.bot_tokens, slack.app_tokens)
    if found:
        raise ConfigError(*found)
    async with AsyncExitStack() as stack:
        workspaces, sockets = [], {}
        problems: list[str] = []
        names = connections(slack.app_tokens)
        pairs = zip(slack.bot_tokens, slack.app_tokens, strict=True)
        for number, (bot_token, app_token) in enumerate(pairs, start=1):
            client = await stack.enter_async_context(open_client(bot_token, slack.api_url))
            try:
                us = await identify(
                    client,
                    number,
                    health,
                    first_pause=slack.pace.first_pause,
                    connection=names[app_token],
                )
                await try_socket(client, app_token, number)
            except ConfigError as error:
                problems += error.problems
                continue
            governor = Governor(clock, slack.tiers, slack.pauses)
            workspaces.append(furnished(us, client, clock, dm=slack.dm, governor=governor))
            # One app in several workspaces has one socket.
            sockets[app_token] = Socket(client, app_token, number, health, slack.pace)
        if problems:
            raise ConfigError(*problems)
        outlet = SlackOutlet(workspaces)
        yield SlackPlatform(
            outlet, list(sockets.values()), workspaces, knows_guests=slack.allow_external
        )
