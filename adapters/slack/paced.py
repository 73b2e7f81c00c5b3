"""One call that must be made, as soon as the rate allows it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from slack_sdk.web.async_slack_response import AsyncSlackResponse

from adapters.slack.rates import Governor
from adapters.slack.web import SlackError, asked


async def paced(
    governor: Governor, method: str, channel: str, call: Callable[[], Awaitable[AsyncSlackResponse]]
) -> AsyncSlackResponse:
    """Raise SlackError."""
    await governor.turn(method, channel)
    try:
        return await asked(call())
    except SlackError as error:
        if error.retry_after is not None:
            governor.refused(method, channel, error.retry_after)
        raise
