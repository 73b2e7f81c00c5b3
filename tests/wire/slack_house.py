"""The whole worker on Slack on the loopback: real Bolt, real sockets, a real SQLite file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from adapters.slack.opening import Slack as SlackSettings
from adapters.slack.opening import open_slack
from adapters.slack.rates import Tier
from adapters.slack.socket import Pace
from bot.cli.serve import serve
from bot.health import Health
from bot.lease import suspended_clock
from bot.main import Replaced
from bot.model import Model
from bot.platform import Platform
from bot.settings import Settings, Timing
from memory import people
from memory.engines import open_database
from memory.keys import PersonKey
from tests.servers.slack.people import Person, Workspace
from tests.servers.slack.server import Slack
from tests.servers.slack.world import Channel
from tests.wire.through import as_it_is

QUICK = Pace(ping=0.5, look=0.01, connect=1, grace=0.3, first_pause=0.01, longest_pause=0.05)
TIMING = Timing(sweep=20, apart=100)


@asynccontextmanager
async def working(
    slack: Slack,
    url: str,
    *,
    model: Model | None = None,
    settings: Settings | None = None,
    seen_as: Callable[[Platform], Platform] = as_it_is,
    tiers: Mapping[str, Tier] | None = None,
    timing: Timing = TIMING,
    health: Health | None = None,
) -> AsyncIterator[Health]:
    """A worker on all workspaces, until the block ends."""
    settings = settings or Settings(database_url=url)
    given = SlackSettings(
        [home.bot_token for home in slack.workspaces],
        [home.app_token for home in slack.workspaces],
        slack.api_url,
        dm=settings.slack_dm,
        allow_external=settings.allow_external,
        tiers=tiers or {},  # the limits of a real workspace take seconds
        pauses=(0.02, 0.05, 0.1),
        pace=QUICK,
    )
    health, stop = health or Health(), asyncio.Event()
    async with open_slack(given, health, suspended_clock()) as platform:
        replaced = Replaced(model=model, timing=timing)
        async with asyncio.TaskGroup() as group:
            group.create_task(serve(settings, [seen_as(platform)], stop, replaced, health))
            try:
                await slack.connected()
                yield health
            finally:
                stop.set()


async def link(url: str, home: Workspace, person: Person, customer: str = "demo") -> None:
    """Make a person a customer of the demo shop."""
    database = await open_database(url)
    key = PersonKey("slack", home.team, person.id)
    await database.write(lambda tx: people.link(tx, key, customer))
    await database.close()


async def answered(
    slack: Slack, home: Workspace, channel: Channel, thread: str = "", *, text: str = ""
) -> None:
    """Until we have said this there and all is quiet."""
    await slack.until(
        lambda: any(text in each for each in said(home, channel, thread)) and slack.quiet
    )


def said(home: Workspace, channel: Channel, thread: str = "") -> list[str]:
    """What we said there, as it stands."""
    return [each.text for each in home.own(channel, thread)]
