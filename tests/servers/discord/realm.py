"""All that stands on this Discord, what happens to it, and which bots are told."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from memory.database import Clock
from tests.servers.discord import message_shapes, shapes
from tests.servers.discord.gateway import Delivery, Hub, Intent, Session
from tests.servers.discord.inspection import look_at
from tests.servers.discord.permissions import IN_DIRECT, NOTHING, May, inside, may_view
from tests.servers.discord.pings import called
from tests.servers.discord.snowflakes import Snowflakes
from tests.servers.discord.world import (
    SUPPRESS_EMBEDS,
    Application,
    Channel,
    Guild,
    Json,
    Message,
    User,
)
from tests.servers.inspection import Inspector
from tests.servers.pulse import Pulse

if TYPE_CHECKING:  # which knows the realm
    from tests.servers.discord.interactions import Interaction

Shape = Callable[[User], Json]


class Realm:
    """`gateway_url` is where sessions are resumed, `files_url` where attachments lie.

    `remembers`: for how many seconds an enforced nonce makes a repeated post one. `old_edits`: how
    often messages of more than an hour may still be edited, and `old_edit_pause` how many seconds
    Discord asks to wait after that.
    """

    def __init__(self, clock: Clock, pulse: Pulse, inspector: Inspector) -> None:
        self.clock = clock
        self.pulse = pulse
        self.inspector = inspector
        self.ids = Snowflakes(clock, inspector.ids)
        self.whispers: list[Message] = []  # what only one person sees
        self.interactions: dict[str, Interaction] = {}  # by token
        self.gateway_url = ""
        self.files_url = ""
        self.remembers = 180.0
        self.old_edits = 1_000_000
        self.old_edit_pause = 0.1
        self.users: dict[str, User] = {}
        self.guilds: dict[str, Guild] = {}
        self.directs: dict[str, Channel] = {}
        self.hubs: dict[str, Hub] = {}  # by the application's id
        self.files: dict[str, bytes] = {}  # by the path of their address
        self.sent: dict[tuple[str, str], tuple[Message, int]] = {}  # by application and nonce

    # Questions

    def channel(self, channel_id: str) -> Channel | None:
        if channel_id in self.directs:
            return self.directs[channel_id]
        found = (each.channels.get(channel_id) for each in self.guilds.values())
        return next((each for each in found if each is not None), None)

    def channels(self) -> Iterator[Channel]:
        yield from self.directs.values()
        for guild in self.guilds.values():
            yield from guild.channels.values()

    def may(self, user: User, channel: Channel) -> May:
        """What somebody may do there; nothing where it cannot be seen."""
        guild = channel.guild
        if guild is None:
            return IN_DIRECT if user.id in channel.members else NOTHING
        member = guild.members.get(user.id)
        if guild.unavailable or member is None or not may_view(guild, channel, member):
            return NOTHING
        return inside(guild, channel, member)

    def sees(self, user: User, channel: Channel) -> bool:
        return May.VIEW_CHANNEL in self.may(user, channel)

    def meet(self, app: Application, person: User) -> bool:
        """Whether they share a server, or the person carries the bot along."""
        shared = (each.members for each in self.guilds.values() if app.user.id in each.members)
        return person.id in app.installed_by or any(person.id in members for members in shared)

    def stands(self, message: Message) -> bool:
        return message in (self.whispers if message.only_for else message.channel.messages)

    # Places

    def direct(self, one: User, other: User) -> Channel:
        """Always the same."""
        both = {one.id: one, other.id: other}
        for channel in self.directs.values():
            if channel.members.keys() == both.keys():
                return channel
        channel = Channel(self.ids.next(), "", "direct", members=both)
        self.directs[channel.id] = channel
        return channel

    # Messages

    def post(self, message: Message, *, allowed: Json | None = None) -> Message:
        """It stands, and is told; an archived thread opens."""
        channel = message.channel
        if channel.archived:
            self.archive(channel, archived=False)
        if channel.is_thread:
            channel.members.setdefault(message.author.id, message.author)
        self._call(message, allowed)
        channel.messages.append(message)
        channel.typing.pop(message.author.id, None)
        self.tell_of_message("MESSAGE_CREATE", message)
        return message

    def new_message(self, channel: Channel, author: User, content: str) -> Message:
        return Message(self.ids.next(), channel, author, content, self.ids.timestamp())

    def edit(self, message: Message, content: str, *, allowed: Json | None = None) -> None:
        message.content = content
        message.edited = self.ids.timestamp()
        message.edits += 1
        self._call(message, allowed)
        self.tell_of_message("MESSAGE_UPDATE", message)

    def unfurl(self, message: Message, embeds: list[Json]) -> None:
        """Discord shows what a link leads to: a change that is no edit."""
        if not message.flags & SUPPRESS_EMBEDS:
            message.embeds = embeds
            self.tell_of_message("MESSAGE_UPDATE", message)

    def delete(self, *messages: Message) -> None:
        """Of one channel; several at once are told as one event."""
        channel = messages[0].channel
        for each in messages:
            channel.messages.remove(each)
        where: Json = {"channel_id": channel.id}
        if channel.guild is not None:
            where["guild_id"] = channel.guild.id
        intent = _message_intent(channel)
        if len(messages) == 1:
            gone = {"id": messages[0].id, **where}
            self.tell("MESSAGE_DELETE", channel, lambda _reader: gone, intent)
        else:
            bulk = {"ids": [each.id for each in messages], **where}
            self.tell("MESSAGE_DELETE_BULK", channel, lambda _reader: bulk, intent)

    def attach(self, message: Message, name: str, data: bytes) -> None:
        """A file, at an address of its own."""
        file = self.ids.next()
        path = f"{message.channel.id}/{file}/{name}"
        self.files[path] = data
        url = f"{self.files_url}{path}"
        shape = {"id": file, "filename": name, "size": len(data), "url": url, "proxy_url": url}
        kind, _ = mimetypes.guess_type(name)
        message.attachments.append({**shape, **({"content_type": kind} if kind else {})})

    def archive(self, thread: Channel, *, archived: bool) -> None:
        thread.archived, thread.changed = archived, self.ids.timestamp()
        self.tell_of_thread("THREAD_UPDATE", thread)

    def tell_of_thread(self, name: str, thread: Channel, **more: object) -> None:
        self.tell(
            name, thread, lambda reader: {**shapes.channel(thread, reader), **more}, Intent.GUILDS
        )

    # Telling

    def tell_of_channel(self, name: str, channel: Channel) -> None:
        """CHANNEL_CREATE, _UPDATE or _DELETE."""
        self.tell(name, channel, lambda reader: shapes.channel(channel, reader), Intent.GUILDS)

    def tell_of_message(self, name: str, message: Message) -> None:
        """In full, or without its content for who asked for no contents."""
        if message.only_for:
            self.pulse.beat()
            return
        for hub in self._viewers(message.channel):
            guild = message.channel.guild
            delivery = Delivery(
                name,
                message_shapes.event(message),
                _message_intent(message.channel),
                guild.id if guild else "",
                filtered=message_shapes.event(message, hub.app.user),
            )
            hub.deliver(delivery)

    def tell(self, name: str, channel: Channel, shape: Shape, intent: Intent) -> None:
        """All bots that see the channel."""
        guild = channel.guild.id if channel.guild else ""
        for hub in self._viewers(channel):
            hub.deliver(Delivery(name, shape(hub.app.user), intent, guild))
        self.pulse.beat()

    def arrival(self, guild: Guild, hub: Hub) -> Delivery:
        reader = hub.app.user
        seen = [each for each in guild.channels.values() if self.sees(reader, each)]
        open_ones = [each for each in seen if not each.archived]
        shape = shapes.guild(guild, guild.members[reader.id].joined, reader, open_ones)
        return Delivery("GUILD_CREATE", shape, Intent.GUILDS, guild.id)

    def opening(self, app: Application) -> Callable[[Session], Iterator[tuple[str, Json]]]:
        """What a new session of that bot hears first: who it is, and its servers one by one."""

        def opening(session: Session) -> Iterator[tuple[str, Json]]:
            hub = self.hubs[app.id]
            inside = [each for each in self.guilds.values() if app.user.id in each.members]
            arrivals = [self.arrival(each, hub) for each in inside]
            mine = [each for each in arrivals if session.hears(each)]
            yield "READY", shapes.ready(app, session, self.gateway_url, [x.guild for x in mine])
            for arrival in mine:
                if not self.guilds[arrival.guild].unavailable:
                    yield arrival.name, arrival.payload

        return opening

    def _viewers(self, channel: Channel) -> list[Hub]:
        return [each for each in self.hubs.values() if self.sees(each.app.user, channel)]

    def _call(self, message: Message, allowed: Json | None) -> None:
        replied = message.channel.find(message.replies_to) if message.replies_to else None
        message.mentions, message.pings = called(
            message.channel, message.author, message.content, allowed, replied
        )
        if message.author.id in self.hubs:
            look_at(self.inspector, message)


def _message_intent(channel: Channel) -> Intent:
    return Intent.GUILD_MESSAGES if channel.guild else Intent.DIRECT_MESSAGES
