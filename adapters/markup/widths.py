"""How wide text stands where every letter has the same width."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

_WIDE = frozenset("WF")
_NO_ROOM = frozenset({"Mn", "Me", "Cf"})
_EMOJI_LOOK = "\ufe0f"  # the letter before it is shown as an emoji
_JOINER = "\u200d"


def width(text: str) -> int:
    """In columns: Chinese, Japanese and Korean letters and emoji take two."""
    columns, joined = 0, False
    for letter in text:
        if letter == _EMOJI_LOOK:
            columns += 1
        elif not joined:
            columns += _columns(letter)
        joined = letter == _JOINER
    return columns


def wrapped(text: str, room: int) -> list[str]:
    """The same in lines of so many columns, at least two; a word is cut only when it must be."""
    lines = [""]
    for word in text.split():
        for piece in _torn(word, room):
            longer = f"{lines[-1]} {piece}" if lines[-1] else piece
            if width(longer) <= room:
                lines[-1] = longer
            else:
                lines.append(piece)
    return lines


def _torn(word: str, room: int) -> Iterator[str]:
    while width(word) > room:
        end = 1
        while width(word[: end + 1]) <= room:
            end += 1
        yield word[:end]
        word = word[end:]
    yield word


def _columns(letter: str) -> int:
    if unicodedata.category(letter) in _NO_ROOM:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in _WIDE else 1
