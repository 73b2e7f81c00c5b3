"""What a thread is called: the beginning of the question from which it is made. Pure."""

from __future__ import annotations

import re

from adapters.discord.decode import Names, decode, name_of
from adapters.discord.guilds import Json

LONGEST = 100  # for Discord
_LONG = 80
_LEAST = 20  # letters that a cut at a word leaves
_ROLE = re.compile(r"<@&\d+>")
_MARKS = re.compile(r"^\s*(?:[-*+>#]+|\d+[.)])\s+|[*_~`|\\]+|```\w*", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\([^)\s]+\)")


def title(question: Json, us: str) -> str:
    """Empty when there are no words in it."""
    people = {each["id"]: name_of(each) for each in question.get("mentions") or ()}
    said = re.sub(rf"<@!?{us}>[,:]?", " ", question.get("content") or "")
    said = decode(_ROLE.sub(" ", said), Names(people))
    said = _MARKS.sub(" ", _LINK.sub(r"\1", said))
    lines = (" ".join(line.split()) for line in said.split("\n"))
    return _cut(next((line for line in lines if any(map(str.isalnum, line))), ""))


def _cut(text: str) -> str:
    if len(text) <= _LONG:
        return text
    whole, _, _ = text[:_LONG].rpartition(" ")
    return f"{(whole if len(whole) >= _LEAST else text[: _LONG - 1]).rstrip()}…"
