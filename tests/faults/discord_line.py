"""Our requests to Discord, each through the gate to the logic of the server on the loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

from aiohttp import web

from adapters.discord import answers
from adapters.discord.answers import Answer, DiscordError, read_answer
from adapters.discord.api import Request
from adapters.discord.buttons import Stop, read_button
from tests.faults.passage import pass_through
from tests.faults.points import Fault, Kind
from tests.faults.venue import Around
from tests.faults.virtual import Process
from tests.servers.discord.calls import Refused
from tests.servers.discord.faults import refusing, too_many
from tests.servers.discord.homes import Bot
from tests.servers.discord.rest import Sent
from tests.servers.discord.server import Discord
from tests.servers.discord.world import Json, pressables

T = TypeVar("T")
RETRY_AFTER = 20.0  # seconds
POST, EDIT = "POST messages", "PATCH messages/{message_id}"
DELETE, UNMARK = "DELETE messages/{message_id}", "PATCH the button"
REFUSALS: Mapping[str, int] = {"GET": answers.MISSING_ACCESS}
"""What is said for good. Who edits or deletes finds that a moderator was faster."""


class GatedLine:
    """`turns` are those of our messages, by their ids: their marks go when they are recorded."""

    def __init__(self, discord: Discord, bot: Bot, around: Around) -> None:
        self.turns: dict[str, str] = {}
        self._rest = discord.rest
        self._bot = bot
        self._around = around

    async def carry(self, request: Request, within_ms: int) -> Answer:
        self._around.gate.alive()
        name = name_of(request)
        self._judge(name, request)

        def arrive(_by: Process, fault: Fault | None) -> Answer:
            response = self._answer(name, request, fault)
            if fault == "cut off":
                raise DiscordError("no answer", unknown=True)
            return read_answer(response.status, response.headers, response.text or "")

        kind: Kind = "ask" if request.method == "GET" else "write"
        try:
            async with asyncio.timeout(within_ms / 1000):
                return await pass_through(self._around, kind, name, arrive)
        except TimeoutError as error:
            raise DiscordError("no answer", unknown=True) from error

    def _judge(self, name: str, request: Request) -> None:
        """But not what takes a button away when the turn is over."""
        body = request.body or {}
        if name in {POST, EDIT}:
            known = self.turns.get(request.ids.get("message_id", ""), "")
            self._around.sending(name, _marked(body) or known, body["content"])
        elif name == DELETE:
            self._around.sending(name, self.turns.get(request.ids["message_id"], ""))

    def _answer(self, name: str, request: Request, fault: Fault | None) -> web.Response:
        match fault:
            case "too many requests":
                return too_many(RETRY_AFTER, "user")
            case "server error":
                return web.Response(status=500, text="<html>Server Error</html>")
            case "refused" if name in {EDIT, DELETE}:
                self._remove(request.ids)
            case "refused":
                code = REFUSALS.get(request.method, answers.MISSING_PERMISSIONS)
                return refusing(Refused(code))
        return self._effect(name, request)

    def _effect(self, name: str, request: Request) -> web.Response:
        address = f"{request.method} {request.path.lstrip('/').format(**request.ids)}"
        body = dict(request.body or {})
        sent = Sent(address, f"Bot {self._bot.token}", dict(request.query), body)
        response = _at_once(self._rest.handle(sent))
        assert isinstance(response, web.Response)
        if name == POST and response.status < 300:
            self.turns[json.loads(response.text or "")["id"]] = _marked(body)
        return response

    def _remove(self, ids: Mapping[str, str]) -> None:
        """A moderator deletes one of our messages."""
        channel = self._rest.realm.channel(ids["channel_id"])
        message = channel.find(ids["message_id"]) if channel else None
        if message is not None:
            self._rest.realm.delete(message)


def name_of(request: Request) -> str:
    path = request.path.removeprefix("/channels/{channel_id}").lstrip("/")
    if path == "messages/{message_id}" and request.body and "content" not in request.body:
        return UNMARK
    return f"{request.method} {path}".strip()


def _marked(body: Mapping[str, Any]) -> str:
    """The turn in a message's button."""
    each: Json
    for each in pressables(body.get("components")):
        button = read_button(each["custom_id"])
        if isinstance(button, Stop):
            return button.turn
    return ""


def _at_once(work: Coroutine[Any, Any, T]) -> T:
    """The server waits for nothing when nothing is to happen to a request."""
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    raise AssertionError("the server waited")
