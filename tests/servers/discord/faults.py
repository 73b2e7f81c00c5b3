"""What Discord makes of a request: what may happen to any, and how Discord itself says no."""

from __future__ import annotations

import json

from aiohttp import web

from tests.servers.discord.calls import REFUSALS, Refused
from tests.servers.discord.world import Json
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
    held,
    killing,
    nth,
)

__all__ = [
    "ARRIVES",
    "REFUSALS",
    "VIA",
    "Act",
    "Dropped",
    "Fate",
    "Fates",
    "Request",
    "always",
    "broken",
    "delayed",
    "dropped",
    "held",
    "killing",
    "limited",
    "nth",
    "refused",
    "refusing",
    "reply",
    "too_many",
]

VIA = "1.1 google"  # without it discord.py takes a 429 for a ban


def refused(code: int) -> Act:
    """With one of REFUSALS."""

    async def act(request: Request) -> web.Response:
        refusal = Refused(code)
        request.error = str(code)
        return refusing(refusal)

    return act


def refusing(refusal: Refused) -> web.Response:
    response = reply(refusal.body, refusal.status)
    if refusal.status == 429:
        response.headers["Via"] = VIA
    return response


def limited(seconds: float, *, everywhere: bool = False, banned: bool = False) -> Act:
    """`banned`: not by Discord itself but by what stands before it, for whom the library waits
    for nobody."""

    async def act(request: Request) -> web.Response:
        request.error = "ratelimited"
        response = too_many(seconds, "global" if everywhere else "user")
        if banned:
            del response.headers["Via"]
        return response

    return act


def too_many(seconds: float, scope: str = "user") -> web.Response:
    everywhere = scope == "global"
    body = {
        "message": "You are being rate limited.",
        "retry_after": round(seconds, 3),
        "global": everywhere,
    }
    response = reply(body, 429)
    response.headers["Retry-After"] = f"{seconds:.3f}"
    response.headers["X-RateLimit-Scope"] = scope
    response.headers["Via"] = VIA
    if everywhere:
        response.headers["X-RateLimit-Global"] = "true"
    return response


def reply(body: Json | list[Json] | None, status: int = 200) -> web.Response:
    """The type is exactly this one, or the library does not read it."""
    if body is None:
        return web.Response(status=204)
    headers = {"Content-Type": "application/json"}
    return web.Response(status=status, body=json.dumps(body).encode(), headers=headers)
