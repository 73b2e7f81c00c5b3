"""Threads: under a message, beside messages, and as posts of a forum."""

from __future__ import annotations

from tests.servers.discord import shapes
from tests.servers.discord.gateway import Delivery, Intent
from tests.servers.discord.message_shapes import reference_to
from tests.servers.discord.realm import Realm
from tests.servers.discord.world import (
    THREAD_CREATED,
    THREAD_STARTER,
    WIRE_TYPES,
    Channel,
    ChannelKind,
    Json,
    Message,
    User,
)


def start_from(realm: Realm, message: Message, owner: User, name: str) -> Channel:
    """It has the message's id."""
    thread = Channel(message.id, name, "public thread", message.channel.guild, message.channel)
    _begin(realm, thread, owner)
    realm.tell_of_message("MESSAGE_UPDATE", message)
    starter = realm.new_message(thread, message.author, "")
    starter.kind, starter.reference = THREAD_STARTER, reference_to(message)
    realm.post(starter)
    return thread


def start(realm: Realm, parent: Channel, owner: User, name: str, kind: ChannelKind) -> Channel:
    """The parent says so in a message of its own, if the thread is not private."""
    thread = Channel(realm.ids.next(), name, kind, parent.guild, parent)
    _begin(realm, thread, owner)
    if kind == "public thread":
        said = realm.new_message(parent, owner, name)
        assert parent.guild is not None
        said.kind = THREAD_CREATED
        said.reference = {"channel_id": thread.id, "guild_id": parent.guild.id, "type": 0}
        realm.post(said)
    return thread


def post(
    realm: Realm, forum: Channel, first: Message, name: str, *, allowed: Json | None = None
) -> Channel:
    """A thread whose first message has its id."""
    thread = Channel(first.id, name, "public thread", forum.guild, forum)
    _begin(realm, thread, first.author)
    first.channel = thread
    realm.post(first, allowed=allowed)
    return thread


def add(realm: Realm, thread: Channel, user: User) -> None:
    """Whoever is added to a private thread sees it from then on."""
    thread.members[user.id] = user
    assert thread.guild is not None
    for hub in realm.hubs.values():
        if hub.app.user is user:
            shape = shapes.channel(thread, user)
            hub.deliver(Delivery("THREAD_CREATE", shape, Intent.GUILDS, thread.guild.id))


def remove(realm: Realm, thread: Channel) -> None:
    assert thread.guild is not None
    assert thread.parent is not None
    gone = {
        "id": thread.id,
        "guild_id": thread.guild.id,
        "parent_id": thread.parent.id,
        "type": WIRE_TYPES[thread.kind],
    }
    realm.tell("THREAD_DELETE", thread, lambda _reader: gone, Intent.GUILDS)
    del thread.guild.channels[thread.id]


def _begin(realm: Realm, thread: Channel, owner: User) -> None:
    assert thread.guild is not None
    thread.owner, thread.members = owner.id, {owner.id: owner}
    thread.changed = realm.ids.timestamp()
    thread.guild.channels[thread.id] = thread
    realm.tell_of_thread("THREAD_CREATE", thread, newly_created=True)
