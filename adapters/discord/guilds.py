"""What the gateway has told of the guilds: their channels, threads and roles. Pure look-ups, kept
current by its events; nothing of it is about what anybody said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memory.keys import Surface

Json = Mapping[str, Any]

_ADMINISTRATOR, _VIEW_CHANNEL = 1 << 3, 1 << 10
THREADS = frozenset({10, 11, 12})
_PRIVATE_THREAD = 12
MOST_ARCHIVED = 1_000
"""Threads of a guild; who writes in one opens it again, and Discord may tell that late."""


@dataclass(frozen=True, slots=True)
class Channel:
    """`parent` of a thread is the channel that it hangs from. `allow` and `deny` are what the
    channel changes of everyone's permissions."""

    name: str
    kind: int
    parent: str = ""
    allow: int = 0
    deny: int = 0
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Role:
    name: str
    permissions: int
    bot: str


@dataclass(slots=True)
class Guild:
    roles: dict[str, Role] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)


class Guilds:
    def __init__(self) -> None:
        self._guilds: dict[str, Guild] = {}

    def learn(self, kind: str, data: Json) -> None:
        """Take in what an event of this kind tells."""
        match kind:
            case "GUILD_CREATE" if not data.get("unavailable"):
                self._guilds[data["id"]] = _guild(data)
            case "GUILD_DELETE" if not data.get("unavailable"):
                self._guilds.pop(data["id"], None)
            case "CHANNEL_CREATE" | "CHANNEL_UPDATE" | "THREAD_CREATE" | "THREAD_UPDATE":
                self._keep(data)
            case "CHANNEL_DELETE" | "THREAD_DELETE":
                self._remove(data)
            case "THREAD_LIST_SYNC":
                self._of(data).channels.update(_channels(data.get("threads") or ()))
            case "GUILD_ROLE_CREATE" | "GUILD_ROLE_UPDATE":
                self._of(data).roles[data["role"]["id"]] = _role(data["role"])
            case "GUILD_ROLE_DELETE":
                self._of(data).roles.pop(data["role_id"], None)

    def thread(self, guild: str, channel: str) -> bool:
        """Whether a channel is a thread. A guild tells all of its channels, and only its threads
        that are not archived: what is not known is one of the others."""
        known = self._guilds.get(guild)
        if known is None:
            return False
        found = known.channels.get(channel)
        return found is None or found.kind in THREADS

    def parent(self, guild: str, channel: str) -> str:
        """What a thread hangs from; empty for a channel, and where it was never told."""
        found = self._channel(guild, channel)
        return found.parent if found is not None and found.kind in THREADS else ""

    def surface(self, guild: str, channel: str) -> Surface:
        """Public is what everyone in the guild may see."""
        found = self._channel(guild, channel)
        if found is None or found.kind == _PRIVATE_THREAD:
            return "private"
        if found.kind in THREADS:
            return self.surface(guild, found.parent)
        return "public" if self._is_seen_by_everyone(guild, found) else "private"

    def role_of(self, guild: str, bot: str) -> str:
        """The role that a bot was given for itself; empty when there is none."""
        roles = self._guilds.get(guild, Guild()).roles
        return next((name for name, role in roles.items() if role.bot == bot), "")

    def role_names(self, guild: str) -> Mapping[str, str]:
        roles = self._guilds.get(guild, Guild()).roles
        return {each: role.name for each, role in roles.items()}

    def channel_names(self, guild: str) -> Mapping[str, str]:
        channels = self._guilds.get(guild, Guild()).channels
        return {each: channel.name for each, channel in channels.items()}

    def _of(self, data: Json) -> Guild:
        """Of a guild that was not told as a whole nothing is kept."""
        return self._guilds.get(data["guild_id"], Guild())

    def _channel(self, guild: str, channel: str) -> Channel | None:
        return self._guilds.get(guild, Guild()).channels.get(channel)

    def _keep(self, data: Json) -> None:
        """Of archived threads only the last, or a guild would grow for as long as we listen."""
        channels, channel = self._of(data).channels, _channel(data)
        if channel.archived:
            channels.pop(data["id"], None)  # to stand last
        channels[data["id"]] = channel
        if channel.archived:
            archived = [name for name, each in channels.items() if each.archived]
            for name in archived[:-MOST_ARCHIVED]:
                del channels[name]

    def _remove(self, data: Json) -> None:
        guild, gone = self._of(data), data["id"]
        threads = [
            name
            for name, channel in guild.channels.items()
            if channel.kind in THREADS and channel.parent == gone
        ]
        for name in [gone, *threads]:
            guild.channels.pop(name, None)

    def _is_seen_by_everyone(self, guild: str, channel: Channel) -> bool:
        everyone = self._guilds[guild].roles.get(guild)
        granted = everyone.permissions if everyone else 0
        if granted & _ADMINISTRATOR:
            return True
        return bool((granted & ~channel.deny | channel.allow) & _VIEW_CHANNEL)


def _guild(data: Json) -> Guild:
    channels = _channels([*(data.get("channels") or ()), *(data.get("threads") or ())], data["id"])
    return Guild({each["id"]: _role(each) for each in data.get("roles") or ()}, channels)


def _channels(told: Any, guild: str = "") -> dict[str, Channel]:
    return {each["id"]: _channel(each, guild) for each in told}


def _channel(data: Json, guild: str = "") -> Channel:
    guild = guild or data.get("guild_id") or ""
    overwrites = data.get("permission_overwrites") or ()
    everyone: Json = next((each for each in overwrites if each["id"] == guild), {})
    return Channel(
        name=data.get("name") or "",
        kind=int(data["type"]),
        parent=data.get("parent_id") or "",
        allow=int(everyone.get("allow", 0)),
        deny=int(everyone.get("deny", 0)),
        archived=bool((data.get("thread_metadata") or {}).get("archived")),
    )


def _role(data: Json) -> Role:
    tags: Json = data.get("tags") or {}
    return Role(data.get("name") or "", int(data.get("permissions") or 0), tags.get("bot_id") or "")
