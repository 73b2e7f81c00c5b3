"""What the network and a platform make of a request: each is recorded, and has its fate."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import web

Json = dict[str, Any]


@dataclass(slots=True)
class Request:
    """One call of the app. `error` and `status` are there once it was answered.

    `team` is for whom it was made: Slack's workspace, Discord's application.
    """

    number: int
    method: str
    arguments: Json
    team: str = ""
    at: int = 0
    error: str = ""
    status: int = 0


class Dropped(Exception):  # noqa: N818 -- not an error: the connection ends without an answer
    """Nothing comes back."""


Act = Callable[[Request], Awaitable[web.Response | None]]
"""Something that happens to a request. A response takes the place of the real one."""


@dataclass(frozen=True, slots=True)
class Fate:
    """A response made `before` means that the request has no effect, one made `after` that it has
    one which nobody hears of."""

    before: Act | None = None
    after: Act | None = None


ARRIVES = Fate()
Fates = Callable[[Request], Fate]


def nth(number: int, fate: Fate, method: str = "") -> Fates:
    """The fate of only the n-th request (of that method) from now on."""
    counter = itertools.count(1)

    def decide(request: Request) -> Fate:
        concerned = not method or request.method == method
        return fate if concerned and next(counter) == number else ARRIVES

    return decide


def first(number: int, fate: Fate, *methods: str) -> Fates:
    """The fate of the first so many requests of each of these methods from now on."""
    met: Counter[str] = Counter()

    def decide(request: Request) -> Fate:
        met[request.method] += 1
        concerned = request.method in methods and met[request.method] <= number
        return fate if concerned else ARRIVES

    return decide


def always(fate: Fate, *methods: str) -> Fates:
    return lambda request: fate if not methods or request.method in methods else ARRIVES


def broken(status: int = 500) -> Act:
    """As when the platform's servers are in trouble: no JSON."""

    async def act(request: Request) -> web.Response:
        del request
        return web.Response(
            status=status, text="<html>Server Error</html>", content_type="text/html"
        )

    return act


async def dropped(request: Request) -> web.Response | None:
    raise Dropped(request.method)


def held(gate: asyncio.Event) -> Act:
    """Until the gate opens."""

    async def act(request: Request) -> None:
        del request
        await gate.wait()

    return act


def delayed(seconds: float) -> Act:
    async def act(request: Request) -> None:
        del request
        await asyncio.sleep(seconds)

    return act


def killing(kill: Callable[[], object]) -> Act:
    """The worker dies at this moment, so nobody is there to hear."""

    async def act(request: Request) -> web.Response | None:
        kill()
        raise Dropped(request.method)

    return act
