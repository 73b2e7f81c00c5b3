"""What a tool returned, as JSON text of bounded size."""

from __future__ import annotations

from bisect import bisect_right

from pydantic_core import to_json

from bot.errors import ToolError


def result_text(value: object, limit_bytes: int) -> str:
    """The value as JSON; raise `ToolError` when it is none, cut it when it is too long."""
    try:
        text = to_json(value, inf_nan_mode="null").decode()
    except (ValueError, RecursionError) as error:
        raise ToolError("The tool gave a result that is not JSON.") from error
    return fit(text, limit_bytes)


def error_text(sentence: str) -> str:
    return to_json({"error": sentence}).decode()


def fit(text: str, limit_bytes: int) -> str:
    """JSON text of at most `limit_bytes`, if need be its beginning, quoted and marked."""
    size = len(text.encode())
    if size <= limit_bytes:
        return text

    def cut(characters: int) -> str:
        note = f"The result has {size} bytes, which is too long. This is its beginning."
        return to_json({"cut": note, "beginning": text[:characters]}).decode()

    # Escapes make the quoted text longer, by how much depends on it: so the length is searched.
    longest = bisect_right(range(limit_bytes), limit_bytes, key=lambda n: len(cut(n).encode()))
    return cut(max(0, longest - 1))
