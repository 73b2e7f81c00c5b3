"""Our requests to Discord, which arrive in this process, each through the gate."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextvars import Context
from dataclasses import dataclass, field

from aiohttp import web

from adapters.discord.answers import Answer, DiscordError, read_answer
from adapters.discord.api import Request
from adapters.discord.buttons import Stop, read_button
from tests.faults.points import IN_FLIGHT_SECONDS, SLOW_SECONDS, Fault
from tests.faults.seams import LATENCY
from tests.faults.venue import Around
from tests.servers.discord.calls import REFUSALS
from tests.servers.discord.faults import reply, too_many
from tests.servers.discord.homes import Bot
from tests.servers.discord.rest import Sent
from tests.servers.discord.server import Discord
from tests.servers.discord.world import Json, Message, pressables

RETRY_AFTER = 20.0  # seconds
_MESSAGE = "/channels/{channel_id}/messages/{message_id}"
_REFUSALS: Mapping[str, int] = {"messages": 50035, "typing": 50013, "threads": 50013}
"""By the last word of a route that is posted to; all else may not be seen."""
_TRAVELS: Mapping[Fault | None, float] = {
    "late": SLOW_SECONDS["write"],
    "crash, then it lands": IN_FLIGHT_SECONDS,
}


@dataclass
class GatedLine:
    """`turns` are those of our messages, by id: a mark may be gone."""

    discord: Discord
    bot: Bot
    around: Around
    turns: dict[str, str] = field(default_factory=dict)

    async def carry(self, request: Request, within_ms: int) -> Answer:
        gate = self.around.gate
        gate.alive()
        self._judge(request)
        name = f"{request.method} {request.path.replace('/channels/{channel_id}', '')}"
        fault = gate.strike("ask" if request.method == "GET" else "write", name)
        match fault:
            case "crash before":
                gate.crash()
            case "freeze before":
                await gate.freeze()
                gate.alive()
        landed = self._depart(request, fault)
        if fault in {"crash after", "crash, then it lands"}:
            gate.crash()
        try:
            async with asyncio.timeout(within_ms / 1000):
                response = await landed
        except TimeoutError as error:
            raise DiscordError("no answer", unknown=True) from error
        finally:
            if fault == "freeze":
                await gate.freeze()
            gate.alive()
        return read_answer(response.status, response.headers, response.text or "")

    def _judge(self, request: Request) -> None:
        """Of what removes a button nobody has to hold the turn."""
        text = (request.body or {}).get("content")
        turn = _turn_in(request.body or {}) or self.turns.get(request.ids.get("message_id", ""))
        if turn and (text is not None or request.method == "DELETE"):
            self.around.sending(request.method, turn, text or "")

    def _depart(self, request: Request, fault: Fault | None) -> asyncio.Future[web.Response]:
        loop = self.around.loop
        landed: asyncio.Future[web.Response] = loop.create_future()
        if fault != "request lost":
            loop.create_task(self._land(request, fault, landed), context=Context())
        return landed

    async def _land(
        self, request: Request, fault: Fault | None, landed: asyncio.Future[web.Response]
    ) -> None:
        await asyncio.sleep(_TRAVELS.get(fault, LATENCY))
        response = await self._answer(request, fault)
        if not landed.done() and fault not in {"late", "response lost"}:
            landed.set_result(response)

    async def _answer(self, request: Request, fault: Fault | None) -> web.Response:
        match fault:
            case "too many requests":
                return too_many(RETRY_AFTER)
            case "server error":
                return web.Response(status=500, text="<html>Server Error</html>")
            case "refused" if self._is_changed_by_others(request):
                pass
            case "refused":
                code = _REFUSALS.get(request.path.rpartition("/")[2], 50001)
                status, message = REFUSALS[code]
                return reply({"code": code, "message": message}, status)
        return await self._effect(request)

    async def _effect(self, request: Request) -> web.Response:
        address = f"{request.method} {request.path.lstrip('/').format(**request.ids)}"
        body: Json = dict(request.body or {})
        sent = Sent(address, f"Bot {self.bot.token}", dict(request.query), body)
        response = await self.discord.rest.handle(sent)
        assert isinstance(response, web.Response)
        for message in self._messages():
            if turn := _turn_in({"components": message.components}):
                self.turns[message.id] = turn
        return response

    def _is_changed_by_others(self, request: Request) -> bool:
        """An administrator was faster, and has deleted what we are to change."""
        if request.path != _MESSAGE or "content" not in (request.body or {"content": ""}):
            return False
        for message in self._messages():
            if message.id == request.ids["message_id"]:
                self.discord.realm.delete(message)
        return request.method != "GET"

    def _messages(self) -> list[Message]:
        return [one for each in self.discord.realm.channels() for one in self.bot.own(each)]


def _turn_in(body: Mapping[str, object]) -> str:
    for each in pressables(body.get("components")):
        button = read_button(str(each["custom_id"]))
        if isinstance(button, Stop):
            return button.turn
    return ""
