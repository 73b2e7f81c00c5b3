"""What the C library keeps of memory that was freed."""

from __future__ import annotations

import ctypes
from contextlib import suppress


def give_back() -> None:
    """Let the system have it, where there is a call for that: glibc keeps for a thread as much as
    it once held, and to write a file anew takes as much as the file is large."""
    with suppress(AttributeError, OSError, TypeError):  # not glibc
        ctypes.CDLL(None).malloc_trim(0)
