"""Markdown tables for who shows none: columns of text, as they stand in a code block."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from adapters.markup.widths import width, wrapped

WIDEST = 80  # columns; a longer line is broken by the window, and the table with it
_NARROWEST = 6
_MOST_COLUMNS = 12
_GAP = "  "
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_CELL = re.compile(  # a bar in code, or behind a backslash, ends none
    r"((?:[^|\\`]|\\.|\\$|(?>(`++)(?:(?!\2(?!`)).)*?\2(?!`)|`++))*+)(?:\||$)"
)
_LINK = re.compile(r"!?\[([^\[\]]*+)\]\(\s*<?([^\s()<>]*+(?:\([^\s()]*+\)[^\s()<>]*+)*+)>?[^()]*\)")
_CODE = re.compile(r"(`++)(.+?)\1(?!`)")
_EMPHASIS = re.compile(r"(\*\*\*|\*\*|\*|~~|(?<!\w)__|(?<!\w)_)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Table:
    """A head and rows; each column is aligned "<", "^" or ">"."""

    rows: Sequence[Sequence[str]]
    aligned: Sequence[str]


def begins_table(head: str, rule: str) -> bool:
    """Whether these two lines begin one."""
    if "|" not in head or "|" not in rule or not _RULE.match(rule):
        return False
    return len(_cells(head)) == len(_cells(rule)) <= _MOST_COLUMNS


def read_table(lines: Sequence[str]) -> Table:
    """Its head, the rule below it, and its rows."""
    head, rule, *rows = (_cells(line) for line in lines)
    aligned = [_aligned(cell) for cell in rule]
    even = [_even(row, len(head)) for row in rows]
    return Table([[_plain(cell) for cell in row] for row in [head, *even]], aligned)


def drawn(table: Table) -> list[str]:
    """One text for each line of the Markdown: the head, the rule, the rows. A row whose cells do
    not fit is several lines in one text."""
    widths = _widths(table)
    lines = ["\n".join(_row(row, widths, table.aligned)) for row in table.rows]
    rule = _GAP.join("─" * each for each in widths)
    return [lines[0], rule, *lines[1:]]


def _cells(line: str) -> list[str]:
    inside = line.strip().removeprefix("|")
    cells = [found[1].strip() for found in _CELL.finditer(inside)]
    return cells[:-1] if cells[-1] == "" and len(cells) > 1 else cells


def _even(row: Sequence[str], count: int) -> list[str]:
    """As many cells as the head has; what is too much goes into the last one."""
    filled = [*row, *([""] * (count - len(row)))]
    return [*filled[: count - 1], " | ".join(filled[count - 1 :])]


def _aligned(rule: str) -> str:
    if rule.endswith(":"):
        return "^" if rule.startswith(":") else ">"
    return "<"


def _plain(cell: str) -> str:
    """Without marks that a code block would show as they are."""
    cell = _BREAK.sub(" ", cell)
    return "".join(_words(cell))


def _words(cell: str) -> Iterator[str]:
    end = 0
    for code in _CODE.finditer(cell):
        yield _unmarked(cell[end : code.start()])
        yield code[2].strip().replace(r"\|", "|")
        end = code.end()
    yield _unmarked(cell[end:])


def _unmarked(text: str) -> str:
    text = _LINK.sub(_as_text, text)
    while (less := _EMPHASIS.sub(r"\2", text)) != text:
        text = less
    return _ESCAPED.sub(r"\1", text)


def _as_text(link: re.Match[str]) -> str:
    words, target = link[1], link[2]
    return words if words == target or not target else f"{words} ({target})".strip()


def _widths(table: Table) -> list[int]:
    """What the columns need, the widest of them made narrower until all fit."""
    widths = [max(2, *map(width, column)) for column in zip(*table.rows, strict=True)]
    room = WIDEST - len(_GAP) * (len(widths) - 1)
    while sum(widths) > room and max(widths) > _NARROWEST:
        widest = widths.index(max(widths))
        widths[widest] -= 1
    return widths


def _row(cells: Sequence[str], widths: Sequence[int], aligned: Sequence[str]) -> Iterator[str]:
    columns = [wrapped(cell, room) for cell, room in zip(cells, widths, strict=True)]
    for texts in zip_longest(*columns, fillvalue=""):
        line = map(_padded, texts, widths, aligned)
        yield _GAP.join(line).rstrip()


def _padded(text: str, room: int, aligned: str) -> str:
    free = room - width(text)
    match aligned:
        case "<":
            return text + " " * free
        case ">":
            return " " * free + text
        case _:
            return " " * (free // 2) + text + " " * (free - free // 2)
