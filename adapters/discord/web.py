"""Discord's REST API through discord.py: one client that listens to nothing, and its failures in
our words."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import TypeVar

import aiohttp
from discord import (
    AllowedMentions,
    Client,
    HTTPException,
    Intents,
    MemberCacheFlags,
    RateLimited,
)
from discord.http import Route

from adapters.discord.answers import DiscordError, refusal
from adapters.discord.wire import tracing

API_URL = "https://discord.com/api/v10"
READ_MS = 4_000

T = TypeVar("T")

_TOO_MANY = 429


def settle(api_url: str) -> None:
    """Where the API is; discord.py knows one for the whole process."""
    Route.BASE = api_url.rstrip("/")


def new_client(intents: Intents | None = None, *, silence: float = 60) -> Client:
    """It keeps no messages and no people, pings nobody, and its log is silent: it would show what
    people say, and a traceback for each lost connection. `silence`: seconds after which a
    connection that says nothing is given up."""
    logging.getLogger("discord").setLevel(logging.CRITICAL)
    return Client(
        intents=intents or Intents.none(),
        allowed_mentions=AllowedMentions.none(),
        member_cache_flags=MemberCacheFlags.none(),
        chunk_guilds_at_startup=False,
        max_messages=None,
        enable_debug_events=True,  # each frame as it came: `on_socket_raw_receive`
        heartbeat_timeout=silence,
        http_trace=tracing(),
    )


@asynccontextmanager
async def open_client(token: str, api_url: str) -> AsyncIterator[Client]:
    """A client that can send. Raise DiscordError or discord.py's LoginFailure."""
    settle(api_url)
    client = new_client()
    try:
        await asked(client.login(token))
        yield client
    finally:
        await client.close()


async def asked(request: Awaitable[T], within_ms: int = READ_MS) -> T:
    """The response to a call of the client. Raise DiscordError."""
    try:
        async with asyncio.timeout(within_ms / 1000):
            return await request
    except HTTPException as error:
        raise refusal(error.status, error.code) from error
    except RateLimited as error:
        raise DiscordError(
            "rate limited", status=_TOO_MANY, retry_after=error.retry_after
        ) from error
    except aiohttp.ClientConnectorError as error:
        raise DiscordError("no connection") from error
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise DiscordError("no answer", unknown=True) from error
