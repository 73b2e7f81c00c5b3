"""What no person on Discord may ever read."""

from __future__ import annotations

import re

from tests.servers.discord.world import SUPPRESS_EMBEDS, Json, Message, texts_of
from tests.servers.inspection import Inspector, Marks

MARKS = Marks(
    tokens=re.compile(r"\b[\w-]{24,28}\.[\w-]{6}\.[\w-]{27,}"),
    exceptions=re.compile(
        r"Traceback \(most recent call last\)|\b[A-Z]\w+(?:Error|Exception)\b"
        r"|\(error code: \d+\)"
    ),
    hides_ids=re.compile(r"<(?:@[!&]?|#|a?:\w+:|t:|/[^:>]*:)[^>]*>|https?://\S+"),
)
_LINK = re.compile(r"(?<!<)https?://\S+")


def look(inspector: Inspector, where: str, sent: Json) -> None:
    """At what a call, or a part of it, shows to people."""
    for name in ("content", "embeds", "components", "name"):
        inspector.read(where, texts_of(sent.get(name)))
    for part in ("message", "data"):
        if isinstance(sent.get(part), dict):
            look(inspector, where, sent[part])


def look_at(inspector: Inspector, message: Message) -> None:
    """At a bot's message as it stands: does it call somebody, or show what a link leads to?"""
    names = {each.id: each.name for each in message.mentions}
    for each in sorted(message.pings):
        said = f"a ping of {names.get(each, each)} in: {message.content[:80]}"
        inspector.found.append(said)
    if _LINK.search(message.content) and not message.flags & SUPPRESS_EMBEDS:
        inspector.found.append(f"the preview of a link in: {message.content[:80]}")
