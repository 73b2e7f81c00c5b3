"""How things look on the wire: messages, events, commands, clicks."""

from __future__ import annotations

import uuid

from tests.servers.slack.world import Channel, Json, Message, Profile


def message(one: Message, channel: Channel, *, with_metadata: bool = False) -> Json:
    """As it is fetched, and as it stands inside an event."""
    if one.tombstone:
        return _tombstone(one, channel)
    shape: Json = {
        "type": "message",
        "user": one.author.id,
        "text": one.text,
        "ts": one.ts,
        "team": one.author.team,
        "blocks": one.blocks or rich_text(one.text, one.ts),
        **_threaded(one, channel),
        **_by_bot(one.author),
        **one.more,
    }
    if one.client_msg_id:
        shape["client_msg_id"] = one.client_msg_id
    if one.edited:
        shape["edited"] = one.edited
    if one.metadata and with_metadata:
        shape["metadata"] = one.metadata
    if one.reactions:
        shape["reactions"] = _reactions(one)
    return shape


def _reactions(one: Message) -> list[Json]:
    names = sorted({name for name, _ in one.reactions})
    users = {name: sorted(user for each, user in one.reactions if each == name) for name in names}
    return [{"name": name, "users": users[name], "count": len(users[name])} for name in names]


def _tombstone(one: Message, channel: Channel) -> Json:
    return {
        "type": "message",
        "subtype": "tombstone",
        "user": "USLACKBOT",
        "hidden": True,
        "text": "This message was deleted.",
        "ts": one.ts,
        **_threaded(one, channel),
    }


def _threaded(one: Message, channel: Channel) -> Json:
    if one.thread_ts:
        root = channel.find(one.thread_ts)
        parent = {"parent_user_id": root.author.id} if root else {}
        return {"thread_ts": one.thread_ts, **parent}
    replies = channel.replies(one.ts)
    if not replies:
        return {}
    return {"thread_ts": one.ts, "reply_count": len(replies), "latest_reply": replies[-1].ts}


def _by_bot(author: Profile) -> Json:
    """Bots of today have no subtype."""
    if not author.bot_id:
        return {}
    profile = {"id": author.bot_id, "name": author.name, "team_id": author.team, "deleted": False}
    return {"bot_id": author.bot_id, "bot_profile": profile}


def rich_text(text: str, ts: str) -> list[Json]:
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
    return [{"type": "rich_text", "block_id": f"b{ts}", "elements": [section]}]


def message_event(one: Message, channel: Channel) -> Json:
    shape = message(one, channel)
    for only_fetched in ("reply_count", "latest_reply", "reactions"):
        shape.pop(only_fetched, None)
    if not one.thread_ts:
        shape.pop("thread_ts", None)
    root = channel.find(one.thread_ts)
    if one.broadcast and root is not None:
        shape |= {"subtype": "thread_broadcast", "root": message(root, channel)}
    return {**shape, **_placed(channel, one.ts), **_from_elsewhere(one.author, channel)}


def mention_event(one: Message, channel: Channel) -> Json:
    """The twin of the message's own event. It does not tell the channel's type."""
    shape = message_event(one, channel) | {"type": "app_mention"}
    for only_of_messages in ("subtype", "root", "channel_type", "parent_user_id"):
        shape.pop(only_of_messages, None)
    return shape


def changed_event(before: Json, now: Json, channel: Channel, ts: str) -> Json:
    return {
        "type": "message",
        "subtype": "message_changed",
        "hidden": True,
        "ts": ts,
        "message": now,
        "previous_message": before,
        **_placed(channel, ts),
    }


def deleted_event(before: Json, channel: Channel, ts: str) -> Json:
    return {
        "type": "message",
        "subtype": "message_deleted",
        "hidden": True,
        "ts": ts,
        "deleted_ts": before["ts"],
        "previous_message": before,
        **_placed(channel, ts),
    }


def _placed(channel: Channel, ts: str) -> Json:
    return {"channel": channel.id, "channel_type": channel.wire_type, "event_ts": ts}


def _from_elsewhere(author: Profile, channel: Channel) -> Json:
    if author.team == channel.team:
        return {}
    return {"team": channel.team, "user_team": author.team, "source_team": author.team}


def user(one: Profile, home: str) -> Json:
    stranger = one.team != home
    shape: Json = {
        "id": one.id,
        "team_id": one.team,
        "name": one.name.lower().replace(" ", "."),
        "real_name": one.name,
        "deleted": one.deleted,
        "tz": "Europe/Berlin",
        "tz_offset": 3600,
        "profile": {"real_name": one.name, "display_name": one.display_name},
        "is_admin": one.admin or one.owner,
        "is_owner": one.owner,
        "is_primary_owner": False,
        "is_restricted": one.kind == "guest",
        "is_ultra_restricted": False,
        "is_bot": bool(one.bot_id),
        "is_app_user": False,
    }
    if stranger:
        shape["is_stranger"] = True
        for unknown in ("is_admin", "is_owner", "is_primary_owner"):  # not told about strangers
            del shape[unknown]
    return shape


def channel(one: Channel) -> Json:
    return {
        "id": one.id,
        "name": one.name,
        "is_channel": one.kind == "public",
        "is_group": one.kind == "private",
        "is_mpim": one.kind == "group",
        "is_im": one.kind == "direct",
        "is_private": one.kind != "public",
        "is_archived": one.archived,
        "is_ext_shared": one.shared,
        "is_shared": one.shared,
        "context_team_id": one.team,
    }


def made_up_client_id(ts: str) -> str:
    """Slack's own apps send one with each message of a person."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, ts))
