"""What people do on Discord."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tests.servers.discord import threads, using
from tests.servers.discord.interactions import Interaction
from tests.servers.discord.message_shapes import reference_to
from tests.servers.discord.permissions import May, sending
from tests.servers.discord.realm import Realm
from tests.servers.discord.world import REPLY, SYSTEM, Channel, Message, User
from tests.servers.people import NotPossible

_SAID = re.compile(r"<@([^<>&!\d][^<>]*)>")
NITRO = 4_000  # characters; others may write 2,000


@dataclass(frozen=True)
class Person:
    """Somebody at the keyboard. In a text `<@Ann>` is Ann, `<@nimbus>` the bot of that name, and
    all else is as on the wire."""

    user: User
    realm: Realm

    @property
    def id(self) -> str:
        return self.user.id

    @property
    def mention(self) -> str:
        return self.user.mention

    @property
    def whispers(self) -> list[Message]:
        """What only this person sees, in order."""
        return [each for each in self.realm.whispers if each.only_for == self.id]

    async def says(
        self,
        channel: Channel,
        text: str,
        *,
        to: Message | None = None,
        pings: bool = True,
        files: Mapping[str, bytes] | None = None,
        **more: object,
    ) -> Message:
        """Write a message, `to` answer that one, whose author is pinged; `more` are fields of the
        wire, as `webhook_id`, or `type` for what Discord itself would say."""
        self._need_to_write(channel)
        message = self._written(channel, text)
        message.more.update(more)
        if to is not None:
            if to.kind in SYSTEM:
                raise NotPossible("nobody can reply to that")
            message.kind, message.reference = REPLY, reference_to(to)
        for name, data in (files or {}).items():
            self.realm.attach(message, name, data)
        allowed = None if pings else {"parse": ["users", "roles", "everyone"]}
        return self.realm.post(message, allowed=allowed)

    async def edits(self, message: Message, text: str) -> None:
        self._own(message)
        if message.channel.archived:
            raise NotPossible("the thread is archived")
        self.realm.edit(message, self._meant(text))

    async def deletes(self, *messages: Message) -> None:
        """Those of others only as a moderator; several at once are told as one event."""
        for each in messages:
            if not self._may(each.channel, May.MANAGE_MESSAGES):
                self._own(each)
        self.realm.delete(*messages)

    async def unfurls(self, message: Message, title: str) -> None:
        """Discord shows what a link leads to: a change of the message that is no edit."""
        self.realm.unfurl(message, [{"type": "link", "title": title}])

    async def starts_thread(self, place: Message | Channel, name: str) -> Channel:
        """Under a message, or beside all messages of a channel."""
        channel = place.channel if isinstance(place, Message) else place
        self._need(channel, May.CREATE_PUBLIC_THREADS)
        if isinstance(place, Channel):
            return threads.start(self.realm, place, self.user, name, "public thread")
        if place.thread is not None:
            raise NotPossible("there is a thread already")
        return threads.start_from(self.realm, place, self.user, name)

    async def starts_private_thread(self, channel: Channel, name: str, *others: User) -> Channel:
        self._need(channel, May.CREATE_PRIVATE_THREADS)
        thread = threads.start(self.realm, channel, self.user, name, "private thread")
        for each in others:
            threads.add(self.realm, thread, each)
        return thread

    async def posts(self, forum: Channel, title: str, text: str) -> Message:
        """A new post in a forum: its first message, in the thread of the same id."""
        self._need(forum, May.SEND_MESSAGES)
        first = self._written(forum, text)
        threads.post(self.realm, forum, first, title)
        return first

    async def archives(self, thread: Channel, *, lock: bool = False) -> None:
        if thread.owner != self.id or lock:
            self._need(thread, May.MANAGE_THREADS)
        thread.locked = lock
        self.realm.archive(thread, archived=True)

    async def opens(self, thread: Channel) -> None:
        """Also unlocks it, for who may."""
        if thread.locked:
            self._need(thread, May.MANAGE_THREADS)
        thread.locked = False
        self.realm.archive(thread, archived=False)

    async def deletes_thread(self, thread: Channel) -> None:
        self._need(thread, May.MANAGE_THREADS)
        threads.remove(self.realm, thread)

    async def commands(self, channel: Channel, line: str, **options: object) -> Interaction:
        """Type a command and what is below it: "/nimbus forget"."""
        return using.use_command(self.realm, self.user, channel, line, options)

    async def clicks(self, message: Message, custom_id: str, *values: str) -> Interaction:
        """Press the button whose id begins so."""
        return using.press(self.realm, self.user, message, custom_id, *values)

    def blocks(self, other: User, *, now: bool = True) -> None:
        if now:
            self.user.blocked.add(other.id)
        else:
            self.user.blocked.discard(other.id)

    def _written(self, channel: Channel, text: str) -> Message:
        if len(text) > NITRO:
            raise NotPossible("the message is too long")
        return self.realm.new_message(channel, self.user, self._meant(text))

    def _meant(self, text: str) -> str:
        ids = {one.name: one.mention for one in self.realm.users.values()}
        return _SAID.sub(lambda found: ids.get(found[1], found[0]), text)

    def _need_to_write(self, channel: Channel) -> None:
        if not channel.has_messages:
            raise NotPossible("a forum takes only posts")
        self._need(channel, sending(channel))
        if channel.locked and not self._may(channel, May.MANAGE_THREADS):
            raise NotPossible("the thread is locked")

    def _need(self, channel: Channel, right: May) -> None:
        if not self._may(channel, right):
            raise NotPossible(f"{self.user.name} lacks {right.name} there")

    def _may(self, channel: Channel, right: May) -> bool:
        return right in self.realm.may(self.user, channel)

    def _own(self, message: Message) -> None:
        if message.author is not self.user:
            raise NotPossible("that is somebody else's message")
