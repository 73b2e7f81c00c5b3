"""What can be told of a text without knowing who said it: clean characters, sizes."""

from __future__ import annotations

import re


def clean(text: str) -> str:
    """NUL, which PostgreSQL refuses, and lone surrogates, which UTF-8 refuses, become U+FFFD."""
    return replace_surrogates(text.replace("\0", "\ufffd"))


def replace_surrogates(text: str) -> str:
    """Lone surrogates become U+FFFD, two halves that belong together one character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def cut_middle(text: str, limit: int) -> str:
    """At most `limit` characters: the beginning, a mark that says how much is gone, the end."""
    if len(text) <= limit:
        return text
    longest_mark = len(_MARK.format(len(text)))
    kept = max(limit - longest_mark, 0)
    head = (kept + 1) // 2
    mark = _MARK.format(len(text) - kept).center(longest_mark)
    return text[:head] + mark[:limit] + text[len(text) - (kept - head) :]


_MARK = "[… {:,} characters left out …]"


def estimate_tokens(text: str) -> int:
    """Rather too many than too few, for any provider: no tokenizer is asked.

    A long word, an identifier and a number are several tokens, each sign is one; outside ASCII
    the bytes count, which makes 1.5 of a Chinese character and 1 of a Cyrillic one.
    """
    return sum(_weigh(piece) for piece in _PIECES.findall(text))


_PIECES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|\n\s*|[^\S\n]{2,}|[!-~]|[^\x00-\x7f]+")
_LETTERS_IN_A_TOKEN = 4
_DIGITS_IN_A_TOKEN = 2
_BYTES_IN_A_TOKEN = 2


def _weigh(piece: str) -> int:
    if not piece.isascii():
        return -(-len(piece.encode("utf-8", "replace")) // _BYTES_IN_A_TOKEN)
    if piece.isalpha():
        return -(-len(piece) // _LETTERS_IN_A_TOKEN)
    if piece.isdigit():
        return -(-len(piece) // _DIGITS_IN_A_TOKEN)
    return 1
