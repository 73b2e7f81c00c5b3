"""The seam to a chat platform: what was said there, and how an answer gets back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

from bot.told import File, Then
from memory.keys import PersonKey, PlaceKey, Surface

Address = Mapping[str, str]
"""Stored data from which an answer can be sent: no live event, no object."""


Author = Literal["member", "guest", "external", "bot"]


@dataclass(frozen=True, slots=True)
class Inbound:
    """One message as a platform's event tells it; made without network, and never of our own.

    `message_id` is unique in the place's channel, `sent_order` sorts as text in the platform's
    order, `said_at` is the platform's time in UTC milliseconds. `name` is empty where the event
    does not tell it: then `Outlet.complete` is asked before a model reads the message. `text` is
    decoded, without our own mention; people and channels may still stand in it as ids. A message
    at the top of a channel names the thread that an answer would begin.

    `parent` is the channel from which the place's thread hangs, where the place does not name it.
    `replied` is the message of ours that it replies to; then it belongs to that one's place.
    `replied_turn` is that message's mark, while its answer grows.
    `hidden`: the platform tells that it was said, and not what.
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
    author: Author = "member"
    mentions_us: bool = False
    mentions_others: bool = False
    replies_to: Literal["us", "other"] | None = None
    parent: str = ""
    replied: str = ""
    replied_turn: str = ""
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Edited:
    """A message has another text now: the whole message as it stands, changed at (UTC ms)."""

    message: Inbound
    edited_at: int


@dataclass(frozen=True, slots=True)
class Deleted:
    """A message is gone from the platform. The place's thread may be empty: it is not needed."""

    place: PlaceKey
    message_id: str


@dataclass(frozen=True, slots=True)
class Removed:
    """A thread, a channel with its threads, or with neither a whole workspace is gone, and takes
    along what was said there before `at`: the platform's time (UTC ms), or where it tells none, one
    that is later than all that was said there."""

    platform: str
    workspace: str
    at: int
    channel: str = ""
    thread: str = ""


@dataclass(frozen=True, slots=True)
class Present:
    """All the workspaces in which our account is, as the platform told at `at` (UTC ms), also those
    that it cannot reach now. What has conversations and is not among them was left while nobody
    listened."""

    platform: str
    account: str
    workspaces: frozenset[str]
    at: int


Event = Inbound | Edited | Deleted | Removed | Present


@dataclass(frozen=True, slots=True)
class Accepted:
    """What became of an event, which may be acknowledged now.

    `notice` is for its author alone, and told after the acknowledgement; where there are `files`,
    both go to the author's direct messages. `alone`: nobody else may see the notice, also where a
    platform can show it to one person only in their direct messages. `waiting`: it will be
    answered. `done`: a command, an edit, a delete or a removal that took effect. The others are not
    stored. With `then` something is under way, and its text is the notice.
    """

    how: Literal["waiting", "observed", "done", "ignored", "refused", "repeated", "forgotten"]
    conversation: str | None = None
    notice: str = ""
    files: AsyncIterator[File] | None = None
    alone: bool = False
    then: Then | None = None

    @property
    def is_told(self) -> bool:
        """Whether there is something to tell."""
        return bool(self.notice) or self.then is not None

    async def tell(self) -> str:
        return await self.then() if self.then else self.notice


@dataclass(frozen=True, slots=True)
class Said:
    """A person's words as a model reads them."""

    person: PersonKey
    name: str
    text: str


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

    async def recorded(self) -> None:
        """The answer is stored as delivered, or given up: what stood on the platform only so that
        the answer could be found again may go. Nobody depends on it."""
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

    async def earlier(self, address: Address, after: int, limit: int) -> Sequence[Inbound]:
        """The newest messages of other people in the address's place, said after (platform's
        time, UTC ms), in order; none where the addressed message began it. Raise
        `DeliveryError`."""
        ...

    async def later(
        self, place: PlaceKey, address: Address, after: int, limit: int
    ) -> Sequence[Inbound]:
        """The newest messages of other people in the place, said after (platform's time, UTC ms),
        in order, each as its event would tell it. `address` is any there. Raise `DeliveryError`."""
        ...

    async def complete(self, address: Address, said: Sequence[Said]) -> Sequence[Said]:
        """The same with the names of people and channels, which the events did not tell; never an
        empty name: who cannot be found gets a word that stands for anybody."""
        ...

    async def is_administrator(self, address: Address, person: PersonKey) -> bool:
        """Whether the platform lets this person remove what others wrote there. Raise
        `DeliveryError`."""
        ...


@dataclass(frozen=True, slots=True)
class Called:
    """A command that is no message, such as a slash command. Outside of threads its place has
    none; `said_at` is UTC ms. Where it means a `turn`, its place is that turn's."""

    words: str
    person: PersonKey
    place: PlaceKey
    surface: Surface
    said_at: int
    address: Address
    turn: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is told to who called, and to nobody else. `asks`: nothing was done yet, it has to be
    confirmed first; `comes_late`: what it meant has ended; `alone`: as of `Accepted`. With `then`
    something is under way, and that tells what came of it."""

    text: str
    asks: bool = False
    comes_late: bool = False
    files: AsyncIterator[File] | None = None
    alone: bool = False
    then: Then | None = None

    async def tell(self) -> str:
        return await self.then() if self.then else self.text


class Reception(Protocol):
    """Where a platform brings what it hears."""

    async def accept(self, event: Event) -> Accepted:
        """Has committed when it returns, or raises: then nothing may be acknowledged."""
        ...

    async def command(self, called: Called, *, confirmed: bool = False) -> Answer:
        """Has committed when it returns."""
        ...

    async def is_news(self, what: str, person: PersonKey) -> bool:
        """Whether a person was not told this lately; now they are."""
        ...

    def connected(self, platform: str, since: int | None) -> None:
        """We hear what is said there, again. All that was said since then (UTC ms) may have been
        missed; None: nothing but what was said before the first connection."""
        ...

    @property
    def name(self) -> str:
        """What we are called."""
        ...


class Platform(Protocol):
    """Listens until it is cancelled, or until it is refused for good."""

    outlet: Outlet

    async def listen(self, reception: Reception) -> None: ...
