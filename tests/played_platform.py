"""A chat platform in this process: places with messages, marks, keys, and a bad network."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import Context
from dataclasses import dataclass, field, replace
from typing import Any

from bot.errors import DeliveryError
from bot.platform import Address, Deleted, Delivery, Edited, Inbound, OwnMessage, Said
from memory.keys import PersonKey, PlaceKey, Surface
from tests.played_network import ARRIVES, Fate, MessageNotFoundError, Request
from tests.played_reply import PlayedReply

Clock = Callable[[], int]


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
    told: Inbound | None = None  # the event of a person's message


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
    administrators: frozenset[PersonKey] = frozenset()
    messages: list[Posted] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    recorded: list[str] = field(default_factory=list)  # turns whose marks are needed no more
    statuses: set[tuple[str, str]] = field(default_factory=set)
    _keys: dict[tuple[str, int], tuple[Posted, int]] = field(default_factory=dict)

    # What people do

    def say(self, place: PlaceKey, person: PersonKey, text: str, **facts: Any) -> Inbound:
        """A person writes, and mentions us unless `facts` of the event say otherwise; the event
        that the platform sends about it."""
        posted = self._append(str(place), str(person), text)
        order = posted.remote_id.rjust(12, "0")
        address = {"place": str(place)}
        told = Inbound(
            *(place, surface_of(place), person, person.user, posted.remote_id, order, posted.at),
            text=text,
            address=address,
            mentions_us=True,
        )
        posted.told = told = replace(told, **facts)
        return told

    def edit(self, said: Inbound, text: str, **facts: Any) -> Edited:
        """Its author changes a message."""
        posted = self._told(said)
        posted.text, posted.edits = text, posted.edits + 1
        posted.told = told = replace(said, text=text, **facts)
        return Edited(told, self.clock())

    def delete(self, said: Inbound) -> Deleted:
        """Its author deletes a message."""
        self._told(said).removed = True
        return Deleted(said.place, said.message_id)

    def _told(self, said: Inbound) -> Posted:
        return self.messages[int(said.message_id) - 1]

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

    async def earlier(self, address: Address, after: int, limit: int) -> Sequence[Inbound]:
        await self.call(Request("read", address["place"], ""))
        told = (
            posted.told
            for posted in self.messages
            if posted.place == address["place"] and posted.at > after and not posted.removed
        )
        return [inbound for inbound in told if inbound is not None][-limit:]

    async def later(
        self, place: PlaceKey, address: Address, after: int, limit: int
    ) -> Sequence[Inbound]:
        return await self.earlier({**address, "place": str(place)}, after, limit)

    async def complete(self, address: Address, said: Sequence[Said]) -> Sequence[Said]:
        """Whoever has no name is called by the account's."""
        await self.call(Request("read", address["place"], ""))
        return [replace(one, name=one.name or one.person.user) for one in said]

    async def is_administrator(self, address: Address, person: PersonKey) -> bool:
        await self.call(Request("read", address["place"], ""))
        return person in self.administrators

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
            case "find" | "read":
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


def surface_of(place: PlaceKey) -> Surface:
    if place.platform == "terminal":
        return "terminal"
    return "public" if place.thread else "direct"
