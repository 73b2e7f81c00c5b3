"""Requests of an app as they come in: each is recorded, has its fate, and is answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import web

from memory.database import Clock
from tests.servers.faults import ARRIVES, Dropped, Fates, Json, Request
from tests.servers.pulse import Pulse


@dataclass
class Exchange:
    """What was asked of it, and what becomes of that."""

    clock: Clock
    pulse: Pulse
    fate: Fates = lambda _request: ARRIVES
    down: bool = False  # the network is cut
    requests: list[Request] = field(default_factory=list)

    async def under_fate(
        self,
        request: web.Request | None,
        recorded: tuple[str, Json, str],
        answer: Callable[[Request], web.Response],
    ) -> web.StreamResponse:
        """`recorded` are the method, its arguments, and for whom it is called."""
        one = Request(len(self.requests) + 1, *recorded, self.clock())
        self.requests.append(one)
        self.pulse.beat()
        try:
            fate = ARRIVES if self.down else self.fate(one)
            response = await fate.before(one) if fate.before else None
            if response is None:
                response = answer(one)
                self.pulse.beat()
                instead = await fate.after(one) if fate.after else None
                response = instead or response
        except Dropped:
            one.error = "dropped"
            response = cut(request)
        if self.down:  # what was on its way is lost, too
            response = cut(request)
        one.status = response.status
        self.pulse.beat()
        return response


def cut(request: web.Request | None) -> web.Response:
    """End the connection without an answer."""
    if request is not None and request.transport is not None:
        request.transport.abort()
    return web.Response(status=599)
