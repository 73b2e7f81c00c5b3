"""The network to a played platform: what is asked of it, and what becomes of each request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bot.errors import DeliveryError


@dataclass(frozen=True, slots=True)
class Request:
    """One call of ours that arrives at the platform."""

    kind: Literal["post", "edit", "remove", "find", "read"]
    place: str
    turn: str
    text: str = ""
    part: int = 0
    remote_id: str = ""


@dataclass(frozen=True, slots=True)
class Fate:
    """What the network makes of a request. A lost one never lands."""

    lands_after: float | None = 0.0  # seconds
    answered: bool = True
    refused: DeliveryError | None = None


ARRIVES = Fate()
LOST = Fate(lands_after=None, answered=False)
RESPONSE_LOST = Fate(answered=False)
UNAVAILABLE = Fate(lands_after=None, refused=DeliveryError("503"))
REFUSED = Fate(lands_after=None, refused=DeliveryError("channel_archived", permanent=True))


def late(seconds: float) -> Fate:
    """The caller gave up on it, and then it landed."""
    return Fate(lands_after=seconds, answered=False)


class MessageNotFoundError(DeliveryError):
    """What was to be changed does not stand there (any more)."""
