"""What stands in a Discord message's text: mentions, emoji, times and links, as a person reads
them. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from adapters.chat.columns import as_list
from adapters.chat.mention import trim, without

_TOKEN = re.compile(
    r"<(?:@!?(?P<person>\d+)|@&(?P<role>\d+)|#(?P<channel>\d+)|a?:(?P<emoji>\w+):\d+"
    r"|t:(?P<time>-?\d{1,11})(?::\w)?|/(?P<command>[^:<>\n]+):\d+|(?P<link>https?://[^\s<>]+))>"
)
_MARKS = re.compile(r"([\\*_~`|])")
_LONGEST = 2_000
SOMEBODY = "somebody"
_A_ROLE = "a-role"
_A_CHANNEL = "a-channel"


@dataclass(frozen=True, slots=True)
class Names:
    """Of the people, roles and channels that may be mentioned, by their ids."""

    people: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    channels: Mapping[str, str] = field(default_factory=dict)


def without_mention(text: str, user: str, role: str) -> str:
    """Cut our own mention, by name or by the role that we have for ourselves."""
    ours = rf"@!?{user}" + (rf"|@&{role}" if role else "")
    return trim(without(f"<(?:{ours})>", text))


def name_of(user: Mapping[str, Any], member: Mapping[str, Any] | None = None) -> str:
    """What people call an account, in the guild of which this is the member."""
    nick = (member or {}).get("nick")
    return str(nick or user.get("global_name") or user.get("username") or "")


def in_lines(text: str) -> str:
    """Our own plain words, as Discord shows them: columns as a list, marks as letters, and no
    more than it takes."""
    return as_list(_MARKS.sub(r"\\\1", text), r"- **\1**: ")[:_LONGEST]


def decode(text: str, names: Names) -> str:
    """Names in place of ids; who is not known is somebody."""
    return trim(_TOKEN.sub(lambda found: _read(found, names), text))


def _read(found: re.Match[str], names: Names) -> str:
    value = found[found.lastgroup or 0]
    match found.lastgroup:
        case "person":
            read = f"@{names.people.get(value, SOMEBODY)}"
        case "role":
            read = f"@{names.roles.get(value, _A_ROLE)}"
        case "channel":
            read = f"#{names.channels.get(value, _A_CHANNEL)}"
        case "emoji":
            read = f":{value}:"
        case "time":
            read = _time(int(value))
        case "command":
            read = f"/{value}"
        case _:  # a link, in brackets so that Discord shows no preview of it
            read = value
    return read


def _time(seconds: int) -> str:
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M UTC}"
    except (OverflowError, OSError, ValueError):
        return f"<t:{seconds}>"
