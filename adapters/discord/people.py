"""Who people are, and what they may; their names are remembered for a while."""

from __future__ import annotations

from adapters.chat.kept import MOST, Kept
from adapters.discord import answers
from adapters.discord.answers import DiscordError
from adapters.discord.api import Api, Request
from adapters.discord.decode import SOMEBODY, name_of
from adapters.discord.guilds import THREADS, Json
from adapters.discord.posts import READING
from adapters.discord.rights import permissions_in
from bot.lease import Clock

_NOT_THERE = frozenset({answers.UNKNOWN_MEMBER, answers.UNKNOWN_USER})


class Directory:
    """Raises DiscordError."""

    def __init__(self, api: Api, clock: Clock, *, most: int = MOST) -> None:
        self._api = api
        self._names: Kept[str] = Kept(clock, self._ask_for_name, most)

    async def name(self, guild: str, user: str) -> str:
        """As the guild calls them, if there is one; who is not there is somebody."""
        return await self._names.get(f"{guild} {user}")

    async def permissions(self, guild: str, channel: str, user: str) -> int:
        """As they are now; none for who is not there."""
        found = await self._ask("/channels/{channel_id}", channel_id=channel)
        if found.get("type") in THREADS:
            found = await self._ask("/channels/{channel_id}", channel_id=found["parent_id"])
        try:
            member = await self._member(guild, user)
        except DiscordError as error:
            if error.code not in _NOT_THERE:
                raise
            return 0
        return permissions_in(await self._ask("/guilds/{guild_id}", guild_id=guild), member, found)

    async def _ask_for_name(self, key: str) -> str:
        guild, _, user = key.partition(" ")
        try:
            if guild:
                member = await self._member(guild, user)
                return name_of(member["user"], member) or SOMEBODY
            return name_of(await self._ask("/users/{user_id}", user_id=user)) or SOMEBODY
        except DiscordError as error:
            if error.code not in _NOT_THERE:
                raise
            return SOMEBODY

    async def _member(self, guild: str, user: str) -> Json:
        path = "/guilds/{guild_id}/members/{user_id}"
        return await self._ask(path, guild_id=guild, user_id=user)

    async def _ask(self, path: str, **ids: str) -> Json:
        told: Json = await self._api.call(Request("GET", path, ids), READING)
        return told
