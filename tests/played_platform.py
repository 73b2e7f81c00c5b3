"""A chat platform in this process: places with messages, marks, keys, and a bad network."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import Context
from dataclasses import dataclass, field, replace
from typing import Literal, Self

from bot.errors import DeliveryError
from bot.platform import Address, Delivery, Inbound, OwnMessage, SentPart
from memory.keys import PersonKey, PlaceKey, Surface

Clock = Callable[[], int]


@dataclass(frozen=True, slots=True)
class Request:
    """One call of ours that arrives at the platform."""

    kind: Literal["post", "edit", "remove", "find"]
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


@dataclass(slots=True)
class Posted:
    """A message as people see it; `mark` is the turn of one of ours."""

    remote_id: str
    place: str
    author: str
    text: str
    at: int
    mark: str = ""
    part: int = 0
    edits: int = 0
    removed: bool = False


@dataclass
class PlayedPlatform:
    """The platform and our outlet on it.

    `fate` decides over each request. Posts with the same (turn, part) within `remembers`
    milliseconds are one post, as with Discord's nonce; 0 is a platform that has no such thing.
    """

    clock: Clock
    platform: str = "played"
    characters: int = 2_000
    remembers: int = 5 * 60_000
    throttle: int = 0  # milliseconds between two edits of what is shown
    fate: Callable[[Request], Fate] = lambda _request: ARRIVES
    messages: list[Posted] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    statuses: set[tuple[str, str]] = field(default_factory=set)
    _keys: dict[tuple[str, int], tuple[Posted, int]] = field(default_factory=dict)

    # What people do

    def say(self, place: PlaceKey, person: PersonKey, text: str) -> Inbound:
        """A person writes; the event that the platform sends about it."""
        posted = self._append(str(place), str(person), text)
        order = posted.remote_id.rjust(12, "0")
        address = {"place": str(place)}
        return Inbound(
            *(place, surface_of(place), person, person.user, posted.remote_id, order, posted.at),
            text=text,
            address=address,
        )

    def shown(self, place: PlaceKey) -> list[str]:
        """Everything that stands in a place, in order, ours marked with an arrow."""
        return [
            f"> {posted.text}" if posted.mark else posted.text
            for posted in self.messages
            if posted.place == str(place) and not posted.removed
        ]

    def own(self, turn: str) -> list[Posted]:
        """What stands there of a turn's answer, in order."""
        return [posted for posted in self.messages if posted.mark == turn and not posted.removed]

    # The outlet

    def reply(self, delivery: Delivery) -> PlayedReply:
        return PlayedReply(self, delivery)

    async def own_messages(self, address: Address, since: int) -> Sequence[OwnMessage]:
        await self.call(Request("find", address["place"], ""))
        return [
            OwnMessage(posted.remote_id, posted.mark)
            for posted in self.messages
            if posted.place == address["place"] and posted.mark and not posted.removed
            if posted.at >= since
        ]

    async def remove(self, address: Address, remote_id: str) -> None:
        with suppress(MessageNotFoundError):
            await self.call(Request("remove", address["place"], "", remote_id=remote_id))

    async def call(self, request: Request, *, give_up_ms: int = 4_000) -> str:
        """Send a request; the id of the message that it made or changed.

        Raise DeliveryError, `unknown` when no response came in time.
        """
        fate = self.fate(request)
        if fate.refused is not None:
            raise fate.refused
        landed = self.depart(request, fate.lands_after)
        try:
            async with asyncio.timeout(give_up_ms / 1000):
                return await (landed if fate.answered else asyncio.Future())
        except TimeoutError as error:
            raise DeliveryError("no response", unknown=True) from error

    def depart(self, request: Request, lands_after: float | None) -> asyncio.Future[str]:
        """Put a request on its way, on which nobody can stop it any more."""
        self.requests.append(request)
        loop = asyncio.get_running_loop()
        landed: asyncio.Future[str] = loop.create_future()
        if lands_after == 0:
            self._answer(request, landed)
        elif lands_after is not None:
            loop.call_later(lands_after, self._answer, request, landed, context=Context())
        return landed

    def set_status(self, place: str, turn: str, *, busy: bool) -> None:
        """Show or clear "is thinking"."""
        if busy:
            self.statuses.add((place, turn))
        else:
            self.statuses.discard((place, turn))

    # What the platform does

    def _answer(self, request: Request, landed: asyncio.Future[str]) -> None:
        try:
            remote_id = self._apply(request)
        except MessageNotFoundError as error:
            if not landed.done():
                landed.set_exception(error)
                landed.exception()  # nobody may be there to hear of it
        else:
            if not landed.done():
                landed.set_result(remote_id)

    def _apply(self, request: Request) -> str:
        match request.kind:
            case "post":
                return self._post(request).remote_id
            case "edit":
                posted = self._standing(request)
                posted.text, posted.edits = request.text, posted.edits + 1
            case "remove":
                self._standing(request).removed = True
            case "find":
                pass
        return request.remote_id

    def _post(self, request: Request) -> Posted:
        key = (request.turn, request.part)
        known = self._keys.get(key)
        if known is not None and self.clock() - known[1] < self.remembers:
            return known[0]
        posted = self._append(request.place, self.platform, request.text)
        posted.mark, posted.part = request.turn, request.part
        self._keys[key] = (posted, self.clock())
        return posted

    def _append(self, place: str, author: str, text: str) -> Posted:
        number = str(len(self.messages) + 1)
        posted = Posted(number, place, author, text, self.clock())
        self.messages.append(posted)
        return posted

    def _standing(self, request: Request) -> Posted:
        for posted in self.messages:
            if posted.remote_id == request.remote_id and not posted.removed:
                return posted
        raise MessageNotFoundError("message_not_found", permanent=True)


