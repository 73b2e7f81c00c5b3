"""What Discord answers a request, and its refusals in our words. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.errors import DeliveryError

UNKNOWN_CHANNEL = 10003
UNKNOWN_MEMBER = 10007
UNKNOWN_MESSAGE = 10008
UNKNOWN_USER = 10013
MANY_EDITS = 30046
MISSING_ACCESS = 50001
MISSING_PERMISSIONS = 50013
WRONG_CHANNEL = 50024
ARCHIVED = 50083
THREAD_EXISTS = 160004
MANY_THREADS = 160006

_WORDS: Mapping[int, str] = {
    UNKNOWN_CHANNEL: "the channel or thread is gone",
    UNKNOWN_MESSAGE: "the message is gone",
    MANY_EDITS: "an old message may not be edited any more",
    MISSING_ACCESS: "we may not see the channel",
    50005: "the message is not ours",
    50006: "the message is empty",
    50007: "the person takes no direct messages from us",
    MISSING_PERMISSIONS: "a permission is missing there",
    WRONG_CHANNEL: "a channel of this kind does not take that",
    50035: "the message has a form that Discord does not take",
    ARCHIVED: "the thread is archived",
    50278: "we share no server with the person",
    130000: "Discord has too much to do",
    THREAD_EXISTS: "the message has a thread already",
    160005: "the thread is locked",
    MANY_THREADS: "the server has too many threads",
    200000: "the server's AutoMod does not let it through",
    200001: "the server's AutoMod does not let it through",
}
_FOR_A_WHILE = frozenset({130000})
_UNAUTHORIZED, _TOO_MANY, _SERVER_ERROR = 401, 429, 500


class DiscordError(DeliveryError):
    """Discord refused, or did not answer. `status` is HTTP's, `code` Discord's own; 0: none.
    `retry_after` is in seconds, and for all that we ask if it `is_global`."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: int = 0,
        permanent: bool = False,
        unknown: bool = False,
        retry_after: float | None = None,
        is_global: bool = False,
    ) -> None:
        super().__init__(message, permanent=permanent, unknown=unknown)
        self.status = status
        self.code = code
        self.retry_after = retry_after
        self.is_global = is_global


@dataclass(frozen=True, slots=True)
class Answer:
    """`pause`: for so many seconds the same must not be asked again."""

    data: Any = None
    pause: float = 0.0


def read_answer(status: int, headers: Mapping[str, str], body: str) -> Answer:
    """Raise DiscordError. The headers' names are read in any case."""
    told = _json(body)
    if status < 300:  # noqa: PLR2004 - HTTP's own
        return Answer(told, _pause(headers))
    told = told if isinstance(told, Mapping) else {}
    code = int(told.get("code") or 0)
    if status == _TOO_MANY and code != MANY_EDITS:
        raise _too_many(headers, told)
    raise refusal(status, code, by_discord="code" in told)


def refusal(status: int, code: int, *, by_discord: bool = True) -> DiscordError:
    """Not `by_discord`: something on the way refused, or Discord could not say why."""
    is_away = status >= _SERVER_ERROR or code in _FOR_A_WHILE
    passes = is_away or (status == _TOO_MANY and code != MANY_EDITS)
    words = _WORDS.get(code, f"code {code}")
    if status == _UNAUTHORIZED:
        words = "the token is not valid any more"
    return DiscordError(
        f"{words} (HTTP {status})" if by_discord else f"HTTP {status}",
        status=status,
        code=code,
        permanent=by_discord and not passes,
        unknown=is_away,
    )


def _too_many(headers: Mapping[str, str], told: Mapping[str, Any]) -> DiscordError:
    """Without a Via it comes from what stands before Discord, and means everything."""
    seconds = headers.get("Retry-After") or told.get("retry_after") or 1
    is_global = bool(headers.get("X-RateLimit-Global")) or not headers.get("Via")
    return DiscordError(
        "rate limited", status=_TOO_MANY, retry_after=float(seconds), is_global=is_global
    )


def _pause(headers: Mapping[str, str]) -> float:
    if headers.get("X-RateLimit-Remaining") != "0":
        return 0.0
    return float(headers.get("X-RateLimit-Reset-After") or 0)


def _json(body: str) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None
