"""What we post in one workspace: paced, guarded, timed, and marked with its turn."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from adapters.chat.sending import FixedError, NotNow, Pace, Part
from adapters.slack.events import Installation, Json, milliseconds, sent_order
from adapters.slack.rates import Governor
from adapters.slack.web import READ_MS, SlackError, asked
from bot.platform import Address, OwnMessage

POST, UPDATE, DELETE = "chat.postMessage", "chat.update", "chat.delete"
STATUS = "assistant.threads.setStatus"
REPLIES, HISTORY = "conversations.replies", "conversations.history"

_MARK = "nimbus_answer"
_KEYS = uuid.UUID("6c8f4a52-0d5e-4c3b-9a44-2f0f5b1a7e10")  # any, but for ever the same
_FIXED = frozenset({"cant_update_message", "edit_window_closed", "message_not_found"})
_PAGE = 200
_PAGES = 10


class Posts:
    """Sends raise SlackError."""

    def __init__(self, client: AsyncWebClient, us: Installation, governor: Governor) -> None:
        self.governor = governor
        self._client = client
        self._us = us

    async def post(self, address: Address, part: Part, pace: Pace) -> str | None:
        """The message's ts; nothing when one with this part's key stood there and was deleted."""
        body = {
            **_content(address, part),
            "client_msg_id": _key(part),
            "unfurl_links": False,
            "unfurl_media": False,
        }
        if address["thread"]:
            body["thread_ts"] = address["thread"]
        try:
            response = await self._call(POST, address, body, pace)
        except SlackError as error:
            if error.code != "duplicate_message_not_found":
                raise
            return None
        ts = str(response["ts"])
        if _digest_of(response.get("message") or {}) not in {"", _digest(part.text)}:
            # The same key was sent before, with an older text.
            await self.update(address, ts, part, replace(pace, must=True))
        return ts

    async def update(self, address: Address, ts: str, part: Part, pace: Pace) -> None:
        """Raise FixedError, too."""
        try:
            await self._call(UPDATE, address, {**_content(address, part), "ts": ts}, pace)
        except SlackError as error:
            if error.code not in _FIXED:
                raise
            raise FixedError(error.code, permanent=True) from error

    async def remove(self, address: Address, ts: str, pace: Pace) -> None:
        """It may be gone already."""
        try:
            await self._call(DELETE, address, {"channel": address["channel"], "ts": ts}, pace)
        except SlackError as error:
            if error.code != "message_not_found":
                raise

    async def set_status(self, address: Address, status: str, pace: Pace) -> None:
        """Say what is going on in the thread; an empty status clears it."""
        body = {
            "channel_id": address["channel"],
            "thread_ts": address["thread"],
            "status": status,
        }
        await self._call(STATUS, address, body, pace)

    async def own_messages(self, address: Address, since: int) -> list[OwnMessage]:
        """Our marked messages in a thread, or at the top of a direct message, in order."""
        found = {
            message["ts"]: turn
            async for message in self._messages(address, since)
            if self._us.is_ours(message) and milliseconds(message["ts"]) >= since
            if (turn := _payload(message).get("turn"))
        }
        return [OwnMessage(ts, found[ts]) for ts in sorted(found, key=sent_order)]

    async def _messages(self, address: Address, since: int) -> AsyncIterator[Json]:
        asking: dict[str, Any] = {
            "channel": address["channel"],
            "oldest": f"{since / 1000:.6f}",
            "inclusive": True,
            "include_all_metadata": True,
            "limit": _PAGE,
        }
        method = HISTORY
        if address["thread"]:
            method, asking["ts"] = REPLIES, address["thread"]
        for _ in range(_PAGES):
            response = await self._call(method, address, asking, _READING)
            for message in response["messages"]:
                yield message
            cursor = (response.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return
            asking["cursor"] = cursor

    async def _call(
        self, method: str, address: Address, body: dict[str, Any], pace: Pace
    ) -> AsyncSlackResponse:
        channel = address["channel"]
        if pace.must:
            await self.governor.turn(method, channel)
        elif not self.governor.may_show(method, channel):
            raise NotNow(method)
        pace.guard()
        try:
            return await asked(self._request(method, body), pace.send_ms)
        except SlackError as error:
            if error.retry_after is not None:
                self.governor.refused(method, channel, error.retry_after)
            raise

    async def _request(self, method: str, body: dict[str, Any]) -> AsyncSlackResponse:
        if method in (REPLIES, HISTORY):  # which take no JSON
            return await self._client.api_call(method, http_verb="GET", params=body)
        return await self._client.api_call(method, json=body)


def _nothing_to_guard() -> None:
    """Reading changes nothing."""


_READING = Pace(_nothing_to_guard, READ_MS)


def mark(part: Part) -> dict[str, Any]:
    """Message metadata: nobody sees it, and we find the message by it."""
    payload = {"turn": part.turn, "part": str(part.number), "text": _digest(part.text)}
    return {"event_type": _MARK, "event_payload": payload}


def _key(part: Part) -> str:
    """Slack takes two posts with the same one for the same."""
    return str(uuid.uuid5(_KEYS, f"{part.turn} {part.number} {part.edition}"))


def _content(address: Address, part: Part) -> dict[str, Any]:
    return {"channel": address["channel"], "markdown_text": part.text, "metadata": mark(part)}


def _payload(message: Json) -> Json:
    """What our mark says; nothing where there is none."""
    metadata = message.get("metadata") or {}
    payload: Json = metadata.get("event_payload") or {}
    return payload if metadata.get("event_type") == _MARK else {}


def _digest_of(message: Json) -> str:
    return str(_payload(message).get("text", ""))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
