"""An app made with Slack's own libraries, to try the server on the loopback with."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import aiohttp
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from tests.servers.slack.people import Workspace
from tests.servers.slack.server import Slack
from tests.servers.slack.world import Json

Hears = Callable[[Json], Awaitable[None]]
PING_SECONDS = 0.1


@asynccontextmanager
async def web_client(slack: Slack, token: str) -> AsyncIterator[AsyncWebClient]:
    async with aiohttp.ClientSession() as session:
        yield AsyncWebClient(token, base_url=slack.api_url, session=session, retry_handlers=[])


@asynccontextmanager
async def listening(slack: Slack, home: Workspace, hears: Hears) -> AsyncIterator[AsyncApp]:
    """An app that acknowledges each event once `hears` has returned, and not if it raises."""
    async with web_client(slack, home.bot_token) as client:
        app = AsyncApp(client=client)

        async def middleware(
            body: Json,
            req: AsyncBoltRequest,
            next: Callable[[], Awaitable[BoltResponse]],  # noqa: A002 -- Bolt's name
        ) -> BoltResponse | None:
            del req
            if body.get("type") != "event_callback":
                return await next()
            await hears(body)
            return BoltResponse(status=200)

        app.use(middleware)
        handler = AsyncSocketModeHandler(app, home.app_token, ping_interval=PING_SECONDS)
        await handler.connect_async()  # type: ignore[no-untyped-call] # of Bolt
        await slack.until(lambda: home.hub.connections)
        try:
            yield app
        finally:
            await handler.close_async()  # type: ignore[no-untyped-call] # of Bolt
