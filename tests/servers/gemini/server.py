"""Gemini on the loopback."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from bot.model import ModelRequest
from tests.servers.gemini.form import Json, Part
from tests.servers.gemini.rules import Refused, check, signature
from tests.servers.gemini.wire import SIGN, Brain, End, Failure, Script, Stream

BAD_KEY = Failure(
    400,
    message="API key not valid. Please pass a valid API key.",
    details=(
        {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "API_KEY_INVALID",
            "domain": "googleapis.com",
        },
    ),
)


class Server:
    """Records what it is sent. `refused` has a sentence for each request that broke a rule."""

    def __init__(self, brain: Brain, *, api_key: str | None = None) -> None:
        self.base_url = ""
        self.requests: list[Json] = []
        self.neutral: list[ModelRequest] = []
        self.refused: list[str] = []
        self._hung_up = asyncio.Event()
        self._brain = brain
        self._api_key = api_key

    async def stream(self, request: web.Request) -> web.StreamResponse:
        if self._api_key and request.headers["x-goog-api-key"] != self._api_key:
            return _refusal(BAD_KEY)
        if request.query.getall("alt", []) != ["sse"]:
            raise web.HTTPBadRequest(text="this server can only stream")
        body = await request.json()
        self.requests.append(body)
        model = request.match_info["model"]
        try:
            neutral = check(body, model)
        except Refused as refused:
            self.refused.append(str(refused))
            return _refusal(Failure(400, message=str(refused)))
        self.neutral.append(neutral)
        answer = self._brain(neutral)
        if isinstance(answer, Failure):
            return _refusal(answer)
        return await self._send(request, answer, model)

    async def left(self) -> None:
        """Wait until a client leaves before its answer is over; TimeoutError if none does."""
        async with asyncio.timeout(5):
            await self._hung_up.wait()

    async def _send(self, request: web.Request, answer: Stream, model: str) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        try:
            for item in answer.chunks:
                await response.write(_event(item, model).encode())
            await self._end(request, answer.end)
        except (ConnectionError, asyncio.CancelledError):
            self._hung_up.set()
            raise
        return response

    async def _end(self, request: web.Request, end: End) -> None:
        if end == "hang":
            await asyncio.Event().wait()
        if end == "cut":
            assert request.transport is not None
            request.transport.abort()


def _event(item: Json | str, model: str) -> str:
    if isinstance(item, str):
        return item
    signed = {**item, "candidates": [_signed(each, model) for each in item.get("candidates", [])]}
    return f"data: {json.dumps(signed)}\r\n\r\n"


def _signed(candidate: Json, model: str) -> Json:
    if "content" not in candidate:
        return candidate
    parts = [_signed_part(part, model) for part in candidate["content"]["parts"]]
    return {**candidate, "content": {**candidate["content"], "parts": parts}}


def _signed_part(part: Json, model: str) -> Json:
    """In the standard alphabet; it comes back in the one for addresses."""
    if part.get("thoughtSignature") != SIGN:
        return part
    made = signature(Part.model_validate({**part, "thoughtSignature": ""}), model)
    return {**part, "thoughtSignature": base64.b64encode(made).decode()}


def _refusal(failure: Failure) -> web.Response:
    return web.json_response(failure.body, status=failure.code, headers=failure.headers)


@asynccontextmanager
async def serving(
    brain: Brain, *, api_key: str | None = None, port: int = 0
) -> AsyncIterator[Server]:
    """A server on the loopback; on leaving, a script must be used up."""
    server = Server(brain, api_key=api_key)
    app = web.Application(client_max_size=20 * 1024**2)
    app.router.add_post("/v1/models/{model}:streamGenerateContent", server.stream)
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        server.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield server
    finally:
        await runner.cleanup()
    if isinstance(brain, Script):
        assert not brain.left, f"answers that nobody asked for: {list(brain.left)}"
