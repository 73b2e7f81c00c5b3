"""Payloads as Discord's gateway sends them, cut down to what somebody looks at."""

from __future__ import annotations

from typing import Any

Payload = dict[str, Any]

US, OUR_ROLE = "900", "901"
ANN, BOB = "11", "12"
GUILD = "500"
GENERAL, SECRET, FORUM = "510", "511", "512"
THREAD, HIDDEN_THREAD = "520", "521"
DIRECT = "530"
MESSAGE = "1444444444444444444"
SAID_AT = (int(MESSAGE) >> 22) + 1_420_070_400_000

VIEW = 1 << 10


def person(user: str, name: str, **more: Any) -> Payload:
    return {"id": user, "username": name.lower(), "global_name": name, "bot": False, **more}


def message(text: str, *, channel: str = GENERAL, author: str = ANN, **more: Any) -> Payload:
    """In the server, unless the channel is the direct one."""
    shape: Payload = {
        "id": MESSAGE,
        "type": 0,
        "channel_id": channel,
        "author": person(author, {ANN: "Ann", BOB: "Bob", US: "Nimbus"}.get(author, "Zoe")),
        "content": text,
        "edited_timestamp": None,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
    }
    if channel != DIRECT:
        shape |= {"guild_id": GUILD, "member": {"nick": None, "roles": []}}
    return {**shape, **more}


def mentioning(text: str, *people: str, **more: Any) -> Payload:
    """A message that really calls these people."""
    mentions = [person(each, {ANN: "Ann", BOB: "Bob", US: "Nimbus"}[each]) for each in people]
    return message(text, mentions=mentions, **more)


def replying(text: str, to: str, **more: Any) -> Payload:
    """A reply to a message of this author."""
    return message(
        text,
        type=19,
        message_reference={"type": 0, "message_id": "777"},
        referenced_message={"id": "777", "author": {"id": to}},
        **more,
    )


def role(role_id: str, name: str, permissions: int = 0, bot: str = "") -> Payload:
    tags = {"tags": {"bot_id": bot}} if bot else {}
    return {"id": role_id, "name": name, "permissions": str(permissions), **tags}


def channel(channel_id: str, name: str, kind: int = 0, **more: Any) -> Payload:
    return {"id": channel_id, "name": name, "type": kind, "guild_id": GUILD, **more}


def thread(thread_id: str, parent: str, kind: int = 11) -> Payload:
    return channel(thread_id, f"thread {thread_id}", kind, parent_id=parent)


def hidden() -> list[Payload]:
    """What makes a channel one that not everyone sees."""
    return [{"id": GUILD, "type": 0, "allow": "0", "deny": str(VIEW)}]


def guild() -> Payload:
    """A server that everyone in it may see, with one secret channel."""
    return {
        "id": GUILD,
        "roles": [role(GUILD, "@everyone", VIEW), role(OUR_ROLE, "Nimbus", bot=US)],
        "channels": [
            channel(GENERAL, "general"),
            channel(SECRET, "secret", permission_overwrites=hidden()),
            channel(FORUM, "forum", 15),
        ],
        "threads": [thread(THREAD, GENERAL), thread(HIDDEN_THREAD, SECRET)],
    }
