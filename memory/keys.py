"""Where something was said and who said it, as keys, and the digests that outlive both."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, Self
from urllib.parse import quote, unquote

Surface = Literal["direct", "private", "public", "terminal"]
_SAFE = "/@.-_+ "
_NO_CHANNEL = "-"  # Discord's places in guilds have no other

SEEN_KEPT = 7 * 24 * 3_600_000
"""Milliseconds for which the digest of a message tells a repeat."""


@dataclass(frozen=True, slots=True)
class PlaceKey:
    """A place as text: `slack:T1:C1:1718000000.000100`. `thread` is empty where there is none."""

    platform: str
    workspace: str
    channel: str
    thread: str

    def __str__(self) -> str:
        return _join(self.platform, self.workspace, self.channel, self.thread)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raise ValueError when `text` is no place."""
        platform, workspace, channel, thread = _split(text, 4)
        return cls(platform, workspace, channel, thread)


@dataclass(frozen=True, slots=True)
class PersonKey:
    """A person as text: `slack:T1:U1`; `discord:U9`, where the account is the person."""

    platform: str
    workspace: str
    user: str

    def __str__(self) -> str:
        if not self.workspace:
            return _join(self.platform, self.user)
        return _join(self.platform, self.workspace, self.user)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raise ValueError when `text` is no person."""
        pieces = text.split(":")
        if len(pieces) == 2:  # noqa: PLR2004 - platform and account
            platform, user = _split(text, 2)
            return cls(platform, "", user)
        platform, workspace, user = _split(text, 3)
        return cls(platform, workspace, user)


def surface_of(surface: Surface, place: PlaceKey) -> str:
    """Where what is known from there may be shown: only in its person's direct messages, only in
    that private channel (on Discord: that thread of it), or in the workspace."""
    if surface in {"direct", "terminal"}:
        return "direct"
    if surface == "public":
        return _join("workspace", place.platform, place.workspace)
    # A place in a guild names its thread only, and what a thread hangs from may have more readers.
    channel = place.thread if place.channel == _NO_CHANNEL else place.channel
    return channel_surface(place.workspace, channel)


def channel_surface(workspace: str, channel: str) -> str:
    return _join("channel", workspace, channel)


def shown_on(surface: Surface, place: PlaceKey) -> tuple[str, str]:
    """The surfaces whose notes may be shown there: its own, and the workspace's."""
    return surface_of(surface, place), surface_of("public", place)


@dataclass(frozen=True, slots=True)
class Digests:
    """Keyed digests: they tell that something was seen or forgotten, and not what it was."""

    secret: bytes

    def said(self, place: PlaceKey, message_id: str) -> str:
        """One message, whatever thread it is shown in: the key is (channel, message id)."""
        return self._digest("said", place.platform, place.workspace, place.channel, message_id)

    def place(self, place: PlaceKey) -> str:
        return self._digest("place", str(place))

    def person(self, person: PersonKey) -> str:
        return self._digest("person", str(person))

    def person_in_place(self, person: PersonKey, place: PlaceKey) -> str:
        return self._digest("person in place", str(person), str(place))

    def payer(self, person: PersonKey) -> str:
        """Whoever a turn was answered for, among the sums of a day."""
        return self._digest("payer", str(person))

    def told(self, what: str, person: PersonKey) -> str:
        """That a person was told something, which is not to be said again and again."""
        return self._digest("told", what, str(person))

    def _digest(self, *pieces: str) -> str:
        return hmac.new(self.secret, "\0".join(pieces).encode(), sha256).hexdigest()


def _join(*pieces: str) -> str:
    return ":".join(quote(piece, safe=_SAFE) for piece in pieces)


def _split(text: str, count: int) -> list[str]:
    pieces = [unquote(piece) for piece in text.split(":")]
    if len(pieces) != count or not all(pieces[: count - 1]):
        message = f"{text!r} is not a key of {count} parts"
        raise ValueError(message)
    return pieces
