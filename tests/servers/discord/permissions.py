"""Who may do what where: the bits, and how roles and overwrites come to them."""

from __future__ import annotations

from enum import IntFlag

from tests.servers.discord.world import Channel, Guild, Member


class May(IntFlag):
    """Only what this server looks at."""

    ADMINISTRATOR = 1 << 3
    MANAGE_CHANNELS = 1 << 4
    ADD_REACTIONS = 1 << 6
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    MANAGE_MESSAGES = 1 << 13
    EMBED_LINKS = 1 << 14
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    USE_APPLICATION_COMMANDS = 1 << 31
    MANAGE_THREADS = 1 << 34
    CREATE_PUBLIC_THREADS = 1 << 35
    CREATE_PRIVATE_THREADS = 1 << 36
    SEND_MESSAGES_IN_THREADS = 1 << 38


ALL = May((1 << 53) - 1)
NOTHING = May(0)
EVERYONE = (
    May.ADD_REACTIONS
    | May.VIEW_CHANNEL
    | May.SEND_MESSAGES
    | May.EMBED_LINKS
    | May.ATTACH_FILES
    | May.READ_MESSAGE_HISTORY
    | May.USE_APPLICATION_COMMANDS
    | May.CREATE_PUBLIC_THREADS
    | May.CREATE_PRIVATE_THREADS
    | May.SEND_MESSAGES_IN_THREADS
)
"""What a new server grants to all its members."""
IN_DIRECT = (
    May.ADD_REACTIONS
    | May.VIEW_CHANNEL
    | May.SEND_MESSAGES
    | May.EMBED_LINKS
    | May.ATTACH_FILES
    | May.READ_MESSAGE_HISTORY
    | May.USE_APPLICATION_COMMANDS
)


def everywhere(guild: Guild, member: Member) -> May:
    """What the member's roles grant, before any channel changes it."""
    if member.user.id == guild.owner:
        return ALL
    granted = May(guild.roles[guild.id].permissions)
    for role in member.roles:
        granted |= May(guild.roles[role].permissions)
    return ALL if May.ADMINISTRATOR in granted else granted


def inside(guild: Guild, channel: Channel, member: Member) -> May:
    """A thread has the permissions of the channel that it hangs from."""
    granted = everywhere(guild, member)
    if granted == ALL:
        return ALL
    place = channel.parent or channel
    granted = _overwritten(granted, place, [guild.id])
    granted = _overwritten(granted, place, sorted(member.roles))
    granted = _overwritten(granted, place, [member.user.id])
    return granted if May.VIEW_CHANNEL in granted else NOTHING


def may_view(guild: Guild, channel: Channel, member: Member) -> bool:
    granted = inside(guild, channel, member)
    if May.VIEW_CHANNEL not in granted:
        return False
    private = channel.kind == "private thread"
    return not private or member.user.id in channel.members or May.MANAGE_THREADS in granted


def sending(channel: Channel) -> May:
    return May.SEND_MESSAGES_IN_THREADS if channel.is_thread else May.SEND_MESSAGES


def _overwritten(granted: May, channel: Channel, targets: list[str]) -> May:
    """Those of one rank together: what any of them allows stands above what any denies."""
    here = [channel.overwrites[each] for each in targets if each in channel.overwrites]
    for each in here:
        granted &= ~May(each.deny)
    for each in here:
        granted |= May(each.allow)
    return granted
