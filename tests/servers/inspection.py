"""Looking through everything that an app sends for what no person may ever read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_WORD = re.compile(r"[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Marks:
    """How a platform's tokens look, its SDK's exceptions, a ping of many in plain text, and what
    may hold an id because nobody sees it there."""

    tokens: re.Pattern[str]
    exceptions: re.Pattern[str]
    hides_ids: re.Pattern[str]
    pings: re.Pattern[str] | None = None


@dataclass
class Inspector:
    """Knows every secret and every id. `found` has a sentence for each that was sent in words."""

    marks: Marks
    secrets: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    found: list[str] = field(default_factory=list)

    def read(self, where: str, texts: Iterable[str]) -> None:
        for text in texts:
            self.found += [f"{where}: {each} in: {text[:80]}" for each in self._in(text)]

    def _in(self, text: str) -> Iterator[str]:
        marks = self.marks
        if found := marks.tokens.search(text):
            yield f"a token ({found[0][:9]}…)"
        if any(secret in text for secret in self.secrets):
            yield "a secret"
        if found := marks.exceptions.search(text):
            yield f"an exception's text ({found[0]})"
        if marks.pings is not None and (found := marks.pings.search(text)):
            yield f"a ping of many ({found[0]})"
        for each in sorted(self.ids.intersection(_WORD.findall(marks.hides_ids.sub("", text)))):
            yield f"a raw id ({each})"
