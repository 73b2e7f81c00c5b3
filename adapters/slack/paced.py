"""Calls as the rate allows them; and again, where twice is better than never: reading, and a word
to one person."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from slack_sdk.web.async_slack_response import AsyncSlackResponse

from adapters.slack.rates import Governor
from adapters.slack.web import SlackError, asked

T = TypeVar("T")
Call = Callable[[], Awaitable[AsyncSlackResponse]]


async def paced(governor: Governor, method: str, channel: str, call: Call) -> AsyncSlackResponse:
    """Again and again while Slack is in trouble. Raise SlackError."""
    return await insisted(governor, partial(paced_once, governor, method, channel, call))


async def paced_once(
    governor: Governor, method: str, channel: str, call: Call
) -> AsyncSlackResponse:
    """Raise SlackError."""
    await governor.turn(method, channel)
    try:
        return await asked(call())
    except SlackError as error:
        if error.retry_after is not None:
            governor.refused(method, channel, error.retry_after)
        raise


async def insisted(governor: Governor, work: Callable[[], Awaitable[T]]) -> T:
    """Troubles of Slack's often pass within seconds. Raise the last SlackError."""
    for pause in governor.pauses:
        try:
            return await work()
        except SlackError as error:
            if error.permanent:
                raise
            await asyncio.sleep(max(pause, error.retry_after or 0))
    return await work()
