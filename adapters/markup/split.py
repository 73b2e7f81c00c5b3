"""Cuts an answer into messages of bounded size: code stays code, and nothing is lost."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from adapters.markup.breaks import Rank, before_letter, breaks
from adapters.markup.lines import Fence, read_lines

Size = Callable[[str], int]

_FENCE_SHARE = 8  # a line that takes more of a message than that is no fence
_LEAST = {Rank.BLOCK: 0.25}  # how full a message must be, to end at a place of this rank
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class Piece:
    """One message: `text` is a stretch of the answer, up to `ends_at`, and the fences it needs."""

    text: str
    ends_at: int


def split(answer: str, limit: int, size: Size = len) -> tuple[Piece, ...]:
    """Cut where it hurts least.

    A code fence that is open at a cut is closed, and opened again with its language. `size`
    measures a text, for which one character counts at least one and at most three.
    """
    return tuple(_Splitter(answer, limit, size).pieces())


def visible(pieces: Iterable[Piece]) -> list[Piece]:
    """Without blank ones, which platforms refuse; the one before takes over their stretch."""
    found: list[Piece] = []
    for piece in pieces:
        if piece.text.strip():
            found.append(piece)
        elif found:
            found[-1] = replace(found[-1], ends_at=piece.ends_at)
    return found


def code_units(text: str) -> int:
    """How long a text is as JavaScript counts, which is never less than the letters."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


class _Splitter:
    def __init__(self, answer: str, limit: int, size: Size) -> None:
        self._answer = answer
        self._limit = limit
        self._size = size
        self._lines = read_lines(answer, limit // _FENCE_SHARE)
        self._ends = [line.end for line in self._lines]
        fences = {line.fence for line in self._lines if line.fence is not None}
        self._room = limit - max((size(f"\n{fence.closing}") for fence in fences), default=0)

    def pieces(self) -> Iterator[Piece]:
        start = 0
        while start < len(self._answer):
            end = len(self._answer)
            piece = self._piece(start, end)
            if self._size(piece.text) > self._limit:
                piece = self._piece(start, self._cut(start))
            yield piece
            start = piece.ends_at

    def _piece(self, start: int, end: int) -> Piece:
        text = self._opened(start) + self._answer[start:end] + self._closed(end)
        return Piece(text, end)

    def _opened(self, start: int) -> str:
        fence = self._fence_at(start)
        if fence is None:
            return ""
        goes_on = fence.lead if ">" in fence.lead and self._answer[start - 1] != "\n" else ""
        return fence.opening + goes_on

    def _closed(self, end: int) -> str:
        fence = self._fence_at(end)
        if fence is None:
            return ""
        return fence.closing if self._answer[end - 1] == "\n" else f"\n{fence.closing}"

    def _fence_at(self, position: int) -> Fence | None:
        if position == 0:
            return None
        return self._lines[bisect_left(self._ends, position)].fence

    def _cut(self, start: int) -> int:
        """The best end of a message that begins at `start` and cannot hold all the rest."""
        end = self._furthest(start)
        places = list(breaks(self._answer, self._lines, start, end))
        for rank in Rank:
            least = start + _LEAST.get(rank, _HALF) * (end - start)
            if good := [cut for at, cut in places if at == rank and cut >= least]:
                return max(good)
        if places:
            return max(cut for _, cut in places)
        following = self._lines[bisect_right(self._ends, end)]
        if following.role == "closing":  # leave a letter of the code to it
            end = max(start + 1, min(end, following.start - 2))
        return before_letter(self._answer, start, end)

    def _furthest(self, start: int) -> int:
        opened = self._opened(start)
        ends = range(start + 1, min(start + self._room, len(self._answer)) + 1)
        fitting = bisect_right(
            ends, self._room, key=lambda end: self._size(opened + self._answer[start:end])
        )
        return ends[max(fitting, 1) - 1]
