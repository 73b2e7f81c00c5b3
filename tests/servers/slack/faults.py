"""What Slack makes of a request: what may happen to any, and how Slack itself says no."""

from __future__ import annotations

import math

from aiohttp import web

from tests.servers.faults import (
    ARRIVES,
    Act,
    Dropped,
    Fate,
    Fates,
    Request,
    always,
    broken,
    delayed,
    dropped,
    first,
    held,
    killing,
    nth,
)

__all__ = [
    "ARRIVES",
    "Act",
    "Dropped",
    "Fate",
    "Fates",
    "Request",
    "always",
    "broken",
    "delayed",
    "dropped",
    "first",
    "held",
    "killing",
    "limited",
    "limited_in_scaled_time",
    "nth",
    "refused",
    "too_many",
]


def refused(error: str) -> Act:
    async def act(request: Request) -> web.Response:
        request.error = error
        return web.json_response({"ok": False, "error": error})

    return act


def limited(seconds: float) -> Act:
    async def act(request: Request) -> web.Response:
        request.error = "ratelimited"
        return too_many(seconds)

    return act


def limited_in_scaled_time(seconds: float) -> Act:
    """Slack itself names whole seconds."""

    async def act(request: Request) -> web.Response:
        request.error = "ratelimited"
        body = {"ok": False, "error": "ratelimited"}
        return web.json_response(body, status=429, headers={"Retry-After": str(seconds)})

    return act


def too_many(seconds: float) -> web.Response:
    return web.json_response(
        {"ok": False, "error": "ratelimited"},
        status=429,
        headers={"Retry-After": str(math.ceil(seconds))},
    )
