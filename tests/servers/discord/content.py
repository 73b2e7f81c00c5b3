"""What a message may be made of: text, embeds, components, a nonce; each with its limit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.servers.discord.calls import BadForm, Refused
from tests.servers.discord.world import EPHEMERAL, SUPPRESS_EMBEDS, Json

CONTENT = 2_000
NONCE = 25
SETTABLE_FLAGS = SUPPRESS_EMBEDS | EPHEMERAL | 1 << 12  # the last: no notification

Problem = tuple[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Content:
    text: str = ""
    embeds: list[Json] = field(default_factory=list)
    components: list[Json] = field(default_factory=list)
    flags: int = 0
    nonce: str = ""
    allowed: Json | None = None
    """Whom it may call; None: everybody whom it names."""


def content_of(body: Json, *, attached: bool = False) -> Content:
    """Of a new message. Raise Refused for what Discord does not take."""
    content = Content(
        str(body.get("content") or ""),
        body.get("embeds") or [],
        body.get("components") or [],
        int(body.get("flags") or 0) & SETTABLE_FLAGS,
        str(body.get("nonce") or ""),
        body.get("allowed_mentions"),
    )
    check(body)
    if not (content.text.strip() or content.embeds or content.components or attached):
        raise Refused(50006)
    return content


def check(body: Json) -> None:
    """Raise Refused for what stands in the body and is too long or not well formed."""
    if problems := dict(_problems(body)):
        raise BadForm(problems)


def _problems(body: Json) -> Iterator[Problem]:
    yield from _too_long("content", body.get("content"), CONTENT, "BASE_TYPE_MAX_LENGTH")
    yield from _too_long("nonce", body.get("nonce"), NONCE, "NONCE_TYPE_TOO_LONG")
    embeds = body.get("embeds") or []
    if len(embeds) > 10:
        yield "embeds", ("BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.")
    for at, each in enumerate(embeds):
        yield from _too_long(f"embeds.{at}.description", each.get("description"), 4_096)
    yield from _row_problems(body.get("components") or [])
    yield from _mention_problems(body.get("allowed_mentions") or {})


def _row_problems(rows: list[Json]) -> Iterator[Problem]:
    if len(rows) > 5:
        yield "components", ("BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
    seen: set[str] = set()
    for at, row in enumerate(rows):
        inside = row.get("components", [])
        where = f"components.{at}"
        if row.get("type") != 1:
            yield f"{where}.type", ("UNION_TYPE_CHOICES", "Value of field must be one of (1,).")
        elif not 1 <= len(inside) <= 5:
            message = "Must be between 1 and 5 in length."
            yield f"{where}.components", ("BASE_TYPE_BAD_LENGTH", message)
        for number, each in enumerate(inside):
            yield from _component_problems(f"{where}.components.{number}", each, seen)


def _component_problems(where: str, one: Json, seen: set[str]) -> Iterator[Problem]:
    custom = str(one.get("custom_id", ""))
    yield from _too_long(f"{where}.custom_id", custom, 100)
    yield from _too_long(f"{where}.label", one.get("label"), 80)
    if one.get("type") != 2:
        return
    if not one.get("label") and not one.get("emoji"):
        yield where, ("BUTTON_COMPONENT_INVALID", "A button must have a label or an emoji.")
    if one.get("style") == 5:
        if not one.get("url"):
            yield f"{where}.url", ("BASE_TYPE_REQUIRED", "A url is required.")
    elif not custom:
        yield f"{where}.custom_id", ("BASE_TYPE_REQUIRED", "A custom id is required.")
    elif custom in seen:
        message = "Component custom id cannot be duplicated."
        yield f"{where}.custom_id", ("COMPONENT_CUSTOM_ID_DUPLICATED", message)
    seen.add(custom)


def _mention_problems(allowed: Json) -> Iterator[Problem]:
    for kind in ("users", "roles"):
        if kind in allowed.get("parse", []) and allowed.get(kind):
            message = f'parse:["{kind}"] and {kind}: [ids...] are mutually exclusive.'
            yield "allowed_mentions", ("MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", message)


def _too_long(
    where: str, text: object, most: int, code: str = "BASE_TYPE_MAX_LENGTH"
) -> Iterator[Problem]:
    if len(str(text or "")) > most:
        yield where, (code, f"Must be {most} or fewer in length.")
