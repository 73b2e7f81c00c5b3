"""OpenAI's Chat Completions and Responses on the loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aiohttp import web

from bot.model import ModelRequest
from tests.servers.openai import events, items, rules
from tests.servers.openai.items import Given
from tests.servers.openai.rules import Json, Refused
from tests.servers.openai.wire import Answer, Brain, Failure, Script, Stream


class Server:
    """Records what it is sent. `refused` has a sentence for each request that broke a rule."""

    def __init__(self, brain: Brain, responses: Brain, *, api_key: str | None = None) -> None:
        self.base_url = ""
        self.requests: list[Json] = []
        self.neutral: list[ModelRequest] = []
        self.refused: list[str] = []
        self._hung_up = asyncio.Event()
        self._brain = brain
        self._responses = responses
        self._given = Given()
        self._api_key = api_key

    async def complete(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(request, rules.check, self._brain)

    async def respond(self, request: web.Request) -> web.StreamResponse:
        def answer(neutral: ModelRequest) -> Answer:
            given = self._responses(neutral)
            if isinstance(given, Stream):
                self._given.note(events.output_of(given))
            return given

        return await self._answer(request, lambda body: items.check(body, self._given), answer)

    async def _answer(
        self, request: web.Request, check: Callable[[Json], ModelRequest], brain: Brain
    ) -> web.StreamResponse:
        if self._api_key and request.headers["Authorization"] != f"Bearer {self._api_key}":
            return _refusal(Failure(401, "invalid_api_key", message="Incorrect API key provided."))
        body = await request.json()
        self.requests.append(body)
        try:
            neutral = check(body)
        except Refused as refused:
            self.refused.append(str(refused))
            return _refusal(Failure(400, refused.code, message=str(refused)))
        self.neutral.append(neutral)
        answer = brain(neutral)
        if isinstance(answer, Failure):
            return _refusal(answer)
        return await self._send(request, answer)

    async def left(self) -> None:
        """Wait until a client leaves before its answer is over; TimeoutError if none does."""
        async with asyncio.timeout(5):
            await self._hung_up.wait()

    async def _send(self, request: web.Request, answer: Stream) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        try:
            for item in answer.chunks:
                if callable(item):
                    await item()
                    continue
                event = item if isinstance(item, str) else f"data: {json.dumps(item)}\n\n"
                await response.write(event.encode())
            await self._end(request, response, answer.end)
        except (ConnectionError, asyncio.CancelledError):
            self._hung_up.set()
            raise
        return response

    async def _end(self, request: web.Request, response: web.StreamResponse, end: str) -> None:
        match end:
            case "done":
                await response.write(b"data: [DONE]\n\n")
            case "hang":
                await asyncio.Event().wait()
            case "cut":
                assert request.transport is not None
                request.transport.abort()


def _refusal(failure: Failure) -> web.Response:
    error = {
        "message": failure.message,
        "type": failure.type,
        "param": None,
        "code": failure.code,
    }
    headers = {"x-request-id": "req_1", **failure.headers}
    return web.json_response({"error": error}, status=failure.status, headers=headers)


@asynccontextmanager
async def serving(
    brain: Brain,
    *,
    responses: Brain | None = None,
    api_key: str | None = None,
    port: int = 0,
) -> AsyncIterator[Server]:
    """A server on the loopback; on leaving, a script must be used up. `responses` answers what is
    asked by that API; left out, it is the same brain."""
    server = Server(brain, responses or brain, api_key=api_key)
    app = web.Application()
    app.router.add_post("/v1/chat/completions", server.complete)
    app.router.add_post("/v1/responses", server.respond)
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        server.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        yield server
    finally:
        await runner.cleanup()
    if isinstance(brain, Script):
        assert not brain.left, f"answers that nobody asked for: {list(brain.left)}"
