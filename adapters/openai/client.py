"""The SDK's client, and its errors as ours."""

from __future__ import annotations

import re
import ssl
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from functools import cache
from http import HTTPStatus
from typing import Literal

import httpx2
from openai import (
    APIConnectionError,
    APIError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    DefaultAsyncHttpxClient,
    Timeout,
)

from bot.addresses import cause_of
from bot.errors import ConfigError, ModelError
from bot.patience import Patience

Kind = Literal["failed", "busy", "too_long", "blocked", "account"]

OPENAI_URL = "https://api.openai.com/v1"
_NO_KEY = "no-key"  # the SDK wants one; a server on one's own machine does not look at it


def connect(api_key: str | None, base_url: str | None, patience: Patience) -> AsyncOpenAI:
    """One client for the process. It does not repeat a request itself: it would repeat those of
    an exhausted account, and pause for two minutes where a server asks for it."""
    if not api_key and not base_url:
        raise ConfigError(
            "OPENAI_API_KEY is not set. Set it, or OPENAI_BASE_URL for a server that needs no key."
        )
    return AsyncOpenAI(
        api_key=api_key or _NO_KEY,
        base_url=base_url or OPENAI_URL,
        timeout=Timeout(patience.silence_seconds, connect=patience.connect_seconds),
        max_retries=0,
        http_client=DefaultAsyncHttpxClient(verify=_authorities()),
    )


@cache
def _authorities() -> ssl.SSLContext:
    """Whom to trust: read once for all models."""
    return httpx2.create_ssl_context()


def model_error(model: str, error: Exception, where: str) -> ModelError:
    """What the SDK raised, as ours; `where` is host and port. The text leaves out what the
    provider wrote: a server may repeat the question in it, or the key."""
    if not isinstance(error, APIError):
        text = f"{model} at {where}: {cause_of(error)}, not understood"
        return ModelError(text, retryable=True)
    kind = _kind({error.code, error.type}, _status(error), error.message)
    return ModelError(
        f"{model} at {where}: {_summary(error)}",
        retryable=kind == "busy" or (kind == "failed" and _may_pass(error)),
        kind=kind,
        retry_after=_retry_after(_headers(error)),
    )


def reported_error(model: str, code: str | None, message: str | None) -> ModelError:
    """What a service says in the middle of an answer that began well."""
    kind = _kind({code}, None, message or "")
    may_pass = not code or "error" in code or "timeout" in code
    return ModelError(
        f"{model}: {code or 'an error'} in the stream",
        retryable=kind == "busy" or (kind == "failed" and may_pass),
        kind=kind,
    )


_TOO_LONG = {"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"}
_ACCOUNT = {
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_not_active",
    "account_deactivated",
    "invalid_api_key",
    "model_not_found",
}
_BLOCKED = {
    "content_filter",
    "moderation_blocked",
    "invalid_prompt",
}
_BUSY = {"rate_limit_exceeded", "overloaded", "overloaded_error", "server_overloaded"}

# Compatible servers have no code for it, and not always status 400.
_SAYS_TOO_LONG = re.compile(
    r"maximum context length|context (size|length|window).{0,40}exceed|request too large"
    r"|exceeds? .{0,40}context (size|length|window)|prompt is too long|reduce the length",
    re.IGNORECASE,
)


def _kind(given: set[str | None], status: int | None, message: str) -> Kind:
    words = {word for word in given if word}
    if words & _TOO_LONG or status == 413 or _SAYS_TOO_LONG.search(message):  # noqa: PLR2004 - HTTP's number
        return "too_long"
    if words & _ACCOUNT or status in {401, 402, 403, 404}:
        return "account"
    if words & _BLOCKED or any("policy" in word for word in words):
        return "blocked"
    return "busy" if words & _BUSY or status in {429, 503} else "failed"


def _may_pass(error: APIError) -> bool:
    """Whether the same request may do better a moment later."""
    status = _status(error)
    if status is None:  # no answer, or an error in the middle of one
        return error.type != "invalid_request_error"
    return status in {408, 409} or status >= 500  # noqa: PLR2004 - HTTP's number


def _summary(error: APIError) -> str:
    if isinstance(error, APITimeoutError):
        return "timed out"
    if isinstance(error, APIConnectionError):
        return f"no connection: {cause_of(error)}"
    words = [str(word) for word in (_status(error), error.type, error.code, error.param) if word]
    if isinstance(error, APIStatusError) and error.request_id:
        words.append(error.request_id)
    if _status(error) == HTTPStatus.NOT_FOUND:
        words.append("(the model, or the address itself, is not known there)")
    return " ".join(words) or type(error).__name__


def _status(error: APIError) -> int | None:
    return error.status_code if isinstance(error, APIStatusError) else None


def _headers(error: APIError) -> Mapping[str, str]:
    return error.response.headers if isinstance(error, APIStatusError) else {}


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds from now. A date is counted from the server's own, so that clocks may differ."""
    for header, divisor in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            return max(0.0, float(headers[header]) / divisor)
        except (KeyError, ValueError):
            continue
    try:
        until = parsedate_to_datetime(headers["retry-after"])
        return max(0.0, (until - parsedate_to_datetime(headers["date"])).total_seconds())
    except (KeyError, ValueError, TypeError):  # TypeError: only one of them names its time zone
        return None
