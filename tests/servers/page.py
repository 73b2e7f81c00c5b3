"""A page on which a person is several people, and talks to the bot without any platform."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from tests.servers.faults import Json
from tests.servers.people import NotPossible
from tests.servers.pulse import Pulse

PAGE = Path(__file__).with_name("page.html").read_text()
POLL_SECONDS = 25


@dataclass(frozen=True)
class Page:
    """`seen_by` is what one person sees ("": the first), `act` does what was typed or pressed."""

    pulse: Pulse
    seen_by: Callable[[str], Json]
    act: Callable[[Json], Awaitable[None]]

    def routes(self) -> Iterable[web.RouteDef]:
        yield web.get("/", self._page)
        yield web.get("/page/state", self._state)
        yield web.post("/page/act", self._done)

    async def _page(self, request: web.Request) -> web.Response:
        del request
        return web.Response(text=PAGE, content_type="text/html")

    async def _state(self, request: web.Request) -> web.Response:
        """As soon as it is newer than what the page knows."""
        since = int(request.query.get("since", "-1"))
        with suppress(TimeoutError):
            await self.pulse.until(lambda: self.pulse.beats > since, POLL_SECONDS)
        seen = self.seen_by(request.query.get("who", ""))
        return web.json_response({"version": self.pulse.beats, **seen})

    async def _done(self, request: web.Request) -> web.Response:
        try:
            await self.act(await request.json())
        except NotPossible as problem:
            return web.json_response({"problem": str(problem)})
        finally:
            self.pulse.beat()
        return web.json_response({})
