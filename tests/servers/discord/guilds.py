"""Servers: who comes and goes, and the channels in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.servers.discord.gateway import Delivery, Hub, Intent
from tests.servers.discord.permissions import EVERYONE
from tests.servers.discord.realm import Realm
from tests.servers.discord.world import Channel, ChannelKind, Guild, Member, Overwrite, Role, User


def create(realm: Realm, name: str, owner: User) -> Guild:
    one = Guild(realm.ids.next(), name, owner.id)
    one.roles[one.id] = Role(one.id, "@everyone", int(EVERYONE))
    realm.guilds[one.id] = one
    join(realm, one, owner)
    return one


def join(realm: Realm, guild: Guild, user: User, roles: Sequence[Role] = ()) -> None:
    joined = realm.ids.timestamp()
    guild.members[user.id] = Member(user, joined, {each.id for each in roles})
    for hub in _of(realm, user):
        arrival = realm.arrival(guild, hub)
        del arrival.payload["unavailable"]
        hub.deliver(arrival)


def leave(realm: Realm, guild: Guild, user: User) -> None:
    """A role that came along with a bot goes with it."""
    member = guild.members.pop(user.id)
    for role in member.roles:
        if guild.roles[role].managed_by:
            del guild.roles[role]
    for hub in _of(realm, user):
        hub.deliver(Delivery("GUILD_DELETE", {"id": guild.id}, Intent.GUILDS, guild.id))


def fail(realm: Realm, guild: Guild) -> None:
    """Discord loses the server for a while."""
    guild.unavailable = True
    gone = {"id": guild.id, "unavailable": True}
    for hub in _inside(realm, guild):
        hub.deliver(Delivery("GUILD_DELETE", gone, Intent.GUILDS, guild.id))


def recover(realm: Realm, guild: Guild) -> None:
    guild.unavailable = False
    for hub in _inside(realm, guild):
        hub.deliver(realm.arrival(guild, hub))


def add_role(realm: Realm, guild: Guild, name: str, permissions: int, bot: str = "") -> Role:
    role = Role(realm.ids.next(), name, permissions, bot)
    guild.roles[role.id] = role
    return role


def add_channel(
    realm: Realm, guild: Guild, name: str, kind: ChannelKind, overwrites: Mapping[str, Overwrite]
) -> Channel:
    one = Channel(realm.ids.next(), name, kind, guild, overwrites=dict(overwrites))
    guild.channels[one.id] = one
    realm.tell_of_channel("CHANNEL_CREATE", one)
    return one


def overwrite(realm: Realm, channel: Channel, target: str, *, allow: int, deny: int) -> None:
    """What a role or a person may there from now on."""
    channel.overwrites[target] = Overwrite(int(allow), int(deny))
    realm.tell_of_channel("CHANNEL_UPDATE", channel)


def remove_channel(realm: Realm, channel: Channel) -> None:
    """Its threads go along, of which nobody is told."""
    guild = channel.guild
    assert guild is not None
    realm.tell_of_channel("CHANNEL_DELETE", channel)
    for each in [channel, *guild.threads_of(channel)]:
        del guild.channels[each.id]


def _of(realm: Realm, user: User) -> list[Hub]:
    return [each for each in realm.hubs.values() if each.app.user is user]


def _inside(realm: Realm, guild: Guild) -> list[Hub]:
    return [each for each in realm.hubs.values() if each.app.user.id in guild.members]
