"""What a terminal shows: text made harmless, notices apart from answers, an output that may end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from adapters.terminal.wrap import Wrap
from memory.text import clean

_KEPT = "\n\t"
_CONTROL = {code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in _KEPT}
_HARMLESS = {**_CONTROL, ord("\r"): ""}
_NARROW = 80
_UNWRITABLE = (OSError, ValueError)  # no reader, no room, no terminal; the stream is closed
_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"


def harmless(text: str) -> str:
    """No escape sequence, no control character: nothing that could steer the terminal."""
    return clean(text).translate(_HARMLESS)


class Screen:
    """Answers go to `out`, notices to `notices`; a person at a terminal sees both in one place.

    With a `width` lines are broken between words. When `out` cannot be written to any more,
    `is_broken` is true, and no more is tried.
    """

    def __init__(
        self,
        out: TextIO,
        notices: TextIO,
        *,
        colour: bool = False,
        width: Callable[[], int] | None = None,
    ) -> None:
        self._out = out
        self._notices = notices
        self._colour = colour
        self._width = width
        self._wrap = Wrap(width)
        self.why_broken = ""

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What is an answer to something else goes where the notices go."""
        out, self._out = self._out, self._notices
        try:
            yield
        finally:
            self.end_line()
            self._out = out

    @property
    def is_broken(self) -> bool:
        return bool(self.why_broken)

    def write(self, text: str) -> None:
        """A piece of an answer, at the place where the last one ended."""
        self._print(self._wrap.feed(text))

    def end_line(self) -> None:
        self._print(self._wrap.end_line())

    def say(self, text: str) -> None:
        """Nimbus' own lines that are an answer to what was typed."""
        self.end_line()
        self.write(harmless(text) + "\n")

    def note(self, text: str) -> None:
        """A line beside the answers: dim where a person reads it."""
        if self._notices is self._out:
            self.end_line()
        line = Wrap(self._width).feed(harmless(text) + "\n").removesuffix("\n")
        with suppress(*_UNWRITABLE):  # an answer is not lost because a notice is
            print(f"{_DIM}{line}{_PLAIN}" if self._colour else line, file=self._notices, flush=True)

    def gap(self) -> None:
        """An empty line, where the eye needs one."""
        self.end_line()
        self.write("\n")

    def _print(self, text: str) -> None:
        if text and not self.is_broken:
            try:
                print(text, end="", file=self._out, flush=True)
            except _UNWRITABLE as error:
                self.why_broken = getattr(error, "strerror", None) or str(error) or "closed"


def person_screen(terminal: TextIO) -> Screen:
    """Where a person reads; a terminal that does not know its width is thought narrow."""

    def width() -> int:
        return os.get_terminal_size(terminal.fileno()).columns or _NARROW

    return Screen(terminal, terminal, colour=True, width=width)
