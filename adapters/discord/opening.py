"""Discord from its token: checked, identified, ready to listen and to speak."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from adapters.discord.checks import complaints, identify, invitation
from adapters.discord.commands import offer
from adapters.discord.events import Reader, Threads
from adapters.discord.gateway import Gateway, Pace
from adapters.discord.outlet import DiscordOutlet
from adapters.discord.platform import DiscordPlatform, Patience
from adapters.discord.web import API_URL
from adapters.discord.wire import Wire
from bot.errors import ConfigError
from bot.health import Health
from bot.lease import suspended_clock
from memory.database import wall_clock

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Discord:
    """What is set for it."""

    token: str
    api_url: str = API_URL
    threads: Threads = "auto"
    pace: Pace = field(default_factory=Pace)
    patience: Patience = field(default_factory=Patience)


@asynccontextmanager
async def open_discord(discord: Discord, health: Health) -> AsyncIterator[DiscordPlatform]:
    """Raise ConfigError with a sentence for each thing that has to be clicked."""
    found = complaints(discord.token)
    if found:
        raise ConfigError(*found)
    async with AsyncExitStack() as stack:
        client, account = await identify(stack, discord.token, discord.api_url, health)
        text = f"To add the bot to a server: {invitation(account.application)}"
        _log.info("%s", text, extra={"action": "discord.invitation"})
        await offer(client, account.application)
        reader = Reader(account.user, discord.threads)
        yield DiscordPlatform(
            outlet=DiscordOutlet(Wire(client), reader, suspended_clock()),
            gateway=Gateway(
                discord.token, health, discord.pace, reads_content=account.reads_content
            ),
            client=client,
            reader=reader,
            clock=wall_clock,
            patience=discord.patience,
        )
