"""A bot made with discord.py itself, to try the server on the loopback with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from tests.servers.discord.homes import Bot
from tests.servers.discord.server import Discord
from tests.servers.pulse import Pulse

READABLE = discord.Intents(guilds=True, guild_messages=True, dm_messages=True, message_content=True)


class Client(discord.Client):
    """Keeps what it heard; does not wait between sessions, nor for servers that do not come."""

    def __init__(self, intents: discord.Intents = READABLE, **options: Any) -> None:
        mentions = discord.AllowedMentions.none()
        options = {"guild_ready_timeout": 0.05, "allowed_mentions": mentions, **options}
        super().__init__(intents=intents, **options)
        self.heard: list[tuple[str, Any]] = []
        self.pulse = Pulse()  # of the server, once it is known

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        self.heard.append((event, args[0] if args else None))
        super().dispatch(event, *args, **kwargs)
        self.pulse.beat()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """No five seconds."""

    def events(self, *names: str) -> list[Any]:
        return [what for event, what in self.heard if event in names]

    @property
    def texts(self) -> list[str]:
        """Of all messages that came, in order."""
        return [each.content for each in self.events("message")]


@asynccontextmanager
async def client_of(
    server: Discord, bot: Bot, client: Client | None = None
) -> AsyncIterator[Client]:
    """Logged in, without a gateway."""
    Route.BASE = server.api_url
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(server.realm.gateway_url)
    client = client or Client()
    client.pulse = server.pulse
    async with client:
        await client.login(bot.token)
        yield client


@asynccontextmanager
async def listening(
    server: Discord, bot: Bot, client: Client | None = None
) -> AsyncIterator[Client]:
    """And connected, until the block ends."""
    async with client_of(server, bot, client) as made, asyncio.TaskGroup() as tasks:
        sessions = len(bot.hub.ready)
        connecting = tasks.create_task(made.connect())
        await server.until(lambda: len(bot.hub.ready) > sessions)
        await made.wait_until_ready()
        yield made
        await made.close()
        await connecting
