"""How things look on the wire: people, servers, channels, bots."""

from __future__ import annotations

from tests.servers.discord.gateway import Session
from tests.servers.discord.snowflakes import iso, made_at
from tests.servers.discord.world import (
    WIRE_TYPES,
    Application,
    Channel,
    Guild,
    Json,
    Member,
    Role,
    User,
)

CONTENT_LIMITED = 1 << 19  # flags of an application below the size at which Discord looks at it
MEMBERS_LIMITED = 1 << 15


def user(one: User) -> Json:
    return {
        "id": one.id,
        "username": one.name.lower(),
        "global_name": None if one.bot else one.display_name or one.name,
        "discriminator": "0042" if one.bot else "0",
        "avatar": None,
        "public_flags": 0,
        **({"bot": True} if one.bot else {}),
    }


def myself(one: User) -> Json:
    """As a bot sees its own account."""
    return {**user(one), "verified": True, "mfa_enabled": False, "email": None, "flags": 0}


def member(one: Member) -> Json:
    return {**partial_member(one), "user": user(one.user)}


def partial_member(one: Member) -> Json:
    """Beside a message's author, who is told already."""
    return {
        "nick": one.nick or None,
        "avatar": None,
        "roles": sorted(one.roles),
        "joined_at": one.joined,
        "premium_since": None,
        "deaf": False,
        "mute": False,
        "pending": False,
        "flags": 0,
        "communication_disabled_until": None,
    }


def role(one: Role, position: int = 0) -> Json:
    shape: Json = {
        "id": one.id,
        "name": one.name,
        "permissions": str(int(one.permissions)),
        "position": position,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "managed": bool(one.managed_by),
        "mentionable": False,
        "icon": None,
        "unicode_emoji": None,
        "flags": 0,
    }
    if one.managed_by:
        shape["tags"] = {"bot_id": one.managed_by}
    return shape


def channel(one: Channel, reader: User | None = None) -> Json:
    """`reader` is not among the recipients of direct messages, and is told its membership."""
    if one.is_thread:
        return _thread(one, reader)
    shape: Json = {
        "id": one.id,
        "type": WIRE_TYPES[one.kind],
        "last_message_id": one.messages[-1].id if one.messages else None,
        "flags": 0,
    }
    if one.guild is None:
        shape["recipients"] = [user(each) for each in one.members.values() if each is not reader]
        return shape
    overwrites = [
        {
            "id": target,
            "type": 0 if target in one.guild.roles else 1,
            "allow": str(int(each.allow)),
            "deny": str(int(each.deny)),
        }
        for target, each in one.overwrites.items()
    ]
    shape |= {
        "guild_id": one.guild.id,
        "name": one.name,
        "position": 0,
        "parent_id": None,
        "topic": None,
        "nsfw": False,
        "rate_limit_per_user": 0,
        "permission_overwrites": overwrites,
    }
    if one.kind == "forum":
        forum: Json = {
            "available_tags": [],
            "default_reaction_emoji": None,
            "default_sort_order": None,
        }
        shape |= {**forum, "default_forum_layout": 0}
    return shape


def _thread(one: Channel, reader: User | None) -> Json:
    assert one.guild is not None
    assert one.parent is not None
    said = len(one.messages)
    shape: Json = {
        "id": one.id,
        "type": 10 if one.parent.kind == "announcement" else WIRE_TYPES[one.kind],
        "guild_id": one.guild.id,
        "parent_id": one.parent.id,
        "owner_id": one.owner,
        "name": one.name,
        "last_message_id": one.messages[-1].id if one.messages else None,
        "message_count": said,
        "total_message_sent": said,
        "member_count": len(one.members),
        "rate_limit_per_user": 0,
        "flags": 0,
        "thread_metadata": {
            "archived": one.archived,
            "locked": one.locked,
            "auto_archive_duration": one.archive_minutes,
            "archive_timestamp": one.changed,
            "create_timestamp": iso(made_at(one.id)),
        },
    }
    if one.parent.kind == "forum":
        shape["applied_tags"] = []
    if reader is not None and reader.id in one.members:
        shape["member"] = thread_member(one, reader)
    return shape


def thread_member(thread: Channel, one: User) -> Json:
    joined = iso(made_at(thread.id))
    return {"id": thread.id, "user_id": one.id, "join_timestamp": joined, "flags": 1}


def guild(one: Guild, joined: str, reader: User, channels: list[Channel]) -> Json:
    """As GUILD_CREATE tells it, with what the reader may view, when it comes (back) into sight.

    Of a server that the bot has just joined `unavailable` is not told at all.
    """
    mine = [one.members[reader.id]] if reader.id in one.members else []
    return {
        **plain_guild(one),
        "joined_at": joined,
        "large": False,
        "unavailable": False,
        "member_count": len(one.members),
        "members": [member(each) for each in mine],
        "channels": [channel(each) for each in channels if not each.is_thread],
        "threads": [channel(each, reader) for each in channels if each.is_thread],
        "presences": [],
        "voice_states": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }


def plain_guild(one: Guild) -> Json:
    """As it is fetched."""
    return {
        "id": one.id,
        "name": one.name,
        "icon": None,
        "splash": None,
        "discovery_splash": None,
        "banner": None,
        "description": None,
        "owner_id": one.owner,
        "region": "deprecated",
        "afk_channel_id": None,
        "afk_timeout": 300,
        "verification_level": 0,
        "default_message_notifications": 0,
        "explicit_content_filter": 0,
        "mfa_level": 0,
        "nsfw_level": 0,
        "premium_tier": 0,
        "preferred_locale": "en-US",
        "features": [],
        "emojis": [],
        "stickers": [],
        "roles": [role(each, at) for at, each in enumerate(one.roles.values())],
        "application_id": None,
        "system_channel_id": None,
        "system_channel_flags": 0,
        "rules_channel_id": None,
        "public_updates_channel_id": None,
        "vanity_url_code": None,
    }


def flags(one: Application) -> int:
    content = CONTENT_LIMITED if one.content_allowed else 0
    return content | (MEMBERS_LIMITED if one.members_allowed else 0)


def application(one: Application, owner: User) -> Json:
    return {
        "id": one.id,
        "name": one.name,
        "icon": None,
        "description": "",
        "summary": "",
        "bot": user(one.user),
        "bot_public": True,
        "bot_require_code_grant": False,
        "owner": user(owner),
        "team": None,
        "verify_key": one.public_key,
        "flags": flags(one),
        "approximate_guild_count": 1,
        "integration_types_config": {"0": {}, "1": {}},
        "interactions_endpoint_url": one.interactions_url or None,
    }


def ready(app: Application, session: Session, url: str, guilds: list[str]) -> Json:
    return {
        "v": 10,
        "user": myself(app.user),
        "guilds": [{"id": each, "unavailable": True} for each in guilds],
        "session_id": session.id,
        "session_type": "normal",
        "resume_gateway_url": url,
        "shard": list(session.shard),
        "application": {"id": app.id, "flags": flags(app)},
        "private_channels": [],
        "relationships": [],
        "_trace": [],
    }
