"""What stands in a Slack message's text: escapes, links and mentions, as a person reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from adapters.chat.columns import as_list
from adapters.chat.mention import trim, without

_TOKEN = re.compile(r"<([^<>]+)>")
_PERSON = re.compile(r"<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>")
_CHANNEL = re.compile(r"<#([CGD][A-Z0-9]+)(?:\|[^<>]*)?>")
_CALLS = re.compile(r"<!(?:here|channel|everyone|subteam\^)")


def decode(text: str, us: str) -> str:
    """Cut our own mention, resolve escapes and links; people and channels stay as `<@U1>` and
    `<#C1>`, for `name` to resolve."""
    cut = without(rf"<@{us}(?:\|[^<>]*)?>", text)
    return trim(_unescape(_TOKEN.sub(lambda found: _read(found[1]), cut)))


def escape(text: str) -> str:
    """Plain words, so that Slack shows them as they are and calls nobody."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def in_lines(text: str) -> str:
    """Our own plain words. Slack's letters have no common width: what stands in columns for a
    terminal becomes a list."""
    return as_list(escape(text), r"• *\1*: ")


def mentions_us(text: str, us: str) -> bool:
    return us in _PERSON.findall(text)


def mentions_others(text: str, us: str) -> bool:
    """Whether it calls anybody else: a person, a group, everyone."""
    return bool(_CALLS.search(text)) or any(who != us for who in _PERSON.findall(text))


def people_in(text: str) -> list[str]:
    """Ids of the people who stand in a decoded text."""
    return list(dict.fromkeys(_PERSON.findall(text)))


def channels_in(text: str) -> list[str]:
    return list(dict.fromkeys(_CHANNEL.findall(text)))


def with_names(text: str, people: Mapping[str, str], channels: Mapping[str, str]) -> str:
    """Names in place of ids; who is not known is somebody."""
    named = _PERSON.sub(lambda found: f"@{people.get(found[1], 'somebody')}", text)
    return _CHANNEL.sub(lambda found: f"#{channels.get(found[1], 'a-channel')}", named)


def _read(token: str) -> str:
    target, _, label = token.partition("|")
    match target[0]:
        case "@" | "#":
            return f"<{target}>"
        case "!":
            return _read_call(target[1:], label)
        case _:
            return _read_link(target, label)


def _read_call(what: str, label: str) -> str:
    if what.startswith("subteam^"):
        return label or "@a-group"
    if what.startswith("date^"):
        return label
    return f"@{what}"


def _read_link(target: str, label: str) -> str:
    bare = target.removeprefix("mailto:").removeprefix("tel:")
    if not label or label in {target, bare} or target in {f"http://{label}", f"https://{label}"}:
        return bare
    return f"[{label}]({target})"


def _unescape(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
