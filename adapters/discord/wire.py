"""One request to Discord through discord.py: its session, token, and count of what is left."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any

import aiohttp
from discord import Client, HTTPException
from discord.http import Route

from adapters.discord.answers import Answer, DiscordError, read_answer, refusal
from adapters.discord.api import Request

_current: ContextVar[_Exchange | None] = ContextVar("_current", default=None)


class Wire:
    """discord.py answers late and repeats by itself: it holds the last response that a rate
    allows until there is room for another, waits out a 429, asks again after a 500. So the
    response is taken where aiohttp hands it over, and all else is left to the caller."""

    def __init__(self, client: Client) -> None:
        self._http = client.http
        self._ends: set[asyncio.Task[None]] = set()

    async def carry(self, request: Request, within_ms: int) -> Answer:
        exchange = _Exchange()
        task = asyncio.create_task(self._carry(request, exchange))
        self._ends.add(task)
        task.add_done_callback(self._ends.discard)
        try:
            async with asyncio.timeout(within_ms / 1000):
                return await exchange.answer
        except TimeoutError as error:
            words = "no answer" if exchange.is_sent else "no room for it"
            raise DiscordError(words, unknown=exchange.is_sent) from error
        finally:
            if exchange.answer.cancelled() or not exchange.answer.done():
                task.cancel()

    async def _carry(self, request: Request, exchange: _Exchange) -> None:
        _current.set(exchange)
        route = Route(request.method, request.path, **request.ids)
        content: dict[str, Any] = {"params": dict(request.query)} if request.query else {}
        if request.body is not None:
            content["json"] = request.body
        try:
            await self._http.request(route, **content)
        except DiscordError as error:
            exchange.fail(error)
        except HTTPException as error:
            exchange.fail(refusal(error.status, error.code))
        except aiohttp.ClientConnectorError:
            exchange.fail(DiscordError("no connection"))
        except RuntimeError:  # as aiohttp says it
            exchange.fail(DiscordError("the client is closed"))
        except (aiohttp.ClientError, TimeoutError, OSError):
            exchange.fail(DiscordError("no answer", unknown=True))


class _Exchange:
    def __init__(self) -> None:
        self.is_sent = False
        self.answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

    def fail(self, error: DiscordError) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


def tracing() -> aiohttp.TraceConfig:
    """What a client needs so that requests can be carried through it."""
    config = aiohttp.TraceConfig()
    config.on_request_start.append(_started)
    config.on_request_end.append(_ended)
    return config


async def _started(
    _session: aiohttp.ClientSession,
    _context: SimpleNamespace,
    _params: aiohttp.TraceRequestStartParams,
) -> None:
    exchange = _current.get()
    if exchange is not None:
        exchange.is_sent = True


async def _ended(
    _session: aiohttp.ClientSession,
    _context: SimpleNamespace,
    params: aiohttp.TraceRequestEndParams,
) -> None:
    """A refusal raises through discord.py, which would wait for it."""
    exchange, response = _current.get(), params.response
    if exchange is None:
        return
    body = await response.text()
    answer = read_answer(response.status, response.headers, body)
    if not exchange.answer.done():
        exchange.answer.set_result(answer)
