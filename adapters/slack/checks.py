"""What must be right before anything starts, and what to click when it is not."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from urllib.parse import urlsplit

from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from adapters.slack.events import Installation
from adapters.slack.web import LOCKED_OUT, NO_CONNECTION, SlackError, asked
from bot.errors import ConfigError
from bot.health import Health

SCOPES = (
    "app_mentions:read",
    "channels:history",
    "channels:read",
    "chat:write",
    "commands",
    "groups:history",
    "groups:read",
    "im:history",
    "im:read",
    "metadata.message:read",
    "mpim:history",
    "mpim:read",
    "users:read",
)
"""Without these nothing starts; slack-manifest.yaml asks for them, a test compares."""

OPTIONAL_SCOPES = ("files:write",)
"""Also in slack-manifest.yaml: without it `export` says that it cannot send."""

EVENTS = (
    "app_home_opened",
    "app_mention",
    "app_uninstalled",
    "channel_deleted",
    "group_deleted",
    "member_joined_channel",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
    "tokens_revoked",
)

_APP = "https://api.slack.com/apps, your app"
_BOT_TOKEN = f"Copy the Bot User OAuth Token (xoxb-…) from {_APP}, OAuth & Permissions."
_APP_TOKEN = (
    f"Make one at {_APP}, Basic Information, App-Level Tokens, "
    "with the scope connections:write (xapp-…)."
)
_SOCKET_MODE = f"Switch it on at {_APP}, Socket Mode, Enable Socket Mode."
_LONGEST_PAUSE = 30
_SLACKS_OWN = "https://slack.com/api/"

_AWAY = {"action": "slack.away"}
_log = logging.getLogger(__name__)


def complaints(bot_tokens: Sequence[str], app_tokens: Sequence[str]) -> list[str]:
    """What can be told from the tokens alone; they are never repeated."""
    found = []
    if len(bot_tokens) != len(app_tokens):
        found.append(
            "SLACK_BOT_TOKEN and SLACK_APP_TOKEN must hold as many tokens as each other: one pair "
            f"for each workspace; there are {len(bot_tokens)} and {len(app_tokens)}."
        )
    if any(token.startswith("xapp-") for token in bot_tokens):
        found.append(f"SLACK_BOT_TOKEN holds an app-level token (xapp-…). {_BOT_TOKEN}")
    elif not all(token.startswith(("xoxb-", "xoxe.xoxb-")) for token in bot_tokens):
        found.append(f"SLACK_BOT_TOKEN must hold a token that begins with xoxb-. {_BOT_TOKEN}")
    if any(token.startswith(("xoxb-", "xoxe.xoxb-")) for token in app_tokens):
        found.append(f"SLACK_APP_TOKEN holds a bot token (xoxb-…). {_APP_TOKEN}")
    elif not all(token.startswith("xapp-") for token in app_tokens):
        found.append(f"SLACK_APP_TOKEN must hold a token that begins with xapp-. {_APP_TOKEN}")
    return found


async def identify(
    client: AsyncWebClient,
    number: int,
    health: Health,
    *,
    first_pause: float = 1,
    connection: str = "",
) -> Installation:
    """Who we are with this token, and whether it may do what we need. Raise ConfigError; while
    Slack cannot be reached it is asked again, and health is told so of the connection."""
    away = partial(health.note, connection or health_name(number), "lost")
    response = await _answered(client, number, away, first_pause)
    granted = {scope.strip() for scope in response.headers.get("x-oauth-scopes", "").split(",")}
    missing = [scope for scope in SCOPES if scope not in granted]
    if missing:
        raise ConfigError(_missing(number, missing))
    is_org = bool(response.get("is_enterprise_install"))
    enterprise = str(response.get("enterprise_id") or "")
    team = str(response.get("team_id") or "")
    return Installation(
        workspace=enterprise if is_org else team,
        team=team,
        user=str(response["user_id"]),
        bot=str(response.get("bot_id") or ""),
        enterprise=enterprise,
        is_org=is_org,
    )


async def try_socket(client: AsyncWebClient, app_token: str, number: int) -> None:
    """Ask once for an address to listen at, which nobody uses. Raise ConfigError when that can
    only be mended by a click."""
    try:
        await asked(client.apps_connections_open(app_token=app_token))
    except SlackError as error:
        why = why_not_connected(error, number)
        if why:
            raise ConfigError(why) from error


def connections(app_tokens: Sequence[str]) -> Mapping[str, str]:
    """By token, what its connection is called; one app in several workspaces has one."""
    return {token: health_name(number) for number, token in enumerate(app_tokens, start=1)}


def health_name(number: int) -> str:
    """What a pair of tokens is called in what is told about its connection."""
    return f"Slack {number}"


def why_not_connected(error: SlackError, number: int) -> str:
    """A refused connection in words that say what to click; empty when it is worth another try."""
    which = _which("SLACK_APP_TOKEN", number)
    match error.code:
        case "not_allowed_token_type":
            return f"{which} is not an app-level token. {_APP_TOKEN}"
        case "missing_scope":
            return f"{which} lacks the scope connections:write. {_APP_TOKEN}"
        case code if code in LOCKED_OUT:
            return f"Slack does not know {which}, or no longer ({code}). {_APP_TOKEN}"
        case "forbidden_team" | "socket_mode_not_enabled" | "access_denied":
            return f"Socket Mode is off for the app of {which}. {_SOCKET_MODE}"
        case _:
            return ""


def why_away(error: SlackError, api_url: str) -> str:
    """Why Slack cannot be reached; with the setting's name where that may be the reason."""
    where = urlsplit(api_url)
    address = f"{where.netloc.rpartition('@')[2]}{where.path}"
    if error.is_foreign:
        return f"what answers at SLACK_API_URL ({address}) is not Slack's API ({error})"
    if error.code == NO_CONNECTION and api_url.rstrip("/") != _SLACKS_OWN.rstrip("/"):
        return f"{error} to SLACK_API_URL ({address})"
    return str(error)


async def _answered(
    client: AsyncWebClient, number: int, note_away: Callable[[str], None], pause: float
) -> AsyncSlackResponse:
    while True:
        try:
            return await asked(client.auth_test())
        except SlackError as error:
            if error.permanent:
                raise ConfigError(_refused(number, error.code)) from error
            why = why_away(error, client.base_url)
            note_away(why)
            _log.warning("%s is away: %s", health_name(number), why, extra=_AWAY)
            await asyncio.sleep(max(pause, error.retry_after or 0))
        pause = min(2 * pause, _LONGEST_PAUSE)


def _refused(number: int, code: str) -> str:
    which = _which("SLACK_BOT_TOKEN", number)
    if code in {"account_inactive", "token_revoked"}:
        return (
            f"{which} is no longer valid ({code}): the app was removed from its workspace. "
            f"Install it again at {_APP}, Install App. {_BOT_TOKEN}"
        )
    return f"Slack refuses {which} ({code}). {_BOT_TOKEN}"


def _missing(number: int, scopes: Sequence[str]) -> str:
    return (
        f"The app of {_which('SLACK_BOT_TOKEN', number)} lacks {_count(scopes)} "
        f"{', '.join(scopes)}. Add them at {_APP}, OAuth & Permissions, Scopes, Bot Token Scopes; "
        "then click Reinstall to Workspace above on that page. slack-manifest.yaml has them all."
    )


def _count(scopes: Sequence[str]) -> str:
    return "the scope" if len(scopes) == 1 else "the scopes"


def _which(name: str, number: int) -> str:
    return name if number == 1 else f"{name} (number {number})"