class PlayedReply:
    """One turn's answer there: posted once, then edited."""

    def __init__(self, platform: PlayedPlatform, delivery: Delivery) -> None:
        self._platform = platform
        self._delivery = delivery
        self._parts = list(delivery.sent)
        self._texts: dict[str, str] = {}  # what we know to stand there
        self._edited_at = 0
        self._lost = False  # whether a first message went out and nobody knows where to

    @property
    def sent(self) -> Sequence[SentPart]:
        return tuple(self._parts)

    async def __aenter__(self) -> Self:
        self._platform.set_status(*self._where, busy=True)
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._platform.set_status(*self._where, busy=False)

    async def show(self, text: str) -> None:
        text = text[: self._platform.characters]
        now = self._platform.clock()
        if text and (not self._parts or now - self._edited_at >= self._platform.throttle):
            self._edited_at = now
            await self._put(0, SentPart("", len(text)), text)

    async def finish(self, answer: str) -> Sequence[SentPart]:
        size = self._platform.characters
        pieces = [answer[start : start + size] for start in range(0, len(answer), size)]
        for index, piece in enumerate(pieces):
            await self._put(index, SentPart("", index * size + len(piece)), piece)
        await self._remove_from(len(pieces))
        return self.sent

    async def close(self, notice: str) -> None:
        if self._parts:
            await self._put(0, SentPart("", len(notice)), notice)
            await self._remove_from(1)

    async def _put(self, index: int, part: SentPart, text: str) -> None:
        if index < len(self._parts):
            remote_id = self._parts[index].remote_id
            if self._texts.get(remote_id) != text:
                await self._call(Request("edit", *self._where, text, index, remote_id))
        else:
            remote_id = await self._post(Request("post", *self._where, text, index))
            self._parts.append(part)
        self._parts[index] = replace(part, remote_id=remote_id)
        self._texts[remote_id] = text

    async def _post(self, request: Request) -> str:
        if self._lost:
            raise DeliveryError("it may have been sent before", unknown=True)
        self._delivery.guard()
        self._lost = True  # also when we are cancelled while it is on its way
        try:
            remote_id = await self._platform.call(request, give_up_ms=self._delivery.send_ms)
        except DeliveryError as error:
            self._lost = error.unknown
            raise
        self._lost = False
        return remote_id

    async def _remove_from(self, count: int) -> None:
        while len(self._parts) > count:
            remote_id = self._parts[-1].remote_id
            await self._call(Request("remove", *self._where, remote_id=remote_id))
            self._parts.pop()

    async def _call(self, request: Request) -> str:
        self._delivery.guard()
        return await self._platform.call(request, give_up_ms=self._delivery.send_ms)

    @property
    def _where(self) -> tuple[str, str]:
        return self._delivery.address["place"], self._delivery.turn


def surface_of(place: PlaceKey) -> Surface:
    return "public" if place.thread else "direct"
