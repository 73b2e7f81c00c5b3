"""A mention of the bot calls it, and says nothing."""

from __future__ import annotations

import re

_BLANKS = " \t\N{NO-BREAK SPACE}"


def without(mention: str, text: str) -> str:
    """Cut what the pattern finds, the comma or colon after it, and the blanks around it: in the
    middle of a line one stays. All else is left as it was written."""
    kept, *pieces = re.split(rf"(?:{mention})[,:]?", text)
    for piece in pieces:
        before, after = kept.rstrip(_BLANKS), piece.lstrip(_BLANKS)
        is_inside = before and after and "\n" not in (before[-1], after[0])
        kept = f"{before} {after}" if is_inside else before + after
    return kept


def trim(text: str) -> str:
    """Without the empty lines around it; its first line keeps its indentation."""
    indented = len(text) - len(text.lstrip())
    return text[text.rfind("\n", 0, indented) + 1 :].rstrip()
