"""Slack's Web API: one client for each workspace, and its failures in our words."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.errors import DeliveryError

READ_MS = 4_000
NO_CONNECTION = "no connection"

LOCKED_OUT = frozenset(
    {
        "account_inactive",
        "ekm_access_denied",
        "invalid_auth",
        "not_authed",
        "org_login_required",
        "team_access_not_granted",
        "token_expired",
        "token_revoked",
    }
)
"""Nothing more can be done in this workspace."""

_FOR_A_WHILE = frozenset(
    {
        "fatal_error",
        "internal_error",
        "rate_limited",
        "ratelimited",
        "request_timeout",
        "service_unavailable",
        "team_added_to_org",
    }
)
_MAY_HAVE_HAPPENED = frozenset({"fatal_error", "internal_error", "request_timeout"})
_TOO_MANY, _SERVER_ERROR = 429, 500
_SECONDS = re.compile(r"\d+(\.\d+)?")  # others than Slack may name a date


class SlackError(DeliveryError):
    """Slack refused, or did not answer. `code` is its own word; `retry_after` is in seconds.
    `is_foreign`: what refused does not speak as Slack does."""

    def __init__(
        self,
        code: str,
        *,
        permanent: bool = False,
        unknown: bool = False,
        retry_after: float | None = None,
        is_foreign: bool = False,
    ) -> None:
        super().__init__(code, permanent=permanent, unknown=unknown)
        self.code = code
        self.is_foreign = is_foreign
        self.retry_after = retry_after


@asynccontextmanager
async def open_client(token: str, api_url: str) -> AsyncIterator[AsyncWebClient]:
    """A client that repeats nothing by itself: a message may have been posted all the same."""
    async with aiohttp.ClientSession(trust_env=True) as session:
        yield AsyncWebClient(token=token, base_url=api_url, session=session, retry_handlers=[])


async def asked(
    request: Awaitable[AsyncSlackResponse], within_ms: int = READ_MS
) -> AsyncSlackResponse:
    """The response to a call of the client. Raise SlackError."""
    try:
        async with asyncio.timeout(within_ms / 1000):
            return await request
    except SlackApiError as error:
        raise _refusal(error) from error
    except aiohttp.ClientConnectorError as error:
        raise SlackError(NO_CONNECTION) from error
    except (aiohttp.ClientError, SlackClientError, TimeoutError, OSError) as error:
        raise SlackError("no answer", unknown=True) from error


def _refusal(error: SlackApiError) -> SlackError:
    response = error.response
    if not isinstance(response, AsyncSlackResponse):  # what came was no JSON, though it said so
        return SlackError("no answer", unknown=True)
    body = response.data if isinstance(response.data, dict) else {}
    return refusal(response.status_code, str(body.get("error") or ""), response.headers)


def refusal(status: int, code: str, headers: Mapping[str, str]) -> SlackError:
    """What an answer means that is none; `code` is Slack's word, where it said one."""
    pause = _retry_after(headers)
    if not code:  # not Slack itself answered, but something on the way
        failed = status >= _SERVER_ERROR
        foreign = not failed and status != _TOO_MANY
        return SlackError(f"HTTP {status}", unknown=failed, retry_after=pause, is_foreign=foreign)
    return SlackError(
        code,
        permanent=code not in _FOR_A_WHILE,
        unknown=code in _MAY_HAVE_HAPPENED,
        retry_after=pause,
    )


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds for which nothing may be asked."""
    seconds = headers.get("Retry-After", "")
    return float(seconds) if _SECONDS.fullmatch(seconds) else None
