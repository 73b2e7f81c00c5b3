"""How a platform is asked to send something."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bot.errors import DeliveryError


class NotNow(Exception):  # noqa: N818 - nothing failed, and nothing was sent
    """What is only for show has to wait for what must be sent."""


class FixedError(DeliveryError):
    """The message is gone, or cannot be changed any more."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How a call is made: what `must` be sent waits until the rate allows it, anything else goes at
    once or raises NotNow. `guard` is asked directly before it, and it may take `send_ms`."""

    guard: Callable[[], None]
    send_ms: int
    must: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    """One message of a turn's answer. `edition` counts how often it had to be posted anew; `ends`:
    nothing more comes of this turn."""

    turn: str
    number: int
    text: str
    edition: int = 0
    ends: bool = False


class Sender(Protocol):
    """Sends the messages of one answer to where it belongs. Raise DeliveryError."""

    async def post(self, part: Part, pace: Pace) -> str | None:
        """The message's id; nothing when one with the same key stood there and was deleted. Never
        repeats a post that the platform may take for another."""
        ...

    async def update(self, remote_id: str, part: Part, pace: Pace) -> None:
        """Raise FixedError when that cannot be."""
        ...

    async def remove(self, remote_id: str, pace: Pace) -> None:
        """It may be gone already."""
        ...
