"""The routes with which a bot writes, changes and reads messages."""

from __future__ import annotations

from collections.abc import Callable

from tests.servers.discord.calls import BadForm, Call, Refused
from tests.servers.discord.content import check, content_of
from tests.servers.discord.message_shapes import message as shape_of
from tests.servers.discord.message_shapes import reference_to
from tests.servers.discord.permissions import May, sending
from tests.servers.discord.snowflakes import made_at
from tests.servers.discord.world import REPLY, SUPPRESS_EMBEDS, SYSTEM, Channel, Json, Message

HOUR = 3_600_000
SIZE_OF_A_FILE = 10 * 1024**2
LARGEST_PAGE = 100


def create(call: Call) -> Json:
    channel = call.channel()
    check_writable(call, channel)
    known = _sent_before(call)
    if known is not None:
        return seen_by(call, known)
    content = content_of(call.body, attached=bool(call.files))
    message = call.realm.new_message(channel, call.app.user, content.text)
    message.embeds, message.components = content.embeds, content.components
    message.flags, message.nonce = content.flags, content.nonce
    attach(call, message)
    _refer(call, message)
    call.realm.post(message, allowed=content.allowed)
    if message.nonce:
        call.realm.sent[call.app.id, message.nonce] = message, call.realm.clock()
    return seen_by(call, message)


def attach(call: Call, message: Message) -> None:
    """Raise Refused for a file that is too large, or that the body does not name."""
    named = {each.get("filename") for each in call.body.get("attachments") or []}
    for name, data in call.files.items():
        if len(data) > SIZE_OF_A_FILE:
            raise Refused(40005)
        if "attachments" in call.body and name not in named:
            raise Refused(50035)
        call.realm.attach(message, name, data)


def edit(call: Call) -> Json:
    channel = call.channel()
    message = call.message(channel)
    if message.author is not call.app.user:
        raise Refused(50005)
    if channel.archived:
        raise Refused(50083)
    check(call.body)
    _count_old(call, message)
    change(call, message, call.body)
    return seen_by(call, message)


def change(call: Call, message: Message, body: Json) -> None:
    """What the body names; all else stays."""
    text = str(body["content"] or "") if "content" in body else message.content
    embeds, components = (
        list(body[name] or []) if name in body else list(there)
        for name, there in (("embeds", message.embeds), ("components", message.components))
    )
    kept = {str(each.get("id")) for each in body.get("attachments") or []}
    all_kept = "attachments" not in body
    attachments = [each for each in message.attachments if all_kept or each["id"] in kept]
    if not (text.strip() or embeds or components or attachments):
        raise Refused(50006)
    message.embeds, message.components, message.attachments = embeds, components, attachments
    if "flags" in body:
        message.flags &= ~SUPPRESS_EMBEDS
        message.flags |= int(body["flags"] or 0) & SUPPRESS_EMBEDS
    if body.keys() <= {"flags", "tts", "allowed_mentions"}:  # which is no edit
        call.realm.tell_of_message("MESSAGE_UPDATE", message)
    else:
        call.realm.edit(message, text, allowed=body.get("allowed_mentions"))


def delete(call: Call) -> None:
    channel = call.channel()
    message = call.message(channel)
    if message.author is not call.app.user:
        if channel.guild is None:
            raise Refused(50003)
        call.need(channel, May.MANAGE_MESSAGES)
    if channel.archived:
        raise Refused(50083)
    call.realm.delete(message)


def fetch(call: Call) -> Json:
    channel = call.channel()
    call.need(channel, May.READ_MESSAGE_HISTORY)
    return seen_by(call, call.message(channel))


def history(call: Call) -> list[Json]:
    """Newest first, at most a hundred."""
    channel = call.channel()
    limit = _limit(call)
    if not call.may(channel, May.READ_MESSAGE_HISTORY):
        return []
    found = _page(channel.messages, call.query.get, limit)
    return [seen_by(call, each) for each in reversed(found)]


def show_typing(call: Call) -> None:
    channel = call.channel()
    check_writable(call, channel)
    channel.typing[call.app.user.id] = call.realm.clock()
    call.realm.pulse.beat()


def seen_by(call: Call, message: Message) -> Json:
    """Over HTTP, too, the developer's switch says whether contents are told."""
    return shape_of(message, None if call.app.content_allowed else call.app.user)


def check_writable(call: Call, channel: Channel) -> None:
    """Raise Refused where the bot cannot write."""
    if not channel.has_messages:
        raise Refused(50024)
    if channel.guild is None:
        _check_heard(call, channel)
    call.need(channel, sending(channel))
    if channel.locked and not call.may(channel, May.MANAGE_THREADS):
        raise Refused(50083 if channel.archived else 160005)


def _check_heard(call: Call, direct: Channel) -> None:
    for person in direct.members.values():
        if call.app.user.id in person.blocked:
            raise Refused(50007)
        if person is not call.app.user and not call.realm.meet(call.app, person):
            raise Refused(50278)


def _refer(call: Call, message: Message) -> None:
    """To the message that it answers."""
    wanted = call.body.get("message_reference")
    if not wanted:
        return
    channel = message.channel
    if not call.may(channel, May.READ_MESSAGE_HISTORY):
        raise Refused(160002)
    replied = channel.find(str(wanted.get("message_id")))
    if replied is None:
        if wanted.get("fail_if_not_exists", True):
            raise BadForm({"message_reference": ("REPLIES_UNKNOWN_MESSAGE", "Unknown message")})
        return
    if replied.kind in SYSTEM:
        problem = "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE", "Cannot reply to a system message"
        raise BadForm({"message_reference": problem})
    message.kind = REPLY
    message.reference = reference_to(replied)


def _sent_before(call: Call) -> Message | None:
    """The message that the same bot made with the same nonce, if it asks for that."""
    key = call.app.id, str(call.body.get("nonce") or "")
    if not call.body.get("enforce_nonce") or key not in call.realm.sent:
        return None
    message, at = call.realm.sent[key]
    fresh = call.realm.clock() - at < call.realm.remembers * 1000
    return message if fresh else None


def _count_old(call: Call, message: Message) -> None:
    if call.realm.clock() - made_at(message.id) < HOUR:
        return
    if call.realm.old_edits <= 0:
        raise Refused(30046, retry_after=call.realm.old_edit_pause)
    call.realm.old_edits -= 1


def _limit(call: Call) -> int:
    text = call.query.get("limit", "50")
    if not text.isdecimal() or not 1 <= int(text) <= LARGEST_PAGE:
        problem = "NUMBER_TYPE_MAX", "int value should be between 1 and 100."
        raise BadForm({"limit": problem})
    return int(text)


def _page(
    messages: list[Message], wanted: Callable[[str], str | None], limit: int
) -> list[Message]:
    """In order of time."""
    if around := wanted("around"):
        at = next((i for i, one in enumerate(messages) if int(one.id) >= int(around)), 0)
        return messages[max(0, at - limit // 2) :][:limit]
    if after := wanted("after"):
        return [each for each in messages if int(each.id) > int(after)][:limit]
    before = wanted("before")
    return [each for each in messages if not before or int(each.id) < int(before)][-limit:]
