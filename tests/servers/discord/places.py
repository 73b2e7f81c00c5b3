"""The routes about channels, threads, servers, and people in them."""

from __future__ import annotations

from collections.abc import Mapping

from tests.servers.discord import shapes, threads
from tests.servers.discord.calls import BadForm, Call, Refused
from tests.servers.discord.content import content_of
from tests.servers.discord.messages import seen_by
from tests.servers.discord.permissions import May
from tests.servers.discord.world import Channel, ChannelKind, Json

ARCHIVE_MINUTES = {60, 1440, 4320, 10080}
THREAD_KINDS: Mapping[int, ChannelKind] = {
    10: "public thread",
    11: "public thread",
    12: "private thread",
}


def channel(call: Call) -> Json:
    return shapes.channel(call.channel(), call.app.user)


def change_channel(call: Call) -> Json:
    """Only of threads: their name, whether they are archived or locked."""
    thread = call.channel()
    if not thread.is_thread:
        raise Refused(50024)
    body = call.body
    opens = body.get("archived") is False
    if thread.archived and not opens:
        raise Refused(50083)
    own = thread.owner == call.app.user.id
    only_opens = opens and not thread.locked and body.keys() == {"archived"}
    if not own and not only_opens:
        call.need(thread, May.MANAGE_THREADS)
    thread.name = body.get("name", thread.name)
    thread.locked = body.get("locked", thread.locked)
    thread.archive_minutes = _minutes(body, thread.archive_minutes)
    call.realm.archive(thread, archived=body.get("archived", thread.archived))
    return shapes.channel(thread, call.app.user)


def thread_from_message(call: Call) -> Json:
    parent = call.channel()
    if parent.kind not in {"text", "announcement"}:
        raise Refused(50024)
    message = call.message(parent)
    call.need(parent, May.CREATE_PUBLIC_THREADS)
    name, minutes = _name(call.body), _minutes(call.body)
    if message.thread is not None:
        raise Refused(160004)
    thread = threads.start_from(call.realm, message, call.app.user, name)
    thread.archive_minutes = minutes
    return shapes.channel(thread, call.app.user)


def thread(call: Call) -> Json:
    """Without a message in the parent; in a forum, with the post's first message."""
    parent = call.channel()
    if parent.kind not in {"text", "announcement", "forum"}:
        raise Refused(50024)
    name, minutes = _name(call.body), _minutes(call.body)
    if parent.kind == "forum":
        return _post(call, parent, name)
    kind = THREAD_KINDS.get(call.body.get("type", 12))
    if kind is None:
        problem = "BASE_TYPE_CHOICES", "Value must be one of {10, 11, 12}."
        raise BadForm({"type": problem})
    private = kind == "private thread"
    call.need(parent, May.CREATE_PRIVATE_THREADS if private else May.CREATE_PUBLIC_THREADS)
    made = threads.start(call.realm, parent, call.app.user, name, kind)
    made.archive_minutes = minutes
    return shapes.channel(made, call.app.user)


def _post(call: Call, forum: Channel, name: str) -> Json:
    call.need(forum, May.SEND_MESSAGES)
    content = content_of(call.body.get("message") or {})
    first = call.realm.new_message(forum, call.app.user, content.text)
    first.embeds, first.components = content.embeds, content.components
    first.flags = content.flags
    made = threads.post(call.realm, forum, first, name, allowed=content.allowed)
    return {**shapes.channel(made, call.app.user), "message": seen_by(call, first)}


def join_thread(call: Call) -> None:
    thread = call.channel()
    if not thread.is_thread:
        raise Refused(50024)
    if thread.archived:
        raise Refused(50083)
    thread.members[call.app.user.id] = call.app.user


def open_direct(call: Call) -> Json:
    """It exists also where the person does not hear the bot."""
    if "recipient_id" not in call.body:
        raise BadForm({"recipient_id": ("BASE_TYPE_REQUIRED", "This field is required")})
    person = call.realm.users.get(str(call.body["recipient_id"]))
    if person is None:
        raise Refused(10013)
    if person.bot:
        raise Refused(50007)
    return shapes.channel(call.realm.direct(call.app.user, person), call.app.user)


def guild(call: Call) -> Json:
    return shapes.plain_guild(call.guild())


def guild_channels(call: Call) -> list[Json]:
    channels = call.guild().channels.values()
    return [shapes.channel(each) for each in channels if not each.is_thread]


def active_threads(call: Call) -> Json:
    reader = call.app.user
    threads = [
        each
        for each in call.guild().channels.values()
        if each.is_thread and not each.archived and call.realm.sees(reader, each)
    ]
    mine = [shapes.thread_member(each, reader) for each in threads if reader.id in each.members]
    return {"threads": [shapes.channel(each, reader) for each in threads], "members": mine}


def roles(call: Call) -> list[Json]:
    return [shapes.role(each, at) for at, each in enumerate(call.guild().roles.values())]


def member(call: Call) -> Json:
    found = call.guild().members.get(call.path["user"])
    if found is None:
        raise Refused(10007 if call.path["user"] in call.realm.users else 10013)
    return shapes.member(found)


def user(call: Call) -> Json:
    found = call.realm.users.get(call.path["user"])
    if found is None:
        raise Refused(10013)
    return shapes.user(found)


def _name(body: Json) -> str:
    name = str(body.get("name") or "")
    if not 1 <= len(name.strip()) <= 100:
        problem = "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length."
        raise BadForm({"name": problem})
    return name


def _minutes(body: Json, usual: int = 1440) -> int:
    minutes = body.get("auto_archive_duration") or usual
    if minutes not in ARCHIVE_MINUTES:
        choices = ", ".join(map(str, sorted(ARCHIVE_MINUTES)))
        problem = "BASE_TYPE_CHOICES", f"Value must be one of {{{choices}}}."
        raise BadForm({"auto_archive_duration": problem})
    return int(minutes)
