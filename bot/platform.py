"""The seam to a chat platform: what was said there, and how an answer gets back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from memory.keys import PersonKey, PlaceKey, Surface

Address = Mapping[str, str]
"""Stored data from which an answer can be sent: no live event, no object."""


@dataclass(frozen=True, slots=True)
class Inbound:
    """One message as a platform's event tells it; made without network.

    `message_id` is unique in the place's channel, `sent_order` sorts as text in the platform's
    order, `said_at` is the platform's time in UTC milliseconds.
    """

    place: PlaceKey
    surface: Surface
    person: PersonKey
    name: str
    message_id: str
    sent_order: str
    said_at: int
    text: str
    address: Address


@dataclass(frozen=True, slots=True)
class SentPart:
    """One message of ours on the platform; it ends at this character of the answer."""

    remote_id: str
    ends_at: int = 0


@dataclass(frozen=True, slots=True)
class OwnMessage:
    """A message of ours that stands on the platform, and the turn whose mark it carries."""

    remote_id: str
    turn: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """What a platform must know to show one turn's answer.

    `guard` raises `Superseded` and is called directly before each send; a send that takes longer
    than `send_ms` is given up as `DeliveryError(unknown=True)`. `sent` are the parts that stand
    on the platform already, in order. The idempotency key of a part derives from `turn` and the
    part's number.
    """

    turn: str
    address: Address
    guard: Callable[[], None]
    send_ms: int
    sent: Sequence[SentPart] = ()


class Reply(AbstractAsyncContextManager["Reply"], Protocol):
    """One turn's answer on the platform. On leaving, status and typing are cleared.

    Sends raise `DeliveryError`. None of them repeats a *first* message whose fate is unknown:
    `bot.delivery` looks for it first and makes a new reply of what it found.
    """

    async def show(self, text: str) -> None:
        """Show the whole text so far; may be throttled, may show nothing yet."""
        ...

    async def finish(self, answer: str) -> Sequence[SentPart]:
        """Make what is shown the answer, all parts of it. Called twice, it posts once."""
        ...

    async def close(self, notice: str) -> None:
        """Put a short line in place of what was shown; nothing where nothing was."""
        ...

    @property
    def sent(self) -> Sequence[SentPart]:
        """The parts that are known to stand on the platform."""
        ...


class Outlet(Protocol):
    """Sends answers to one platform, also in a process that does not listen there."""

    platform: str

    def reply(self, delivery: Delivery) -> Reply: ...

    async def own_messages(self, address: Address, since: int) -> Sequence[OwnMessage]:
        """Our marked messages in the address's place since then (platform's time, UTC ms), in
        order. Raise `DeliveryError`."""
        ...

    async def remove(self, address: Address, remote_id: str) -> None:
        """Delete a message of ours; it may be gone already. Raise `DeliveryError`."""
        ...


Accept = Callable[[Inbound], Awaitable[object]]


class Platform(Protocol):
    """Listens until it is cancelled; `accept` has committed when it returns, or raises."""

    outlet: Outlet

    async def listen(self, accept: Accept) -> None: ...
