"""Lines broken between words, for text that comes in pieces."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from unicodedata import combining, east_asian_width

_TOKENS = re.compile(r"\n|[^\S\n]+|\S+")


class Wrap:
    """Holds a word back until it is whole; without a `width` nothing is held and nothing broken."""

    def __init__(self, width: Callable[[], int] | None = None) -> None:
        self._width = width
        self._column = 0
        self._blanks = ""
        self._held = ""

    @property
    def is_mid_line(self) -> bool:
        return bool(self._column or self._held)

    def feed(self, text: str) -> str:
        """What can be printed now."""
        if self._width is None:
            if text:
                self._column = 0 if text.endswith("\n") else 1
            return text
        tokens = _TOKENS.findall(self._held + text)
        is_open = bool(tokens) and not tokens[-1].isspace()
        self._held = tokens.pop() if is_open else ""
        return "".join(self._broken(tokens, self._width()))

    def end_line(self) -> str:
        """The word that was held back, and the end of its line."""
        return self.feed("\n") if self.is_mid_line else ""

    def _broken(self, tokens: list[str], width: int) -> Iterator[str]:
        """Blanks wait for the word behind them: at a line's end they go."""
        for piece in tokens:
            if piece == "\n":
                self._column, self._blanks = 0, ""
                yield piece
            elif piece.isspace():
                self._blanks = piece
            else:
                yield from self._placed(piece, width)

    def _placed(self, word: str, width: int) -> Iterator[str]:
        needed = _cells(self._blanks + word)
        if self._column and self._column + needed > width:
            yield f"\n{word}"
            self._column = _cells(word)
        else:
            yield self._blanks + word
            self._column += needed
        self._column = (max(self._column, 1) - 1) % width + 1  # one word may be longer than a line
        self._blanks = ""


def _cells(text: str) -> int:
    """How wide a terminal shows it."""
    return sum(
        0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in text
    )
