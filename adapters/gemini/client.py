"""The SDK's client, and its errors as ours."""

from __future__ import annotations

import re
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from functools import cache
from http import HTTPStatus
from typing import Any, Literal

import httpx2
from google.genai import Client
from google.genai.errors import APIError
from google.genai.types import HttpOptions

from bot.addresses import cause_of
from bot.errors import ConfigError, ModelError
from bot.patience import Patience

Kind = Literal["failed", "busy", "too_long", "blocked", "account"]
Json = dict[str, Any]

_NO_KEY = "no-key"  # the SDK wants one; a server on one's own machine does not look at it
GEMINI_URL = "https://generativelanguage.googleapis.com"


class SignatureRefusedError(ModelError):
    """Another model's or key's thought signatures stand in the request."""


def connect(
    api_key: str | None, base_url: str | None, api_version: str, transport: httpx2.AsyncClient
) -> Client:
    """One client for the process. It repeats no request while it is given a transport: on aiohttp
    it does after a lost connection, with a pause of up to ten seconds."""
    if not api_key and not base_url:
        raise ConfigError("GEMINI_API_KEY is not set.")
    options = HttpOptions(
        api_version=api_version,
        base_url=base_url,
        httpx_async_client=transport,
        client_args={"verify": _authorities()},
        async_client_args={"ssl": _authorities()},
    )
    return Client(api_key=api_key or _NO_KEY, enterprise=False, http_options=options)


def open_transport(patience: Patience) -> httpx2.AsyncClient:
    """HTTP with our time-outs. The SDK knows only one, and asks the server to keep to it for the
    whole answer."""
    limits = httpx2.Timeout(patience.silence_seconds, connect=patience.connect_seconds).as_dict()

    async def set_limits(request: httpx2.Request) -> None:
        request.extensions["timeout"] = limits

    async def note(response: httpx2.Response) -> None:
        _opened.get().append(response)

    return httpx2.AsyncClient(
        event_hooks={"request": [set_limits], "response": [note]},
        follow_redirects=True,
        verify=_authorities(),
    )


@cache
def _authorities() -> ssl.SSLContext:
    """Whom to trust: read once, where the SDK would read it three times for each model."""
    return httpx2.create_ssl_context()


@asynccontextmanager
async def closing_responses() -> AsyncIterator[None]:
    """Close what is answered in this block. The SDK does not when its stream is left early: the
    generators inside it wait for the garbage collector."""
    responses: list[httpx2.Response] = []
    _opened.set(responses)
    try:
        yield
    finally:
        for response in responses:
            await response.aclose()


_opened: ContextVar[list[httpx2.Response]] = ContextVar("opened")


def model_error(model: str, error: Exception, where: str) -> ModelError:
    """What the SDK raised, as ours; `where` is host and port. The text leaves out what the
    provider wrote: a server may repeat the question in it, or the key."""
    if isinstance(error, httpx2.TimeoutException):
        return ModelError(f"{model} at {where}: timed out", retryable=True)
    if isinstance(error, httpx2.TransportError):
        return ModelError(f"{model} at {where}: no connection: {cause_of(error)}", retryable=True)
    if not isinstance(error, APIError):
        return ModelError(f"{model} at {where}: {cause_of(error)}, not understood", retryable=True)
    kind = _kind(error)
    made = SignatureRefusedError if _SAYS_SIGNATURE.search(_message(error)) else ModelError
    return made(
        f"{model} at {where}: {_summary(error)}",
        retryable=kind == "busy" or (kind == "failed" and error.code in _PASSING),
        kind=kind,
        retry_after=_retry_after(error),
    )


_PASSING = {408, 409, 499, 500, 502, 504}
_ACCOUNT = {"UNAUTHENTICATED", "PERMISSION_DENIED", "NOT_FOUND", "FAILED_PRECONDITION"}
_SAYS_SIGNATURE = re.compile(r"thought.?signature", re.IGNORECASE)
_SAYS_TOO_LONG = re.compile(
    r"token count.{0,40}exceeds|exceeds the maximum number of (input )?tokens"
    r"|request payload size exceeds|prompt is too long",
    re.IGNORECASE,
)
# All quota is status 429; of a day's, or one of nothing, no pause helps.
_SAYS_NO_QUOTA = re.compile(r"per.?day|limit: 0\b|credits? (are|is) depleted", re.IGNORECASE)


def _kind(error: APIError) -> Kind:
    if _SAYS_TOO_LONG.search(_message(error)) or error.code == 413:  # noqa: PLR2004 - HTTP's number
        return "too_long"
    if error.code in {401, 402, 403, 404} or error.status in _ACCOUNT or _is_bad_key(error):
        return "account"
    if error.code == 429 or error.status == "RESOURCE_EXHAUSTED":  # noqa: PLR2004 - the same
        return "account" if _has_no_quota(error) else "busy"
    return "busy" if error.code == 503 or error.status == "UNAVAILABLE" else "failed"  # noqa: PLR2004 - the same


def _is_bad_key(error: APIError) -> bool:
    """It comes as an invalid argument, status 400."""
    return any(str(each.get("reason", "")).startswith("API_KEY_") for each in _details(error))


def _has_no_quota(error: APIError) -> bool:
    found = [each for detail in _details(error) for each in _list(detail.get("violations"))]
    names = (f"{each.get('quotaId')} {each.get('quotaMetric')}" for each in found)
    nothing = any(str(each.get("quotaValue")) == "0" for each in found)
    return nothing or any(map(_SAYS_NO_QUOTA.search, (_message(error), *names)))


def _retry_after(error: APIError) -> float | None:
    """Seconds, as the header says, else Google's own detail."""
    header = error.response.headers.get("retry-after") if error.response else None
    waits = [header, *(f"{each['retryDelay']}" for each in _details(error) if "retryDelay" in each)]
    for wait in waits:
        try:
            return max(0.0, float(str(wait).removesuffix("s")))
        except ValueError:
            continue
    return None


def _summary(error: APIError) -> str:
    """Words that Google defines; anybody else's are left out."""
    reasons = (str(each.get("reason", "")) for each in _details(error))
    words = [str(error.code), str(error.status or ""), *reasons]
    if error.code == HTTPStatus.NOT_FOUND:
        return "404 (the model, or the address itself, is not known there)"
    return " ".join(word for word in words if re.fullmatch(r"[A-Z0-9_]+", word)) or "failed"


def _message(error: APIError) -> str:
    return str(error.message or "")


def _details(error: APIError) -> Iterator[Json]:
    """The errors' details, whether the SDK has kept the envelope or not."""
    body = error.details if isinstance(error.details, dict) else {}
    inner = body.get("error", body)
    yield from _list(inner.get("details") if isinstance(inner, dict) else None)


def _list(value: Any) -> list[Json]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
