"""Slack's own client, whose requests arrive in this process, each through the gate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiohttp import ServerDisconnectedError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from adapters.slack.posts import DELETE, POST, STATUS, UPDATE
from tests.faults.passage import pass_through
from tests.faults.points import Fault, Kind
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


class GatedClient(AsyncWebClient):
    def __init__(self, home: Workspace, around: Around) -> None:
        super().__init__(token="xoxb-in-process", retry_handlers=[])
        self._home = home
        self._around = around
        self._status_by: dict[tuple[str, str], Process] = {}

    async def api_call(self, api_method: str, **options: Any) -> AsyncSlackResponse:
        arguments = options.get("json") or options.get("params") or {}
        self._around.gate.alive()
        self._judge(api_method, arguments)

        def arrive(by: Process, fault: Fault | None) -> AsyncSlackResponse:
            answer = self._answer(api_method, arguments, by, fault)
            if fault == "cut off":
                raise ServerDisconnectedError
            return self._respond(api_method, *answer)

        kind: Kind = "write" if api_method in WRITES else "ask"
        return await pass_through(self._around, kind, api_method, arrive)

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

    def _respond(self, method: str, status: int, body: Json) -> AsyncSlackResponse:
        response = AsyncSlackResponse(
            client=self,
            http_verb="POST",
            api_url=method,
            req_args={},
            data=body,
            headers={"Retry-After": RETRY_AFTER} if status == 429 else {},
            status_code=status,
        )
        response.validate()  # type: ignore[no-untyped-call] # of the SDK
        return response

    def _answer(
        self, method: str, arguments: Json, by: Process, fault: Fault | None
    ) -> tuple[int, Json]:
        match fault:
            case "too many requests":
                return 429, {"ok": False, "error": "ratelimited"}
            case "server error":
                return 500, {}  # as the SDK reads a page of HTML
            case "refused" if method in {UPDATE, DELETE}:
                self._remove(arguments)
            case "refused":
                return 200, {"ok": False, "error": REFUSALS.get(method, "missing_scope")}
        return 200, self._effect(method, arguments, by)

    def _effect(self, method: str, arguments: Json, by: Process) -> Json:
        look(self._home.inspector, method, arguments)
        try:
            body = METHODS[method](Call(self._home, arguments))
        except Refused as refused:
            return refused.body
        if method == STATUS:
            self._status_by[arguments["channel_id"], arguments["thread_ts"]] = by
            if by.dead or by.thaws_at > self._around.loop.time():
                self.silence(by.name)
        return {"ok": True, **body}

    def _remove(self, arguments: Json) -> None:
        """An administrator deletes one of our messages."""
        message = self._home.channels[arguments["channel"]].find(arguments["ts"])
        if message is not None:
            self._home.delete(message)
