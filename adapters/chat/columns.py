"""What stands in columns for a terminal, where letters have no common width. Pure."""

from __future__ import annotations

import re

_COLUMNS = re.compile(r"^ *(\w+(?: \w+)?) {2,}(?=\S)", re.MULTILINE)


def as_list(text: str, first: str) -> str:
    r"""Each such line as one of a list; `first` is what stands for the first column, as `\1`."""
    return _COLUMNS.sub(first, text)
