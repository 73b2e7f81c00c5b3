"""The methods with which the app writes."""

from __future__ import annotations

from tests.servers.slack import shapes
from tests.servers.slack.calls import Call, Refused
from tests.servers.slack.content import Content, content_of
from tests.servers.slack.world import Channel, Json, Message

TEXT_OF_UPDATE = 4_000


def post(call: Call) -> Json:
    call.need("chat:write")
    channel = _writable(call)
    content = content_of(call)
    known = _sent_before(call, channel)
    if known is not None:
        return _posted(known, channel, content)
    workspace = call.workspace
    message = Message(
        *("", channel.id, workspace.bot, content.text, _thread(call, channel)),
        broadcast=call.flag("reply_broadcast"),
        blocks=content.blocks,
        metadata=content.metadata,
        client_msg_id=call.get("client_msg_id"),
    )
    workspace.post(message)
    if message.client_msg_id:
        workspace.sent_ids[message.client_msg_id] = message, workspace.clock()
    return _posted(message, channel, content)


def update(call: Call) -> Json:
    call.need("chat:write")
    channel = call.channel()
    message = call.message(channel, call.get("ts"))
    workspace = call.workspace
    if message.author is not workspace.bot:
        raise Refused("cant_update_message")
    if workspace.clock() - float(message.ts) * 1000 > workspace.edit_window * 1000:
        raise Refused("edit_window_closed")
    if channel.archived:
        raise Refused("is_archived")
    if len(call.get("text")) > TEXT_OF_UPDATE:
        raise Refused("msg_too_long")
    content = content_of(call)
    metadata = content.metadata or message.metadata
    changed = {"blocks": content.blocks, "metadata": metadata}
    workspace.edit(message, content.text, workspace.bot.id, **changed)
    shape = shapes.message(message, channel, with_metadata=True)
    return {"channel": channel.id, "ts": message.ts, "text": message.text, "message": shape}


def delete(call: Call) -> Json:
    call.need("chat:write")
    channel = call.channel()
    message = call.message(channel, call.get("ts"))
    if message.author is not call.workspace.bot:
        raise Refused("cant_delete_message")
    call.workspace.delete(message)
    return {"channel": channel.id, "ts": message.ts}


def post_ephemeral(call: Call) -> Json:
    call.need("chat:write")
    channel = _writable(call)
    user = call.get("user")
    if user not in call.workspace.people:
        raise Refused("user_not_found")
    if user not in channel.members:
        raise Refused("user_not_in_channel")
    content = content_of(call)
    blocks, thread = content.blocks, call.get("thread_ts")
    one = call.workspace.whisper(user, channel, content.text, blocks=blocks, thread_ts=thread)
    return {"message_ts": one.ts}


def set_status(call: Call) -> Json:
    call.need("chat:write")
    channel = call.channel("channel_id")
    if not call.inside(channel):
        raise Refused("not_in_channel")
    thread = call.get("thread_ts")
    root = channel.find(thread)
    if root is None or root.thread_ts:
        raise Refused("invalid_thread_ts")
    if "status" not in call.arguments:
        raise Refused("invalid_arguments")
    if len(call.arguments.get("loading_messages") or []) > 10:
        raise Refused("invalid_arguments")
    channel.statuses[thread] = call.get("status"), call.workspace.clock()
    return {}


def permalink(call: Call) -> Json:
    channel = call.channel()
    message = call.message(channel, call.get("message_ts"))
    where = f"https://{call.workspace.name}.slack.com/archives/{channel.id}"
    link = f"{where}/p{message.ts.replace('.', '')}"
    return {"channel": channel.id, "permalink": link}


def add_reaction(call: Call) -> Json:
    message, reaction = _reacted(call)
    if reaction in message.reactions:
        raise Refused("already_reacted")
    message.reactions.add(reaction)
    return {}


def remove_reaction(call: Call) -> Json:
    message, reaction = _reacted(call)
    if reaction not in message.reactions:
        raise Refused("no_reaction")
    message.reactions.remove(reaction)
    return {}


def _reacted(call: Call) -> tuple[Message, tuple[str, str]]:
    call.need("reactions:write")
    message = call.message(call.channel(), call.get("timestamp"))
    name = call.get("name")
    if not name or ":" in name:
        raise Refused("invalid_name")
    return message, (name, call.workspace.bot.id)


def _writable(call: Call) -> Channel:
    """A person's id stands for the direct messages with that person."""
    person = call.workspace.people.get(call.get("channel"))
    channel = call.workspace.direct(person) if person else call.channel()
    if channel.archived:
        raise Refused("is_archived")
    if not call.inside(channel) and "chat:write.public" not in call.workspace.scopes:
        raise Refused("not_in_channel")
    return channel


def _thread(call: Call, channel: Channel) -> str:
    """A thread is named by its first message, of which a gravestone is enough."""
    ts = call.get("thread_ts")
    if not ts:
        return ""
    root = channel.find(ts)
    if root is None:
        raise Refused("thread_not_found")
    if root.thread_ts:
        raise Refused("cannot_reply_to_message")
    return ts


def _sent_before(call: Call, channel: Channel) -> Message | None:
    """The message of an earlier call with the same `client_msg_id`."""
    workspace = call.workspace
    known = workspace.sent_ids.get(call.get("client_msg_id"))
    if known is None:
        return None
    message, at = known
    if workspace.clock() - at >= workspace.remembers * 1000:
        return None
    if message.channel != channel.id:
        raise Refused("duplicate_channel_not_found")
    if channel.find(message.ts) is None:
        raise Refused("duplicate_message_not_found")
    return message


def _posted(message: Message, channel: Channel, content: Content) -> Json:
    shape = shapes.message(message, channel, with_metadata=True)
    body: Json = {"channel": channel.id, "ts": message.ts, "message": shape}
    if content.warning:
        body["warning"] = content.warning
        body["response_metadata"] = {"warnings": [content.warning]}
    return body
