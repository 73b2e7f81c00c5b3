"""What can be told of a text without knowing who said it: clean characters, sizes."""

from __future__ import annotations


def clean(text: str) -> str:
    """NUL, which PostgreSQL refuses, and lone surrogates, which UTF-8 refuses, become U+FFFD."""
    text = text.replace("\0", "\ufffd")
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
