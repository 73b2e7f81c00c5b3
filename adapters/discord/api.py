"""Discord's REST API as the answers need it: paced, guarded, timed, and tried again."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from adapters.chat.sending import NotNow, Pace
from adapters.discord.answers import Answer, DiscordError

_PAUSES = (0.5, 1.0, 2.0, math.inf)  # seconds, for as long as the request may take
_SECOND, _INSTANT = 1.0, 0.001
_MOST = 45  # calls in a second: Discord takes fifty of one bot, whatever they are
_MOST_SHOWN = 30  # of them, so that what must be sent finds room
_LONGEST_CLOSED = 5 * 60  # seconds; nobody means a longer "retry after"
_MANY = 1_000
_EVERYTHING = ("", "")

Bucket = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Request:
    """`path` has names in braces, `ids` what stands there."""

    method: str
    path: str
    ids: Mapping[str, str]
    body: Mapping[str, Any] | None = None
    query: Mapping[str, str] = field(default_factory=dict)

    @property
    def bucket(self) -> Bucket:
        """What Discord counts together: a route, in one channel or guild."""
        where = self.ids.get("channel_id") or self.ids.get("guild_id") or ""
        return f"{self.method} {self.path}", where


class Line(Protocol):
    """Carries one request, once."""

    async def carry(self, request: Request, within_ms: int) -> Answer:
        """Raise DiscordError, `unknown` when the request may have arrived."""
        ...


class Api:
    """discord.py repeats nothing for us and waits for no rate: it would do so inside of a send,
    which may take only so long. What is sent here may be sent twice: posts have a nonce."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._closed: dict[Bucket, float] = {}
        self._lately: deque[float] = deque()  # when the calls of the last second were made

    async def call(self, request: Request, pace: Pace) -> Any:
        """Raise DiscordError, or NotNow."""
        await self._turn(request.bucket, must=pace.must)
        loop = asyncio.get_running_loop()
        give_up_at = loop.time() + pace.send_ms / 1000
        may_have_arrived = False
        for pause in _PAUSES:
            pace.guard()
            self._lately.append(loop.time())
            left = give_up_at - loop.time()
            try:
                answer = await self._line.carry(request, max(1, round(1000 * left)))
            except DiscordError as error:
                self._heed(request.bucket, error)
                error.unknown = may_have_arrived = may_have_arrived or error.unknown
                lasts = error.permanent or error.retry_after is not None
                if lasts or loop.time() + pause >= give_up_at:
                    raise
            else:
                self._close(request.bucket, answer.pause)
                return answer.data
            await asyncio.sleep(pause)
        raise AssertionError  # pragma: no cover - the last pause has no end

    async def _turn(self, bucket: Bucket, *, must: bool) -> None:
        while (wait := max(self._wait(bucket), self._wait_for_others(must=must))) > _INSTANT:
            if not must:
                raise NotNow(bucket)
            await asyncio.sleep(wait)

    def _wait(self, bucket: Bucket) -> float:
        now = asyncio.get_running_loop().time()
        return max(self._closed.get(each, 0.0) - now for each in (bucket, _EVERYTHING))

    def _wait_for_others(self, *, must: bool) -> float:
        now = asyncio.get_running_loop().time()
        while self._lately and now - self._lately[0] >= _SECOND:
            self._lately.popleft()
        most = _MOST if must else _MOST_SHOWN
        return _SECOND - (now - self._lately[-most]) if len(self._lately) >= most else 0.0

    def _heed(self, bucket: Bucket, error: DiscordError) -> None:
        if error.retry_after is not None:
            self._close(_EVERYTHING if error.is_global else bucket, error.retry_after)

    def _close(self, bucket: Bucket, seconds: float) -> None:
        if seconds <= 0:
            return
        now = asyncio.get_running_loop().time()
        if len(self._closed) >= _MANY:
            self._closed = {each: until for each, until in self._closed.items() if until > now}
        self._closed[bucket] = now + min(seconds, _LONGEST_CLOSED)
