"""Whom a message names, and whom it really calls."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tests.servers.discord.permissions import May, inside
from tests.servers.discord.world import Channel, Json, Message, User

_USER = re.compile(r"<@!?(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")
_EVERYONE = re.compile(r"@(?:everyone|here)\b")
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def people_of(channel: Channel) -> Mapping[str, User]:
    """All who can read there, roughly."""
    if channel.guild is None:
        return channel.members
    return {each.user.id: each.user for each in channel.guild.members.values()}


def called(
    channel: Channel, author: User, content: str, allowed: Json | None, replied: Message | None
) -> tuple[list[User], set[str]]:
    """The people whom it mentions, and all whom it pings: people, roles, "everyone".

    `allowed` is the wire's `allowed_mentions`; without it all that is written counts.
    """
    text = _CODE.sub("", content)
    people = people_of(channel)
    users = [each for each in _USER.findall(text) if each in people]
    users = _among(users, allowed, "users")
    replied_user = allowed.get("replied_user", False) if allowed is not None else True
    if replied is not None and replied_user and replied.author.id not in users:
        users.append(replied.author.id)
    named = list(dict.fromkeys(users))
    mentions = [people[each] for each in named if each in people]
    pings = set(named)
    if channel.guild is not None:
        roles = [each for each in _ROLE.findall(text) if each in channel.guild.roles]
        pings |= set(_among(roles, allowed, "roles"))
        if _EVERYONE.search(text) and _may_call_all(channel, author, allowed):
            pings.add("everyone")
    return mentions, pings


def _among(ids: list[str], allowed: Json | None, kind: str) -> list[str]:
    if allowed is None or kind in allowed.get("parse", []):
        return ids
    return [each for each in ids if each in map(str, allowed.get(kind, []))]


def _may_call_all(channel: Channel, author: User, allowed: Json | None) -> bool:
    if allowed is not None and "everyone" not in allowed.get("parse", []):
        return False
    assert channel.guild is not None
    member = channel.guild.members.get(author.id)
    return member is not None and May.MENTION_EVERYONE in inside(channel.guild, channel, member)
