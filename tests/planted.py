"""Words that nobody says by chance: found again where they must not be, they tell their road."""

from __future__ import annotations

import logging
import re
import traceback
from zlib import crc32

FORM = re.compile(r"planted\d{4}[a-z]+0")  # it tells its end: in a file nothing stands between
_SECRETS = re.compile(r"xox[a-z]-\w+|xapp-\w+|\bsk-\w+|very-secret|[Bb]earer \w+|\bBot \w+\.")


def planted(road: str) -> str:
    """The word for a road: one with a digit, so that what others repeat of it goes, too."""
    word = f"planted{crc32(road.encode()) % 10_000:04}{road}0"
    assert FORM.fullmatch(word), road
    return word


def found_in(text: str | bytes) -> set[str]:
    """The planted words in it."""
    if isinstance(text, bytes):
        text = text.decode("latin-1")
    return set(FORM.findall(text))


class Listener(logging.Handler):
    """Hears every line of the log, and keeps those with planted words or with what looks like a
    secret."""

    def __init__(self) -> None:
        super().__init__()
        self.leaks: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        told = record.getMessage()
        if record.exc_info and record.exc_info[1]:
            told += "".join(traceback.format_exception(record.exc_info[1]))
        if FORM.search(told) or _SECRETS.search(told):
            self.leaks.append(f"{record.name}: {told}")
