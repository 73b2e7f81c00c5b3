"""Reads Markdown line by line: where a code fence is open, and what each line is."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

Role = Literal["opening", "code", "closing", "blank", "heading", "row", "text"]

_LIST_MARKER = r"(?:[-*+]|\d{1,9}[.)])[ \t]++"
_OPENING = re.compile(
    rf"(?P<lead>[ \t>]*+(?:{_LIST_MARKER}[ \t>]*+)*+)"
    r"(?P<marker>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)$"
)
_CLOSING = re.compile(r"[ \t>]*+(?P<marker>`{3,}|~{3,})$")
_HEADING = re.compile(r"[ \t>]*+#{1,6}\s")
_ROW = re.compile(r"[ \t>]*+\|")
_NO_SPACE = re.compile(r"[^\s>]")


@dataclass(frozen=True, slots=True)
class Fence:
    """An open code fence."""

    lead: str  # what stands before it: indentation, the marks of a quotation
    marker: str
    info: str

    @property
    def opening(self) -> str:
        """The line that opens it again in another message."""
        return f"{self.lead}{self.marker}{self.info}\n"

    @property
    def closing(self) -> str:
        return f"{self.lead}{self.marker}"

    def goes_on(self, line: str) -> bool:
        """A fence in a quotation ends with the quotation."""
        return ">" not in self.lead or line.lstrip().startswith(">")

    def is_closed_by(self, line: str) -> bool:
        found = _CLOSING.match(line)
        return found is not None and found["marker"].startswith(self.marker)


@dataclass(frozen=True, slots=True)
class Line:
    """One line with its newline, from `start` to `end`; `fence` is open where it ends."""

    start: int
    end: int
    role: Role
    fence: Fence | None
    indent: int
    leads: bool  # what comes next belongs to it: a heading, "like this:"

    @property
    def is_fence(self) -> bool:
        return self.role in ("opening", "closing")


def read_lines(text: str, longest_fence: int) -> list[Line]:
    """The lines of a text. One longer than `longest_fence` neither opens nor closes a fence."""
    lines: list[Line] = []
    start, leads = 0, False
    fence: Fence | None = None
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        line = text[start:end].rstrip()
        if fence is not None and not fence.goes_on(line):
            fence = None
            lines[-1] = replace(lines[-1], fence=None)
        role, fence = _read(line, fence, may_be_fence=end - start <= longest_fence)
        if line:
            leads = role == "heading" or line.endswith((":", "："))
        lines.append(Line(start, end, role, fence, _indent(line), leads))
        start = end
    return lines


def _read(line: str, fence: Fence | None, *, may_be_fence: bool) -> tuple[Role, Fence | None]:
    """What a line is, and the fence that is open after it."""
    if fence is not None:
        if may_be_fence and fence.is_closed_by(line):
            return "closing", None
        return ("code" if line.strip(" \t>") else "blank"), fence
    opening = _OPENING.match(line) if may_be_fence else None
    if opening is not None:
        lead = _NO_SPACE.sub(" ", opening["lead"])
        return "opening", Fence(lead, opening["marker"], opening["info"])
    return _plain(line), None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _plain(line: str) -> Role:
    if not line.strip(" \t>"):
        return "blank"
    if _HEADING.match(line):
        return "heading"
    return "row" if _ROW.match(line) else "text"
