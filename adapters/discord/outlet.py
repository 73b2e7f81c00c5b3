"""The way back into Discord, also for a process that does not listen there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from adapters.discord import answers
from adapters.discord.answers import DiscordError
from adapters.discord.api import Api, Line
from adapters.discord.decode import SOMEBODY
from adapters.discord.events import PLATFORM, Reader
from adapters.discord.people import Directory
from adapters.discord.posts import READING, Posts
from adapters.discord.reply import DiscordReply
from adapters.discord.rights import may_remove
from adapters.discord.spot import Chains, places
from bot.lease import Clock
from bot.platform import Address, Delivery, Inbound, OwnMessage, Reply, Said
from memory.keys import PersonKey, PlaceKey

_LOOK_UPS = 50  # of names, for one turn

_log = logging.getLogger(__name__)


class DiscordOutlet:
    """`reader` knows who we are, and reads back what was said.

    An address tells `channel` (where to send), `message` (the question) and `thread`: "auto" for
    a message at the top of a channel, from which a thread is to be made; "never" where its answer
    is a reply; empty in a thread and in direct messages. Also `guild`, empty in direct messages,
    `parent` of a thread, and the `surface`.
    """

    platform = PLATFORM

    def __init__(self, line: Line, reader: Reader, clock: Clock) -> None:
        api = Api(line)
        self._reader = reader
        self._posts = Posts(api, reader.user)
        self._directory = Directory(api, clock)
        self._chains = Chains()

    def reply(self, delivery: Delivery) -> Reply:
        return DiscordReply(self._posts, delivery, self._chains)

    async def own_messages(self, address: Address, since: int) -> Sequence[OwnMessage]:
        found: list[OwnMessage] = []
        for place in places(address):
            try:
                found += await self._posts.own_messages(place, since)
            except DiscordError as error:
                if place == address["channel"] or error.code != answers.UNKNOWN_CHANNEL:
                    raise
        return sorted(found, key=lambda each: int(each.remote_id))

    async def remove(self, address: Address, remote_id: str) -> None:
        for place in places(address):
            if await self._posts.remove(place, remote_id, READING):
                return

    async def earlier(self, address: Address, after: int, limit: int) -> Sequence[Inbound]:
        if address["thread"] or address["message"] == address["channel"]:
            return ()  # the message began it
        said: list[Inbound] = []
        async for message in self._posts.messages(address["channel"], after):
            one = self._reader.fetched(message, address)
            if one is None or one.message_id == address["message"] or one.author == "bot":
                continue
            if one.said_at > after and one.text:
                said.append(one)
            if len(said) == limit:
                break
        return said[::-1]

    async def later(
        self, place: PlaceKey, address: Address, after: int, limit: int
    ) -> Sequence[Inbound]:
        thread = place.thread or address["channel"]
        if address["thread"] != "never":
            try:
                return await self._later_in(thread, address, after, limit)
            except DiscordError as error:
                if thread == address["channel"] or error.code != answers.UNKNOWN_CHANNEL:
                    raise
        return await self._later_in(address["channel"], address, after, limit)

    async def _later_in(
        self, channel: str, address: Address, after: int, limit: int
    ) -> Sequence[Inbound]:
        """In a channel only replies to us: they go on with what began there."""
        is_chain = bool(address["thread"]) and channel == address["channel"]
        read = self._reader.replied if is_chain else self._reader.told_later
        said: list[Inbound] = []
        async for message in self._posts.messages(channel, after):
            one = read(message, channel, address)
            if one is not None and one.said_at > after and one.text:
                said.append(one)
            if len(said) == limit:
                break
        return said[::-1]

    async def complete(self, address: Address, said: Sequence[Said]) -> Sequence[Said]:
        """Events and messages tell all names but those of who wrote through a webhook."""
        nameless = dict.fromkeys(one.person.user for one in said if not one.name)
        names: dict[str, str] = {}

        async def learn(user: str) -> None:
            try:
                names[user] = await self._directory.name(address["guild"], user)
            except DiscordError as error:
                _log.info("No name: %s", error, extra={"action": "discord.no_name"})

        async with asyncio.TaskGroup() as group:
            for user in list(nameless)[:_LOOK_UPS]:
                group.create_task(learn(user))
        return [
            replace(one, name=one.name or names.get(one.person.user) or SOMEBODY) for one in said
        ]

    async def is_administrator(self, address: Address, person: PersonKey) -> bool:
        """Of a command Discord has told it already."""
        if not address["guild"]:
            return False
        told = address.get("permissions")
        if told:
            return may_remove(int(told))
        channel = address["channel"]
        return may_remove(await self._directory.permissions(address["guild"], channel, person.user))
