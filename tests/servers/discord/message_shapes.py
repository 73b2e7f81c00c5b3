"""How messages look on the wire, and what of them a bot may not read."""

from __future__ import annotations

from tests.servers.discord import shapes
from tests.servers.discord.world import HAS_THREAD, REPLY, THREAD_STARTER, Json, Message, User


def message(one: Message, limited_for: User | None = None, *, depth: int = 1) -> Json:
    """As it is fetched; for a reader who is told contents only where it is concerned."""
    hidden = limited_for is not None and not _concerns(one, limited_for)
    shape: Json = {
        "id": one.id,
        "type": one.kind,
        "channel_id": one.channel.id,
        "author": shapes.user(one.author),
        "content": "" if hidden else one.content,
        "timestamp": one.timestamp,
        "edited_timestamp": one.edited or None,
        "tts": False,
        "mention_everyone": "everyone" in one.pings,
        "mentions": [shapes.user(each) for each in one.mentions],
        "mention_roles": [each for each in _roles(one) if each in one.pings],
        "attachments": [] if hidden else one.attachments,
        "embeds": [] if hidden else one.embeds,
        "components": [] if hidden else one.components,
        "pinned": False,
        "flags": one.flags | (HAS_THREAD if one.thread else 0),
        **one.more,
    }
    if one.nonce:
        shape["nonce"] = one.nonce
    if one.webhook:
        shape |= {"webhook_id": one.webhook, "application_id": one.webhook}
    if one.thread:
        shape["thread"] = shapes.channel(one.thread)
    if one.reference:
        shape["message_reference"] = one.reference
        if depth and one.kind in {REPLY, THREAD_STARTER}:
            told = _referenced(one)
            shape["referenced_message"] = told and message(told, limited_for, depth=0)
    return shape


def _referenced(one: Message) -> Message | None:
    """The message that it answers, or that its thread was started from."""
    parent = one.channel.parent
    if one.kind == REPLY or parent is None:
        return one.channel.find(one.replies_to)
    return parent.find(one.channel.id)


def event(one: Message, limited_for: User | None = None) -> Json:
    """As the gateway tells it: with where it stands, and the author as a member."""
    shape = message(one, limited_for)
    guild = one.channel.guild
    if guild is None:
        return shape
    shape["guild_id"] = guild.id
    author = guild.members.get(one.author.id)
    if author is not None and not one.webhook:
        shape["member"] = shapes.partial_member(author)
    for each in shape["mentions"]:
        if each["id"] in guild.members:
            each["member"] = shapes.partial_member(guild.members[each["id"]])
    return shape


def reference_to(message: Message) -> Json:
    where: Json = {"type": 0, "channel_id": message.channel.id, "message_id": message.id}
    if message.channel.guild is not None:
        where["guild_id"] = message.channel.guild.id
    return where


def _concerns(one: Message, reader: User) -> bool:
    """Direct messages, its own, and those that mention it are told even without the intent."""
    return one.channel.guild is None or one.author is reader or reader in one.mentions


def _roles(one: Message) -> list[str]:
    return list(one.channel.guild.roles) if one.channel.guild else []
