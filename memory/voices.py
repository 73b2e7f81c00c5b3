"""Who said what, as a model reads it: names where several people talk, and what was not said to
us. A stored message reads for ever as it did first, since nothing here changes but with its row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memory.database import Row
from memory.errors import DamagedMessageError
from memory.keys import PersonKey
from memory.messages import Message, Part, Text, decode
from memory.observed import count_kept

NOBODY = "somebody"
NO_WORDS = "(No words, only your name. Answer to what was said before.)"
_LONGEST_NAME = 60
_SHARED = frozenset({"private", "public"})


@dataclass(frozen=True, slots=True)
class Talk:
    """A turn's messages, and beside them what others said before it and not to us."""

    messages: tuple[Message, ...]
    aside: str = ""

    def and_then(self, steps: Sequence[Message]) -> Talk:
        return replace(self, messages=(*self.messages, *steps))

    @property
    def whole(self) -> tuple[Message, ...]:
        return with_aside(self.messages, self.aside)


def listen(rows: Sequence[Row]) -> Talk:
    """Of a turn's rows, with the `surface` of their place and the name by which their author is
    `known` there; what is damaged is simply missing."""
    read = list(_readable(rows))
    overheard = [(row, message) for row, message in read if row["state"] == "observed"]
    return Talk(
        tuple(_voiced(row, message) for row, message in read if row["state"] != "observed"),
        _aside([_line(row, message) for row, message in overheard if message.text]),
    )


@dataclass(frozen=True, slots=True)
class Unnamed:
    """A message whose event did not tell names; `content` as it was read. `name` is known of the
    author of an edited one, so that only the text's names are missing."""

    turn: int
    position: int
    author: PersonKey
    name: str
    message: Message
    content: str


def find_unnamed(rows: Sequence[Row]) -> Iterator[Unnamed]:
    """What is stored of people whose name nobody has looked up yet."""
    for row, message in _readable(rows):
        if row["role"] == "user" and not row["author_name"]:
            author = PersonKey.parse(row["author"])
            name = "" if row["edited_at"] is None else row["known"] or ""
            yield Unnamed(row["turn"], row["position"], author, name, message, row["content"])


def is_shared(row: Row) -> bool:
    """Whether several people may talk in the row's place."""
    return row["surface"] in _SHARED


def are_wordless(rows: Sequence[Row]) -> bool:
    """Whether nothing was said to us but our name."""
    return not any(message.text for row, message in _readable(rows) if is_question(row))


def is_question(row: Row) -> bool:
    """Whether it is what the turn's asker said."""
    return bool(row["role"] == "user" and row["state"] == "taken")


def with_aside(messages: tuple[Message, ...], aside: str) -> tuple[Message, ...]:
    """What others said stands in front of the question, as a text of its own."""
    if not (aside and messages):
        return messages
    first = messages[0]
    return (replace(first, parts=(Text(aside), *first.parts)), *messages[1:])


def _readable(rows: Sequence[Row]) -> Iterator[tuple[Row, Message]]:
    for row in rows:
        try:
            yield row, decode(row["role"], row["content"])
        except DamagedMessageError:
            continue


def _voiced(row: Row, message: Message) -> Message:
    if row["role"] != "user":
        return message
    words = message.parts if message.text else (Text(NO_WORDS),)
    if not is_shared(row):
        return replace(message, parts=words)
    return replace(message, parts=(Text(f"[From {_called(row)}]"), *map(_marked, words)))


_ENDS = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_OURS = re.compile(
    rf"((?:^|(?<=[{_ENDS}]))[^\S{_ENDS}]*)"
    rf"(?=\[[^\S{_ENDS}]*(?:Earlier|From|Notes|Now|Recalled|Said here)\b)",
    re.IGNORECASE,
)


def _marked(part: Part) -> Part:
    """A line that looks like one of ours is a person's, and is seen to be."""
    return replace(part, text=defused(part.text)) if isinstance(part, Text) else part


def defused(text: str) -> str:
    """A line that looks like one of ours is seen to be none."""
    return _OURS.sub(r"\1\\", text)


def _aside(lines: Sequence[str]) -> str:
    """The newest, as far as there is room."""
    kept = count_kept([len(line) for line in reversed(lines)])
    return "\n".join([_HEADING, *lines[len(lines) - kept :]]) if kept else ""


_HEADING = "[Said here meanwhile, and not to you:]"


def _line(row: Row, message: Message) -> str:
    """No line of it can pass for anything else: each has its mark."""
    return f"> {_called(row)}: " + "\n>   ".join(message.text.splitlines())


def _called(row: Row) -> str:
    """A name is one line, and has none of the signs that set it off."""
    called = row["author_name"] or row["known"] or ""
    name = " ".join(called.translate(_SIGNS).split())
    return name[:_LONGEST_NAME] or NOBODY


_SIGNS = str.maketrans("[]:<>", "     ")
