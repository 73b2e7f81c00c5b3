"""Where a Markdown text may be cut in two, and how good a place that is."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import pairwise

from adapters.markup.lines import Line


class Rank(IntEnum):
    """The best first."""

    BLOCK = 0  # between paragraphs, lists, tables, code
    LINE = 1
    SENTENCE = 2  # and between the paragraphs of code
    ROW = 3  # of a table or of code; after a heading
    WORD = 4
    CODE_WORD = 5


_CJK = "\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SPACE = re.compile(r"\s++(?=\S)")
_SENTENCE = re.compile(r"[.!?…][\"')\]*_”’»]*+\s++(?=\S)|[。！？；][」』）”’]*+(?=\S)")
_CJK_CHARACTER = re.compile(  # but not before what may not begin a line
    rf"[{_CJK}、，：；。！？」』）](?=[^\s、，：；。！？」』）．】〉》ー…])"
)
_WHOLE = re.compile(  # what is not cut unless it must be: code, links, what is bold
    r"(?P<ticks>`++)[^`\n]++(?P=ticks)(?!`)"
    r"|!?\[[^\]\n]{0,300}+\]\((?:[^()\n]|\([^()\n]*+\))*+\)"
    r"|https?://[!-~]++"
    r"|\*\*[^*\n]{1,300}+\*\*"
)
_TONES = range(0x1F3FB, 0x1F400)
_FLAG_LETTERS = range(0x1F1E6, 0x1F200)
_TAGS = range(0xE0020, 0xE0080)
_CODE = 4  # where no list is known, a line that is indented so far is code
_JOINER = "\u200d"


def breaks(text: str, lines: Sequence[Line], start: int, end: int) -> Iterator[tuple[Rank, int]]:
    """Every place after `start` and up to `end` where the text may be cut in two."""
    for line, following in pairwise(lines):
        if start < line.end <= end and (rank := _between(line, following)) is not None:
            yield rank, line.end
    for line in lines:
        if line.start < end and line.end > start and not line.is_fence:
            for rank, cut in _within(text, line):
                if start < cut <= end:
                    yield rank, cut


def before_letter(text: str, start: int, end: int) -> int:
    """The last place after `start` and up to `end` that tears no letter or emoji apart."""
    for cut in range(end, start, -1):
        if not _are_one(text, cut):
            return cut
    return end


def _between(line: Line, following: Line) -> Rank | None:
    """None: one of the two messages would show an empty code block."""
    if line.role == "opening" or following.role == "closing":
        return None
    if line.fence is not None:
        return Rank.SENTENCE if line.role == "blank" else Rank.ROW
    if line.leads or following.indent >= _CODE or line.role == following.role == "row":
        return Rank.ROW
    if following.indent > 0:
        return Rank.LINE
    if line.role in ("blank", "closing") or following.role in ("opening", "heading"):
        return Rank.BLOCK
    return Rank.LINE


def _within(text: str, line: Line) -> Iterator[tuple[Rank, int]]:
    """Places in a line, but not before its first word or after its last."""
    words = text[line.start : line.end]
    first = line.start + len(words) - len(words.lstrip(" \t>"))
    if line.fence is not None:
        yield from ((Rank.CODE_WORD, cut) for cut in _ends(_SPACE, text, first, line.end))
        return
    wholes = [found.span() for found in _WHOLE.finditer(text, first, line.end)]
    for rank, pattern in _IN_TEXT:
        for cut in _ends(pattern, text, first, line.end):
            before = bisect_left(wholes, (cut,)) - 1
            if before < 0 or wholes[before][1] <= cut:
                yield rank, cut


_IN_TEXT = ((Rank.SENTENCE, _SENTENCE), (Rank.WORD, _SPACE), (Rank.WORD, _CJK_CHARACTER))


def _ends(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterator[int]:
    return (found.end() for found in pattern.finditer(text, start, end))


def _are_one(text: str, cut: int) -> bool:
    before, after = text[cut - 1], text[cut]
    if _JOINER in (before, after) or (before, after) == ("\r", "\n"):
        return True
    if unicodedata.category(after) in ("Mn", "Mc", "Me"):
        return True
    if ord(after) in _TONES or ord(after) in _TAGS:
        return True
    return ord(after) in _FLAG_LETTERS and _letters_of_flags(text, cut) % 2 == 1


def _letters_of_flags(text: str, end: int) -> int:
    start = end
    while start > 0 and ord(text[start - 1]) in _FLAG_LETTERS:
        start -= 1
    return end - start
