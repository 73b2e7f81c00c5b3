"""Slack's own client, whose requests arrive in this process, each through the gate."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextvars import Context
from dataclasses import dataclass
from typing import Any

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from adapters.slack.posts import DELETE, POST, STATUS, UPDATE
from tests.faults.points import IN_FLIGHT_SECONDS, SLOW_SECONDS, Fault
from tests.faults.seams import LATENCY
from tests.faults.venue import Around
from tests.faults.virtual import Process
from tests.servers.slack.calls import Call, Refused
from tests.servers.slack.inspection import look
from tests.servers.slack.people import Workspace
from tests.servers.slack.web import METHODS
from tests.servers.slack.world import Json

RETRY_AFTER = "20"  # seconds
WRITES = frozenset({POST, UPDATE, DELETE, STATUS})
REFUSALS: Mapping[str, str] = {POST: "is_archived", STATUS: "not_in_channel"}
"""What is said for good. Who edits or deletes finds that an administrator was faster."""
_TRAVELS: Mapping[Fault | None, float] = {
    "late": SLOW_SECONDS["write"],
    "crash, then it lands": IN_FLIGHT_SECONDS,
}


@dataclass(frozen=True, slots=True)
class Sent:
    """A request on its way, on which nobody can stop it any more."""

    method: str
    arguments: Json
    by: Process
    fault: Fault | None
    landed: asyncio.Future[AsyncSlackResponse]


class GatedClient(AsyncWebClient):
    def __init__(self, home: Workspace, around: Around) -> None:
        super().__init__(token="xoxb-in-process", retry_handlers=[])
        self._home = home
        self._around = around
        self._status_by: dict[tuple[str, str], Process] = {}

    async def api_call(self, api_method: str, **options: Any) -> AsyncSlackResponse:
        gate, arguments = self._around.gate, options.get("json") or options.get("params") or {}
        gate.alive()
        self._judge(api_method, arguments)
        fault = gate.strike("write" if api_method in WRITES else "ask", api_method)
        match fault:
            case "crash before":
                gate.crash()
            case "freeze before":
                await gate.freeze()
                gate.alive()
        landed = self._depart(api_method, arguments, fault)
        if fault in {"crash after", "crash, then it lands"}:
            gate.crash()
        try:
            return await landed
        finally:
            if fault == "freeze":
                await gate.freeze()
            gate.alive()

    def silence(self, process: str) -> None:
        """A status that nobody renews or clears goes by itself."""
        for (channel, thread), by in self._status_by.items():
            if by.name == process:
                self._home.channels[channel].statuses.pop(thread, None)

    def _judge(self, method: str, arguments: Json) -> None:
        if method in {POST, UPDATE}:
            turn = arguments["metadata"]["event_payload"]["turn"]
            self._around.sending(method, turn, arguments["markdown_text"])
        elif method == DELETE:
            message = self._home.channels[arguments["channel"]].find(arguments["ts"])
            if message is not None and message.metadata is not None:
                self._around.sending(method, message.metadata["event_payload"]["turn"])

    def _depart(
        self, method: str, arguments: Json, fault: Fault | None
    ) -> asyncio.Future[AsyncSlackResponse]:
        loop = self._around.loop
        landed: asyncio.Future[AsyncSlackResponse] = loop.create_future()
        if fault != "request lost":
            sent = Sent(method, arguments, self._around.gate.alive(), fault, landed)
            loop.call_later(_TRAVELS.get(fault, LATENCY), self._land, sent, context=Context())
        return landed

    def _land(self, sent: Sent) -> None:
        status, body = self._answer(sent)
        if sent.landed.done() or sent.fault in {"late", "response lost"}:
            return
        response = AsyncSlackResponse(
            client=self,
            http_verb="POST",
            api_url=sent.method,
            req_args={},
            data=body,
            headers={"Retry-After": RETRY_AFTER} if status == 429 else {},
            status_code=status,
        )
        try:
            response.validate()  # type: ignore[no-untyped-call] # of the SDK
        except SlackApiError as error:
            sent.landed.set_exception(error)
            sent.landed.exception()  # nobody may be there to hear of it
        else:
            sent.landed.set_result(response)

    def _answer(self, sent: Sent) -> tuple[int, Json]:
        match sent.fault:
            case "too many requests":
                return 429, {"ok": False, "error": "ratelimited"}
            case "server error":
                return 500, {}  # as the SDK reads a page of HTML
            case "refused" if sent.method in {UPDATE, DELETE}:
                self._remove(sent.arguments)
            case "refused":
                return 200, {"ok": False, "error": REFUSALS.get(sent.method, "missing_scope")}
        return 200, self._effect(sent)

    def _effect(self, sent: Sent) -> Json:
        look(self._home.inspector, sent.method, sent.arguments)
        try:
            body = METHODS[sent.method](Call(self._home, sent.arguments))
        except Refused as refused:
            return refused.body
        if sent.method == STATUS:
            where = sent.arguments["channel_id"], sent.arguments["thread_ts"]
            self._status_by[where] = sent.by
            if sent.by.dead or sent.by.thaws_at > self._around.loop.time():
                self.silence(sent.by.name)
        return {"ok": True, **body}

    def _remove(self, arguments: Json) -> None:
        """An administrator deletes one of our messages."""
        message = self._home.channels[arguments["channel"]].find(arguments["ts"])
        if message is not None:
            self._home.delete(message)
