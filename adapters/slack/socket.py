"""Socket Mode: every payload is committed first and acknowledged then, on a connection that is
kept up for ever."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import aiohttp
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.adapter.socket_mode.async_internals import send_async_response
from slack_bolt.adapter.socket_mode.internals import build_headers
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.web.async_client import AsyncWebClient

from adapters.chat.mishaps import log_not_taken
from adapters.slack.checks import health_name, why_away, why_not_connected
from adapters.slack.events import Json
from adapters.slack.web import LOCKED_OUT, SlackError, asked
from bot.health import Health
from memory.database import wall_clock

After = Callable[[], Awaitable[None]]
Take = Callable[[Json], Awaitable[After | None]]
"""Commits a payload, or raises, and then nothing is acknowledged. What it returns is done after
the acknowledgement."""

Connected = Callable[[int], None]
"""Told of each connection, with the time (UTC ms) since which there was none."""

_log = logging.getLogger(__name__)
_AFTER = "nimbus_after"


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds. `grace`: what a connection that Slack recycles gets to be there again."""

    ping: float = 10
    look: float = 1
    connect: float = 15
    grace: float = 10
    first_pause: float = 1
    longest_pause: float = 60
    drain: float = 3


def unheard(_since: int) -> None:
    """Nobody asks what was missed."""


class Socket:
    """One app's connection. slack_sdk follows Slack's requests to reconnect; what it does not
    survive (a URL that was used up, a network that is away) begins anew here."""

    def __init__(
        self, client: AsyncWebClient, app_token: str, number: int, health: Health, pace: Pace
    ) -> None:
        self._client = client
        self._app_token = app_token
        self._number = number
        self._health = health
        self._pace = pace
        self._name = health_name(number)
        self._running: set[asyncio.Task[Any]] = set()
        self._up_at = wall_clock()

    async def listen(self, take: Take, connected: Connected = unheard) -> None:
        """Until it is cancelled, or Slack refuses us for good."""
        self._up_at = wall_clock()
        app = self._bolt(take)
        pause = self._pace.first_pause
        self._health.note(self._name, "connecting")
        try:
            while True:
                told_to_wait = 0.0
                try:
                    await self._live(app, connected)
                    pause = self._pace.first_pause
                    self._health.note(self._name, "lost", "the connection broke")
                except SlackError as error:
                    why = why_not_connected(error, self._number)
                    if error.code in LOCKED_OUT:
                        self._health.note(self._name, "dead", why)
                        return
                    why = why or why_away(error, self._client.base_url)
                    self._health.note(self._name, "lost", why)
                    told_to_wait = error.retry_after or 0
                await asyncio.sleep(max(pause, told_to_wait))
                pause = min(2 * pause, self._pace.longest_pause)
        finally:
            await self._drained()

    async def _live(self, app: AsyncApp, connected: Connected) -> None:
        """From one connection to its end. Raise SlackError when there is none."""
        opened = await asked(self._client.apps_connections_open(app_token=self._app_token))
        handler = AsyncSocketModeHandler(
            app, self._app_token, logger=_quiet_logger(), ping_interval=self._pace.ping
        )
        client = handler.client
        client.default_auto_reconnect_enabled = False  # it would try a URL of one use for ever
        client.socket_mode_request_listeners = [self._listener(app)]
        client.wss_uri = opened["url"]
        try:
            async with asyncio.timeout(self._pace.connect):
                await handler.connect_async()  # type: ignore[no-untyped-call] # of Bolt
            self._health.note(self._name, "connected")
            connected(self._up_at)
            await self._until_lost(client)
        except (TimeoutError, aiohttp.ClientError) as error:
            raise SlackError("no connection") from error
        finally:
            await handler.close_async()  # type: ignore[no-untyped-call] # of Bolt

    async def _until_lost(self, client: SocketModeClient) -> None:
        """slack_sdk tells nobody that a connection went silent: it has to be looked at."""
        absent = 0.0
        while True:
            await asyncio.sleep(self._pace.look)
            if await client.is_connected():
                absent, self._up_at = 0.0, wall_clock()
                continue
            absent += self._pace.look
            is_recycled = client.connect_operation_lock.locked()
            if not is_recycled or absent > self._pace.grace:
                return

    def _bolt(self, take: Take) -> AsyncApp:
        """Bolt with one global middleware, which takes everything: what Bolt hands to listeners it
        acknowledges before they ran, and what has none it leaves unacknowledged."""

        async def authorize(**_asked_for: object) -> AuthorizeResult:
            # Not by `auth.test`: a look at the network before a message is written down.
            return AuthorizeResult(enterprise_id=None, team_id=None, bot_token=self._client.token)

        logger = _quiet_logger()
        app = AsyncApp(
            name=logger.name,  # Bolt sets the level of the logger of this name, too
            client=self._client,
            authorize=authorize,
            logger=logger,
            signing_secret="-",  # noqa: S106 - a socket's payloads are not signed
            attaching_function_token_enabled=False,
            attaching_conversation_kwargs_enabled=False,
        )

        async def commit(req: AsyncBoltRequest) -> BoltResponse:
            try:
                req.context[_AFTER] = await take(req.body)
            except Exception as error:
                log_not_taken(_log, error, "slack.not_taken")
                raise  # to Bolt, which then acknowledges nothing, so that Slack sends it again
            return BoltResponse(status=200)

        app.use(commit)
        return app

    def _listener(
        self, app: AsyncApp
    ) -> Callable[[AsyncBaseSocketModeClient, SocketModeRequest], Awaitable[None]]:
        async def handle(client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
            task = asyncio.current_task()
            assert task is not None  # noqa: S101 - a coroutine that runs has one
            self._running.add(task)  # slack_sdk keeps no hold of it
            try:
                await _handle(app, client, request)
            finally:
                self._running.discard(task)

        return handle

    async def _drained(self) -> None:
        """What was received is written down, even while everything ends."""
        if self._running:
            await asyncio.wait(self._running, timeout=self._pace.drain)


async def _handle(
    app: AsyncApp, client: AsyncBaseSocketModeClient, request: SocketModeRequest
) -> None:
    bolt_request = AsyncBoltRequest(
        mode="socket_mode", body=request.payload, headers=build_headers(request)
    )
    response = await app.async_dispatch(bolt_request)
    try:
        await send_async_response(client, request, response, time.time())
    finally:
        after: After | None = bolt_request.context.get(_AFTER)
        if after is not None:
            await after()


def _quiet_logger() -> logging.Logger:
    """Bolt and slack_sdk log tracebacks of every lost connection; we say it once, in words."""
    logger = logging.getLogger("nimbus.slack_sdk")
    logger.setLevel(logging.CRITICAL)
    return logger
