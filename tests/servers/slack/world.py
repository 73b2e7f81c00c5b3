"""What stands in a workspace: people, channels, messages. Only values and questions about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

Json = dict[str, Any]

ChannelKind = Literal["public", "private", "group", "direct"]
PersonKind = Literal["member", "guest", "external", "bot"]

# A private channel and a group message have ids like a public channel's: only `channel_type` tells.
PREFIXES: dict[ChannelKind, str] = {"public": "C", "private": "C", "group": "C", "direct": "D"}
WIRE_TYPES: dict[ChannelKind, str] = {
    "public": "channel",
    "private": "group",
    "group": "mpim",
    "direct": "im",
}
SCOPE_FAMILIES: dict[ChannelKind, str] = {
    "public": "channels",
    "private": "groups",
    "group": "mpim",
    "direct": "im",
}

STATUS_SECONDS = 120


@dataclass(slots=True)
class Profile:
    """What `users.info` tells about somebody. `team` is the home of a Connect stranger."""

    id: str
    name: str
    kind: PersonKind
    team: str
    admin: bool = False
    owner: bool = False
    display_name: str = ""
    email: str = ""
    bot_id: str = ""
    deleted: bool = False


@dataclass(slots=True)
class Message:
    """One message as it stands; `more` are fields of the wire that this server only passes on."""

    ts: str
    channel: str
    author: Profile
    text: str
    thread_ts: str = ""
    broadcast: bool = False
    blocks: list[Json] = field(default_factory=list)
    metadata: Json | None = None
    client_msg_id: str = ""
    edited: Json | None = None
    tombstone: bool = False
    edits: int = 0
    reactions: set[tuple[str, str]] = field(default_factory=set)
    more: Json = field(default_factory=dict)

    @property
    def thread(self) -> str:
        """The `ts` of the thread in which it stands, or which stands under it."""
        return self.thread_ts or self.ts


@dataclass(slots=True)
class Whisper:
    """A message that only one person sees."""

    ts: str
    channel: str
    text: str
    blocks: list[Json] = field(default_factory=list)
    thread_ts: str = ""


@dataclass(slots=True)
class Upload:
    """A file on its way: announced, brought (`content`), shared."""

    name: str
    length: int
    key: str
    content: bytes | None = None
    is_shared: bool = False

    def bring(self, content: bytes) -> bool:
        """False: it is not what was announced, or was brought before."""
        if self.content is not None or len(content) != self.length:
            return False
        self.content = content
        return True


@dataclass(slots=True)
class Channel:
    """A place to write in. `statuses` are the texts under threads, and when they were set."""

    id: str
    name: str
    kind: ChannelKind
    team: str
    members: set[str] = field(default_factory=set)
    archived: bool = False
    shared: bool = False  # with another organisation, by Slack Connect
    messages: list[Message] = field(default_factory=list)
    statuses: dict[str, tuple[str, int]] = field(default_factory=dict)

    @property
    def wire_type(self) -> str:
        return WIRE_TYPES[self.kind]

    def find(self, ts: str) -> Message | None:
        return next((each for each in self.messages if each.ts == ts), None)

    def replies(self, ts: str) -> list[Message]:
        """Of a thread, without its root."""
        return [each for each in self.messages if each.thread_ts == ts]

    def top_level(self) -> list[Message]:
        return [each for each in self.messages if not each.thread_ts or each.broadcast]

    def in_thread(self, ts: str) -> list[Message]:
        """The root, where it stands, and all replies, in order."""
        return [each for each in self.messages if ts in (each.ts, each.thread_ts)]

    def status(self, thread: str, now: int) -> str:
        """What is said to be going on there; it goes by itself after two minutes."""
        text, at = self.statuses.get(thread, ("", 0))
        return text if now - at < STATUS_SECONDS * 1000 else ""


def texts_of(blocks: object) -> Iterator[str]:
    """Everything in blocks that a person reads, or that names an action."""
    if isinstance(blocks, str):
        yield blocks
    elif isinstance(blocks, list):
        for each in blocks:
            yield from texts_of(each)
    elif isinstance(blocks, dict):
        for key, value in blocks.items():
            if key not in {"action_id", "block_id", "value", "type"}:
                yield from texts_of(value)
