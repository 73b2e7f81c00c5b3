"""Slack without a network: the real SDK's client, whose calls arrive in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import ServerDisconnectedError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from adapters.slack.events import Installation
from tests.servers.pulse import Pulse
from tests.servers.slack.calls import Call, Refused
from tests.servers.slack.people import Workspace
from tests.servers.slack.rates import Rates
from tests.servers.slack.server import Slack
from tests.servers.slack.socket import Pace
from tests.servers.slack.web import METHODS, WebApi
from tests.servers.slack.world import Json

Clock = Callable[[], int]

LOST = "lost"
RETRY_AFTER = 30  # seconds


@dataclass(frozen=True, slots=True)
class Called:
    method: str
    arguments: Json
    at: int
    error: str


def workspace(clock: Clock) -> Workspace:
    """One that no socket leads to."""
    pulse = Pulse()
    return Slack(WebApi(clock, pulse), Pace(), pulse).workspace()


def installation(home: Workspace) -> Installation:
    return Installation(home.team, home.team, home.bot.id, home.bot.bot_id)


@dataclass
class Line:
    """What was called, and how long the next call travels (seconds).

    `mishaps` are pairs of a method and an error: the next call of that method is refused with it;
    LOST: it arrives, and its response does not.
    """

    home: Workspace
    rates: Rates = field(default_factory=Rates)
    travel: Callable[[], float] = lambda: 0.0
    calls: list[Called] = field(default_factory=list)
    mishaps: list[tuple[str, str]] = field(default_factory=list)

    @property
    def errors(self) -> list[str]:
        return [call.error for call in self.calls if call.error]

    @property
    def methods(self) -> list[str]:
        return [call.method.partition(".")[2] for call in self.calls]

    def call(self, method: str, arguments: Json) -> tuple[int, Json, dict[str, str]]:
        """Status, body and headers of the response."""
        now = self.home.clock()
        mishap = self._mishap(method)
        channel = str(arguments.get("channel") or arguments.get("channel_id") or "")
        wait = self.rates.take(method, self.home.team, channel, now)
        if wait or mishap == "ratelimited":
            status, body = 429, _error("ratelimited")
        elif mishap not in {"", LOST}:
            status, body = 200, _error(mishap)
        else:
            status, body = 200, self._effect(method, arguments)
        self.calls.append(Called(method, arguments, now, str(body.get("error", ""))))
        if mishap == LOST:
            raise ServerDisconnectedError
        return status, body, {"Retry-After": str(wait or RETRY_AFTER)} if status == 429 else {}

    def _mishap(self, method: str) -> str:
        for each in self.mishaps:
            if each[0] == method:
                self.mishaps.remove(each)
                return each[1]
        return ""

    def _effect(self, method: str, arguments: Json) -> Json:
        try:
            return {"ok": True, **METHODS[method](Call(self.home, arguments))}
        except Refused as refused:
            return refused.body


def _error(code: str) -> Json:
    return {"ok": False, "error": code}


class ClientInProcess(AsyncWebClient):
    def __init__(self, line: Line) -> None:
        super().__init__(token="xoxb-in-process", retry_handlers=[])
        self._line = line

    async def api_call(self, api_method: str, **options: Any) -> AsyncSlackResponse:
        await asyncio.sleep(self._line.travel())
        arguments = options.get("json") or options.get("params") or {}
        status, body, headers = self._line.call(api_method, arguments)
        await asyncio.sleep(self._line.travel())
        response = AsyncSlackResponse(
            client=self,
            http_verb="POST",
            api_url=api_method,
            req_args={},
            data=body,
            headers=headers,
            status_code=status,
        )
        response.validate()  # type: ignore[no-untyped-call] # of the SDK
        return response
