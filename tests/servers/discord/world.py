"""What there is on Discord: people, servers, channels, messages. Only values and questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Json = dict[str, Any]

ChannelKind = Literal["text", "direct", "announcement", "public thread", "private thread", "forum"]

WIRE_TYPES: Mapping[ChannelKind, int] = {
    "text": 0,
    "direct": 1,
    "announcement": 5,
    "public thread": 11,
    "private thread": 12,
    "forum": 15,
}

TYPING_SECONDS = 10

# Kinds of messages
PLAIN, JOINED, THREAD_CREATED, REPLY, COMMAND, THREAD_STARTER = 0, 7, 18, 19, 20, 21
SYSTEM = {JOINED, THREAD_CREATED, THREAD_STARTER}

# Flags of messages
SUPPRESS_EMBEDS, HAS_THREAD, EPHEMERAL, LOADING = 1 << 2, 1 << 5, 1 << 6, 1 << 7


@dataclass(eq=False, slots=True)
class User:
    """An account, the same everywhere. `blocked` are whom this person does not hear."""

    id: str
    name: str
    display_name: str = ""
    bot: bool = False
    blocked: set[str] = field(default_factory=set)

    @property
    def mention(self) -> str:
        return f"<@{self.id}>"


@dataclass(eq=False, slots=True)
class Role:
    id: str
    name: str
    permissions: int = 0
    managed_by: str = ""  # of a bot that brought it along

    @property
    def mention(self) -> str:
        return f"<@&{self.id}>"


@dataclass(slots=True)
class Overwrite:
    """What a role or a person may more, or less, in one channel."""

    allow: int = 0
    deny: int = 0


@dataclass(eq=False, slots=True)
class Member:
    user: User
    joined: str
    roles: set[str] = field(default_factory=set)
    nick: str = ""


@dataclass(eq=False, slots=True)
class Message:
    """One message as it stands; `more` are fields of the wire that are only passed on.

    `pings` are the ids of everybody whom it really called: people, roles, and "everyone".
    """

    id: str
    channel: Channel
    author: User
    content: str
    timestamp: str
    kind: int = PLAIN
    embeds: list[Json] = field(default_factory=list)
    components: list[Json] = field(default_factory=list)
    attachments: list[Json] = field(default_factory=list)
    flags: int = 0
    nonce: str = ""
    mentions: list[User] = field(default_factory=list)
    pings: set[str] = field(default_factory=set)
    reference: Json | None = None
    edited: str = ""
    edits: int = 0
    webhook: str = ""
    only_for: str = ""  # the one person who sees it
    more: Json = field(default_factory=dict)

    @property
    def thread(self) -> Channel | None:
        """The thread that was made from it."""
        guild = self.channel.guild
        thread = guild.channels.get(self.id) if guild else None
        return thread if thread is not self.channel else None

    @property
    def url(self) -> str:
        guild = self.channel.guild.id if self.channel.guild else "@me"
        return f"https://discord.com/channels/{guild}/{self.channel.id}/{self.id}"

    @property
    def replies_to(self) -> str:
        """The id of the message that it answers; empty for any other reference."""
        return str((self.reference or {}).get("message_id", "")) if self.kind == REPLY else ""


@dataclass(eq=False, slots=True)
class Channel:
    """A place to write in, or a forum. `members` are those of a thread or of direct messages.

    `typing` tells since when somebody is seen to type, in milliseconds.
    """

    id: str
    name: str
    kind: ChannelKind
    guild: Guild | None = None
    parent: Channel | None = None
    owner: str = ""
    members: dict[str, User] = field(default_factory=dict)
    overwrites: dict[str, Overwrite] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    typing: dict[str, int] = field(default_factory=dict)
    archived: bool = False
    locked: bool = False
    archive_minutes: int = 1440
    changed: str = ""  # when it was last archived or not

    @property
    def is_thread(self) -> bool:
        return self.kind in {"public thread", "private thread"}

    @property
    def mention(self) -> str:
        return f"<#{self.id}>"

    @property
    def has_messages(self) -> bool:
        return self.kind != "forum"

    def find(self, message: str) -> Message | None:
        return next((each for each in self.messages if each.id == message), None)

    def typists(self, now: int) -> set[str]:
        """Who is seen to type; ten seconds after the last sign of it nobody is."""
        seconds = TYPING_SECONDS * 1000
        return {user for user, at in self.typing.items() if now - at < seconds}


@dataclass(eq=False, slots=True)
class Guild:
    """A server. Its first role, @everyone, has the server's own id."""

    id: str
    name: str
    owner: str
    roles: dict[str, Role] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)  # and threads
    unavailable: bool = False

    def threads_of(self, channel: Channel) -> list[Channel]:
        return [each for each in self.channels.values() if each.parent is channel]


@dataclass(eq=False, slots=True)
class Application:
    """A bot, as its developer set it up. `commands` by the server's id; "" are the global ones.

    `content_allowed`: the switch of the Message Content intent.
    """

    id: str
    name: str
    user: User
    token: str
    public_key: str
    owner: str  # the developer
    content_allowed: bool = True
    members_allowed: bool = False
    commands: dict[str, list[Json]] = field(default_factory=dict)
    installed_by: set[str] = field(default_factory=set)  # people who carry it along
    interactions_url: str = ""  # where interactions go instead of the gateway

    def command(self, guild: Guild | None, name: str) -> Json | None:
        """A server's own command stands before the global one of that name."""
        nearest = self.commands.get(guild.id, []) if guild else []
        offered = [*nearest, *self.commands.get("", [])]
        return next((each for each in offered if each["name"] == name), None)


def texts_of(components: object) -> Iterator[str]:
    """Everything in components or embeds that a person reads."""
    if isinstance(components, str):
        yield components
    elif isinstance(components, list):
        for each in components:
            yield from texts_of(each)
    elif isinstance(components, dict):
        for key, value in components.items():
            if key not in {"custom_id", "url", "value", "type", "style", "id", "emoji"}:
                yield from texts_of(value)


def pressables(components: object) -> Iterator[Json]:
    """Everything in components that can be pressed."""
    if isinstance(components, list):
        for each in components:
            yield from pressables(each)
    elif isinstance(components, dict):
        if "custom_id" in components:
            yield components
        for each in components.values():
            yield from pressables(each)
