"""An answer as Slack's Markdown fields take it; nobody is called by it."""

from __future__ import annotations

import re

from adapters.markup.split import Piece, code_units, split, visible

LIMIT = 12_000  # of `markdown_text`; we count as JavaScript does, which is never less

_PING = re.compile(
    r"<@(?=[UWB][A-Z0-9])"
    r"|<!(?=(?:channel|here|everyone|subteam)\b)"
    r"|(?<![\w.])@(?=channel|here|everyone)",
    re.IGNORECASE,
)
_NOTHING = "\u200b"  # takes no room, and makes another word of it


def pieces(answer: str) -> list[Piece]:
    """The messages that an answer comes to."""
    found = visible(split(answer, LIMIT, _size))
    return [Piece(harmless(piece.text), piece.ends_at) for piece in found]


def harmless(text: str) -> str:
    """The text, in which no person, group or channel is called."""
    return _PING.sub(rf"\g<0>{_NOTHING}", text)


def _size(text: str) -> int:
    return code_units(harmless(text))
