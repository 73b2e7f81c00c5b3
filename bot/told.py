"""What is told to one person, later or as a file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

Then = Callable[[], Awaitable[str]]
"""Done after the acknowledgement, however long it takes; the text that tells what came of it."""


@dataclass(frozen=True, slots=True)
class File:
    """Something that one person gets, and that is nowhere on a disk."""

    name: str
    content: bytes
