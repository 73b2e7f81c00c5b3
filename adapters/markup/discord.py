"""An answer in Discord's own Markdown; nobody is called by it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from adapters.markup.lines import Line, read_lines
from adapters.markup.split import Piece, code_units, split, visible
from adapters.markup.tables import begins_table, drawn, read_table

LIMIT = 1_900  # of 2,000, since nobody says how Discord counts

_PING = re.compile(r"<@(?=[!&]?\d)|(?<![\w.])@(?=everyone|here)", re.IGNORECASE)
_NOTHING = "\u200b"  # takes no room, and makes another word of it
_LONGEST_FENCE = LIMIT // 8
_LONGEST_ROW = 1_000
_FENCE = "```"
_LANGUAGE = re.compile(r"\s*([\w+.#-]+)\s*$")
_LEAD = re.compile(r"[ \t>]*")
_SMALL_HEADING = re.compile(r"^([ \t>]*)####+(?=\s)")
_QUOTES_ALL = re.compile(r"^([ \t]*>)(?=>>)")  # for Discord, to the end of the message
_INLINE = re.compile(
    r"(?P<ticks>`++)(?P<code>.+?)(?P=ticks)(?!`)"
    r"|!(?=\[[^\[\]]+\]\()(?P<image>)"
    r"|(?P<bars>\|\|)"
)
_FENCE_IN_TEXT = re.compile("`(?=``)")


def pieces(answer: str) -> list[Piece]:
    """The messages that an answer comes to; `ends_at` counts in the answer as it was given."""
    there = _Translation(list(_translated(answer)))
    found = visible(split(there.text, LIMIT, code_units))
    return [replace(piece, ends_at=there.original(piece.ends_at)) for piece in found]


def harmless(text: str) -> str:
    """The text, in which no person, role or crowd is called."""
    return _PING.sub(rf"\g<0>{_NOTHING}", text)


@dataclass(frozen=True, slots=True)
class _Said:
    """What a line of the answer, from `start` to `end`, becomes."""

    text: str
    start: int
    end: int


class _Translation:
    def __init__(self, said: Sequence[_Said]) -> None:
        self.text = "".join(one.text for one in said)
        self._said = said
        self._starts: list[int] = []
        at = 0
        for one in said:
            self._starts.append(at)
            at += len(one.text)

    def original(self, cut: int) -> int:
        """Where in the answer a place in the translation lies; for one inside a line that reads
        otherwise now, about there."""
        if cut == len(self.text):
            return self._said[-1].end
        index = bisect_right(self._starts, cut) - 1
        one = self._said[index]
        return min(one.start + cut - self._starts[index], one.end)


def _translated(answer: str) -> Iterator[_Said]:
    lines = read_lines(answer, _LONGEST_FENCE)
    texts = [answer[line.start : line.end] for line in lines]
    at = 0
    while at < len(lines):
        count = _rows_of_table(lines, texts, at)
        if count:
            rows = _as_code(texts[at : at + count])
        else:
            count, rows = 1, [_line(lines, texts, at)]
        for line, text in zip(lines[at : at + count], rows, strict=True):
            yield _Said(harmless(text), line.start, line.end)
        at += count


def _rows_of_table(lines: Sequence[Line], texts: Sequence[str], at: int) -> int:
    """How many lines make the table that begins here; 0: none does."""
    if at + 1 >= len(lines) or not all(map(_may_be_row, lines[at : at + 2], texts[at : at + 2])):
        return 0
    lead = _lead(texts[at])
    if not begins_table(*(text.removeprefix(lead) for text in texts[at : at + 2])):
        return 0
    end = at + 2
    while end < len(lines) and _may_be_row(lines[end], texts[end]) and "|" in texts[end]:
        end += 1
    return end - at


def _may_be_row(line: Line, text: str) -> bool:
    return line.fence is None and line.role in {"row", "text"} and len(text) <= _LONGEST_ROW


def _as_code(rows: Sequence[str]) -> list[str]:
    """A table as code that stands where it stood: in a quotation, in a list."""
    lead = _lead(rows[0])
    table = read_table([row.lstrip(" \t>") for row in rows])
    texts = [_inside_fence(text) for text in drawn(table)]
    texts[0] = f"{_FENCE}\n{texts[0]}"
    ends = ["\n"] * len(rows)
    ends[-1] = f"\n{lead}{_FENCE}" + ("\n" if rows[-1].endswith("\n") else "")
    return [
        lead + text.replace("\n", f"\n{lead}") + end for text, end in zip(texts, ends, strict=True)
    ]


def _line(lines: Sequence[Line], texts: Sequence[str], at: int) -> str:
    line, text = lines[at], texts[at]
    match line.role:
        case "opening" if line.fence is not None:
            before = text[: text.index(line.fence.marker)]
            language = _LANGUAGE.match(line.fence.info)
            return f"{before}{_FENCE}{language[1] if language else ''}\n"
        case "closing":
            return _lead(text) + _FENCE + ("\n" if text.endswith("\n") else "")
        case "code":
            return _inside_fence(text)
        case _:
            return _plain(text)


def _inside_fence(text: str) -> str:
    """For Discord a fence ends wherever three ticks stand, and knows no longer ones."""
    return _FENCE_IN_TEXT.sub(f"`{_NOTHING}", text)


def _plain(text: str) -> str:
    text = _SMALL_HEADING.sub(r"\1###", text)
    text = _QUOTES_ALL.sub(r"\1 ", text)
    return _inside_fence(_INLINE.sub(_inline, text))


def _inline(found: re.Match[str]) -> str:
    if found["bars"]:  # would hide what stands between two of them
        return f"|{_NOTHING}|"
    if found["code"] is None:
        return ""  # an image is shown as a link
    if len(found["ticks"]) < len(_FENCE) or "`" in found["code"]:
        return found[0]
    return f"`{found['code'].strip()}`"


def _lead(text: str) -> str:
    found = _LEAD.match(text)
    return found[0] if found else ""
