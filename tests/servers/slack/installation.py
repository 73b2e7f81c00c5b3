"""One workspace with the app installed: what is said there, and what the app is told about it."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from memory.database import Clock
from tests.servers.inspection import Inspector
from tests.servers.slack import shapes
from tests.servers.slack.manifest import EVENT_SCOPES, EVENTS, SCOPES
from tests.servers.slack.socket import Delivery, Hub
from tests.servers.slack.world import (
    PREFIXES,
    SCOPE_FAMILIES,
    Channel,
    ChannelKind,
    Json,
    Message,
    Profile,
    Upload,
    Whisper,
)


class Somebody(Protocol):
    @property
    def id(self) -> str: ...


@dataclass(slots=True)
class ResponseUrl:
    """Where a command or a click may be answered: five times in half an hour."""

    channel: Channel
    user: str
    expires: int
    original: Whisper | Message | None = None
    uses: int = 0


@dataclass(eq=False)
class Installation:
    """`remembers`: for how many seconds a `client_msg_id` makes a repeated post one (0: never).

    `edit_window`: for how many seconds the app may edit its messages. `mention_first`: whether a
    mention's event comes before its twin. `token_error`: what every call is refused with.
    """

    name: str
    hub: Hub
    clock: Clock
    new_id: Callable[[str], str]
    inspector: Inspector
    base_url: str
    team: str
    bot: Profile
    bot_token: str
    app_token: str
    scopes: set[str] = field(default_factory=lambda: set(SCOPES))
    events: set[str] = field(default_factory=lambda: set(EVENTS))
    remembers: float = 0
    edit_window: float = float("inf")
    mention_first: bool = True
    enterprise: str = ""  # of an installation for a whole organisation
    token_error: str = ""
    app_token_connects: bool = True  # whether it was made with `connections:write`
    people: dict[str, Profile] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    whispers: dict[str, list[Whisper]] = field(default_factory=dict)
    urls: dict[str, ResponseUrl] = field(default_factory=dict)
    uploads: dict[str, Upload] = field(default_factory=dict)
    sent_ids: dict[str, tuple[Message, int]] = field(default_factory=dict)
    _last_stamp: dict[str, int] = field(default_factory=dict)
    _event_numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def mention(self) -> str:
        return f"<@{self.bot.id}>"

    # What there is

    def channel(
        self, name: str, *people: Somebody, kind: ChannelKind = "public", bot: bool = True
    ) -> Channel:
        """A new one, with these people and, unless `bot` says no, the app."""
        members = {person.id for person in people} | ({self.bot.id} if bot else set())
        one = Channel(self.new_id(PREFIXES[kind]), name, kind, self.team, members)
        self.channels[one.id] = one
        return one

    def group(self, *people: Somebody) -> Channel:
        """A group message, with the app."""
        return self.channel("mpdm-1", *people, kind="group")

    def direct(self, person: Somebody) -> Channel:
        """Somebody's direct messages with the app; always the same."""
        for one in self.channels.values():
            if one.kind == "direct" and person.id in one.members:
                return one
        return self.channel("directmessage", person, kind="direct")

    # What people see

    def shown(self, channel: Channel, thread: str = "") -> list[str]:
        """The texts of a thread, or of the top level, those of the app marked with an arrow."""
        messages = channel.in_thread(thread) if thread else channel.top_level()
        return [
            f"> {each.text}" if each.author is self.bot else each.text
            for each in messages
            if not each.tombstone
        ]

    def own(self, channel: Channel, thread: str = "") -> list[Message]:
        """The app's messages there, in order; without a thread: in the whole channel."""
        messages = channel.in_thread(thread) if thread else channel.messages
        return [each for each in messages if each.author is self.bot]

    def statuses(self) -> list[tuple[str, str, str]]:
        """Everywhere where something is said to be going on: channel, thread, text."""
        now = self.clock()
        return [
            (one.id, thread, text)
            for one in self.channels.values()
            for thread in one.statuses
            if (text := one.status(thread, now))
        ]

    # What happens

    def post(self, message: Message) -> Message:
        """A message gets its time and stands; those who may know of it are told."""
        channel = self.channels[message.channel]
        message.ts = self.stamp(channel)
        channel.messages.append(message)
        told = [("message", shapes.message_event(message, channel))]
        if message.author is self.bot:
            channel.statuses.pop(message.thread_ts, None)
        elif self.mention in message.text:
            told.append(("app_mention", shapes.mention_event(message, channel)))
        for name, event in reversed(told) if self.mention_first else told:
            self.tell(name, event, channel)
        return message

    def edit(self, message: Message, text: str, by: str, **changed: object) -> None:
        """In place; Slack tells of the app's own edits, too."""
        channel = self.channels[message.channel]
        before, old_text = shapes.message(message, channel), message.text
        now = self.stamp(channel)
        message.text, message.edits = text, message.edits + 1
        message.edited = {"user": by, "ts": now}
        for name, value in changed.items():
            setattr(message, name, value)
        after = shapes.message(message, channel)
        self.tell("message", shapes.changed_event(before, after, channel, now), channel)
        if self.mention in text and self.mention not in old_text:
            event = shapes.mention_event(message, channel) | {"event_ts": now}
            if message.author is not self.bot:
                self.tell("app_mention", event, channel)

    def delete(self, message: Message) -> None:
        """Of a thread's first message a gravestone remains, which is told as a change."""
        channel = self.channels[message.channel]
        before, now = shapes.message(message, channel), self.stamp(channel)
        if channel.replies(message.ts):
            message.tombstone = True
            after = shapes.message(message, channel)
            event = shapes.changed_event(before, after, channel, now)
        else:
            channel.messages.remove(message)
            channel.statuses.pop(message.ts, None)  # no thread, nowhere to show it
            event = shapes.deleted_event(before, channel, now)
        self.tell("message", event, channel)

    def whisper(
        self,
        user: str,
        channel: Channel,
        text: str,
        *,
        blocks: list[Json] | None = None,
        thread_ts: str = "",
    ) -> Whisper:
        """Show something to one person only."""
        one = Whisper(self.stamp(channel), channel.id, text, blocks or [], thread_ts)
        self.whispers.setdefault(user, []).append(one)
        self.hub.pulse.beat()
        return one

    def invite_bot(self, channel: Channel, inviter: Profile) -> None:
        channel.members.add(self.bot.id)
        event = {
            "type": "member_joined_channel",
            "user": self.bot.id,
            "channel": channel.id,
            "channel_type": "C" if channel.kind == "public" else "G",
            "team": self.team,
            "inviter": inviter.id,
            "event_ts": self.stamp(channel),
        }
        self.tell("member_joined_channel", event, channel)

    def remove(self, channel: Channel) -> None:
        """Delete it, with all that was said in it."""
        name = "channel_deleted" if channel.kind == "public" else "group_deleted"
        self.tell(name, {"type": name, "channel": channel.id}, channel)
        channel.archived = True
        channel.messages.clear()

    def uninstall(self) -> None:
        """Remove the app, which is told so as long as its connection lasts."""
        anywhere = next(iter(self.channels.values()))
        revoked = {"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [self.bot.id]}}
        self.tell("tokens_revoked", revoked, anywhere)
        self.tell("app_uninstalled", {"type": "app_uninstalled"}, anywhere)

    def tell(self, name: str, event: Json, channel: Channel) -> None:
        """Send an event to the app if it asked for such, may know of it, and is there."""
        if name == "message":
            name = f"message.{SCOPE_FAMILIES[channel.kind]}"
        subscribed = name in self.events and EVENT_SCOPES.get(name, "") in {"", *self.scopes}
        if not subscribed or self.bot.id not in channel.members:
            return
        if name == "app_mention" and channel.kind == "direct":
            return
        self.hub.deliver(Delivery("events_api", self._wrapped(event, channel)))

    def response_url(
        self, channel: Channel, user: str, original: Whisper | Message | None = None
    ) -> str:
        key = secrets.token_hex(12)
        self.inspector.secrets.add(key)
        expires = self.clock() + 30 * 60 * 1000
        self.urls[key] = ResponseUrl(channel, user, expires, original)
        return f"{self.base_url}response/{key}"

    def belonging(self) -> Json:
        """Where a click comes from; without a team when the app is a whole organisation's."""
        team = {"id": self.team, "domain": self.name}
        whole = {"id": self.enterprise, "name": self.name} if self.enterprise else None
        return {
            "team": None if whole else team,
            "enterprise": whole,
            "is_enterprise_install": whole is not None,
        }

    def stamp(self, channel: Channel) -> str:
        """The time as an id: unique in its channel, and only there."""
        least = self._last_stamp.get(channel.id, 0) + 1
        micros = max(self.clock() * 1000, least)
        self._last_stamp[channel.id] = micros
        return f"{micros // 1_000_000}.{micros % 1_000_000:06d}"

    def _wrapped(self, event: Json, channel: Channel) -> Json:
        return {
            "token": "deprecated",
            "team_id": self.team,
            "context_team_id": self.team,
            "enterprise_id": self.enterprise or None,
            "context_enterprise_id": self.enterprise or None,
            "api_app_id": self.hub.app_id,
            "type": "event_callback",
            "event": event,
            "event_id": f"Ev{self.team[1:]}{next(self._event_numbers):06d}",
            "event_time": self.clock() // 1000,
            "event_context": f"4-{self.team}-{channel.id}",
            "is_ext_shared_channel": channel.shared,
            "authorizations": [
                {
                    "enterprise_id": self.enterprise or None,
                    "team_id": self.team,
                    "user_id": self.bot.id,
                    "is_bot": True,
                    "is_enterprise_install": bool(self.enterprise),
                }
            ],
        }
