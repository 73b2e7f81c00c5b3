"""What must be right before anything starts, and what to click when it is not."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack
from dataclasses import dataclass

from discord import ApplicationFlags, Client, LoginFailure

from adapters.discord.answers import DiscordError
from adapters.discord.web import open_client
from bot.errors import ConfigError
from bot.health import Health

_log = logging.getLogger(__name__)
_APP = "https://discord.com/developers/applications, your app"
_TOKEN = f"Make a new one at {_APP}, Bot, Reset Token, and copy it from there."
_ADDRESS = "It ends with /api/v10; without the setting it is Discord's own."
_LONGEST_PAUSE = 30
_PARTS = 3  # of a token, with dots between them

NAME = "Discord"
"""What its connection is called."""

PERMISSIONS = (
    1 << 10  # View Channels
    | 1 << 11  # Send Messages
    | 1 << 16  # Read Message History: replies, and what was said before we were called
    | 1 << 35  # Create Public Threads
    | 1 << 38  # Send Messages in Threads
)
"""The least that answering takes."""

TOKEN_REFUSED = f"Discord does not know DISCORD_TOKEN, or no longer. {_TOKEN}"
INTENT_OFF = (
    "Discord does not show what is not said to the bot: in threads it cannot hear what follows "
    "without a mention. It works with mentions, replies to it, direct messages and commands. For "
    f"more, switch on Message Content Intent at {_APP}, Bot, Privileged Gateway Intents; then "
    "restart."
)
_ELSEWHERE = (
    "The app has an Interactions Endpoint URL, so /nimbus and buttons do not reach this program. "
    f"Empty that field at {_APP}, General Information; then restart."
)
_CLOSED = {
    4004: TOKEN_REFUSED,
    4010: "Discord refuses the connection: wrong shard.",
    4011: "The bot is in more servers than one connection may serve (2,500).",
    4012: "Discord no longer speaks this version of its gateway. Update discord.py.",
    4013: "Discord refuses the connection: it does not know the intents. Update discord.py.",
}


@dataclass(frozen=True, slots=True)
class Account:
    """Who we are. `application` is what commands belong to."""

    user: str
    application: str
    reads_content: bool


def invitation(application: str) -> str:
    """The address at which a server's owner adds the bot."""
    return (
        f"https://discord.com/oauth2/authorize?client_id={application}"
        f"&scope=bot+applications.commands&permissions={PERMISSIONS}"
    )


def complaints(token: str) -> list[str]:
    """What can be told from the token alone; it is never repeated."""
    if len(token.split(".")) == _PARTS and token.isascii() and " " not in token:
        return []
    return [f"DISCORD_TOKEN does not hold a bot's token. {_TOKEN}"]


def why_closed(code: int) -> str:
    """A connection closed for good, in words; empty when it is worth another try."""
    return _CLOSED.get(code, "")


async def identify(
    stack: AsyncExitStack, token: str, api_url: str, health: Health, *, first_pause: float = 1
) -> tuple[Client, Account]:
    """A client that can send, for as long as the stack, and whose account it is. Raise
    ConfigError; while Discord cannot be reached it is asked again, and health is told so."""
    pause = first_pause
    while True:
        try:
            client = await stack.enter_async_context(open_client(token, api_url))
            return client, _account(client)
        except LoginFailure as error:
            raise ConfigError(TOKEN_REFUSED) from error
        except DiscordError as error:
            if error.permanent:
                raise ConfigError(_refused(error)) from error
            health.note(NAME, "lost", str(error))
            _log.warning("Discord is away: %s", error, extra={"action": "discord.away"})
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def _refused(error: DiscordError) -> str:
    """Discord's refusals have a number; a page that is not there has none."""
    if not error.code:
        return f"What answers at DISCORD_API_URL is not Discord's API ({error}). {_ADDRESS}"
    return f"Discord refuses DISCORD_TOKEN ({error}). {_TOKEN}"


def _account(client: Client) -> Account:
    flags: ApplicationFlags = client.application_flags
    reads_content = flags.gateway_message_content or flags.gateway_message_content_limited
    if not reads_content:
        _log.warning("%s", INTENT_OFF, extra={"action": "discord.no_content"})
    application = client.application
    if application is not None and application.interactions_endpoint_url is not None:
        _log.warning("%s", _ELSEWHERE, extra={"action": "discord.no_interactions"})
    return Account(str(client.user and client.user.id), str(client.application_id), reads_content)
