"""What we post on Discord: paced, guarded, timed, and marked with its turn."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any

from adapters.chat.sending import Pace, Part
from adapters.discord import answers
from adapters.discord.answers import DiscordError
from adapters.discord.api import Api, Request
from adapters.discord.buttons import mark_of, stop_button
from adapters.discord.events import milliseconds, snowflake_before
from adapters.discord.guilds import Json
from bot.platform import OwnMessage

READ_MS = 4_000

_MESSAGES = "/channels/{channel_id}/messages"
_MESSAGE = _MESSAGES + "/{message_id}"
_THREADS = _MESSAGE + "/threads"
_CHANNEL = "/channels/{channel_id}"
_TYPING = _CHANNEL + "/typing"

_GONE = frozenset({answers.UNKNOWN_MESSAGE, answers.UNKNOWN_CHANNEL})
_NO_PREVIEWS = 1 << 2
_NO_PINGS = {"parse": [], "replied_user": False}
_NONCE = 25  # letters
_PAGE = 100
_PAGES = 10
_DAY = 24 * 60  # minutes, after which a silent thread is put away


def _nothing_to_guard() -> None:
    """Reading changes nothing, or whoever calls has looked already."""


READING = Pace(_nothing_to_guard, READ_MS)


class Posts:
    """Sends raise DiscordError. `us` is our account."""

    def __init__(self, api: Api, us: str) -> None:
        self.us = us
        self._api = api

    async def post(self, channel: str, part: Part, reply_to: str, pace: Pace) -> str:
        """The message's id; `reply_to` is the message that it answers, if that is to be seen."""
        body = {**_content(part), "nonce": _nonce(part), "enforce_nonce": True}
        if reply_to:
            body["message_reference"] = {"message_id": reply_to, "fail_if_not_exists": False}
        message = await self._api.call(_in("POST", _MESSAGES, channel, body), pace)
        posted = str(message["id"])
        if str(message["content"]).strip() != part.text.strip():
            # The same nonce was sent before, with an older text.
            await self.update(channel, posted, part, replace(pace, must=True))
        return posted

    async def update(self, channel: str, message: str, part: Part, pace: Pace) -> None:
        await self._change("PATCH", channel, message, _content(part), pace)

    async def unmark(self, channel: str, message: str, pace: Pace) -> None:
        body = {"components": [], "allowed_mentions": _NO_PINGS}  # which each edit decides anew
        await self._change("PATCH", channel, message, body, pace)

    async def remove(self, channel: str, message: str, pace: Pace) -> bool:
        """Whether it stood there."""
        try:
            await self._change("DELETE", channel, message, None, pace)
        except DiscordError as error:
            if error.code not in _GONE:
                raise
            return False
        return True

    async def show_typing(self, channel: str, pace: Pace) -> None:
        await self._api.call(_in("POST", _TYPING, channel), pace)

    async def start_thread(self, channel: str, message: str, name: str, pace: Pace) -> None:
        """Its id is the message's."""
        body = {"name": name, "auto_archive_duration": _DAY}
        await self._api.call(_about("POST", _THREADS, channel, message, body), pace)

    async def read(self, channel: str, message: str, pace: Pace) -> Json:
        told: Json = await self._api.call(_about("GET", _MESSAGE, channel, message), pace)
        return told

    async def own_messages(self, channel: str, since: int) -> list[OwnMessage]:
        """Our marked messages in one channel, in order."""
        found = {
            message["id"]: turn
            async for message in self.messages(channel, since, oldest_first=since > 0)
            if message["author"]["id"] == self.us and milliseconds(message["id"]) >= since
            if (turn := mark_of(message))
        }
        return [OwnMessage(each, found[each]) for each in sorted(found, key=int)]

    async def messages(
        self, channel: str, since: int, *, oldest_first: bool = False
    ) -> AsyncIterator[Json]:
        """What was said since then (UTC ms), a page at a time, and so many pages at most."""
        at, way = (snowflake_before(since), "after") if oldest_first else ("", "before")
        for _ in range(_PAGES):
            query = {"limit": str(_PAGE)} | ({way: at} if at else {})
            request = Request("GET", _MESSAGES, {"channel_id": channel}, query=query)
            page = await self._api.call(request, READING)
            for message in page:
                yield message
            if len(page) < _PAGE or (not oldest_first and milliseconds(page[-1]["id"]) < since):
                return
            at = page[0 if oldest_first else -1]["id"]  # a page always begins with its newest

    async def _change(
        self, method: str, channel: str, message: str, body: Mapping[str, Any] | None, pace: Pace
    ) -> None:
        """A thread that was put away has to be opened for it."""
        request = _about(method, _MESSAGE, channel, message, body)
        try:
            await self._api.call(request, pace)
        except DiscordError as error:
            if error.code != answers.ARCHIVED:
                raise
            await self._api.call(_in("PATCH", _CHANNEL, channel, {"archived": False}), pace)
            await self._api.call(request, pace)


def _in(method: str, path: str, channel: str, body: Mapping[str, Any] | None = None) -> Request:
    return Request(method, path, {"channel_id": channel}, body)


def _about(
    method: str, path: str, channel: str, message: str, body: Mapping[str, Any] | None = None
) -> Request:
    return Request(method, path, {"channel_id": channel, "message_id": message}, body)


def _content(part: Part) -> dict[str, Any]:
    """The button is the mark by which we find the message: each has it until nothing more comes."""
    rows = [] if part.ends else [{"type": 1, "components": [stop_button(part.turn)]}]
    return {
        "content": part.text,
        "components": rows,
        "flags": _NO_PREVIEWS,
        "allowed_mentions": _NO_PINGS,
    }


def _nonce(part: Part) -> str:
    """Discord takes two posts with the same one for the same, for a few minutes."""
    key = f"{part.turn} {part.number} {part.edition}"
    return hashlib.sha256(key.encode()).hexdigest()[:_NONCE]
