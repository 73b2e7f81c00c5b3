"""An event that was not written down, and that comes again."""

from __future__ import annotations

import logging

from memory.errors import StorageError


def log_not_taken(log: logging.Logger, error: Exception, action: str) -> None:
    """What is wrong with the database is told once by who watches it, not with every event."""
    is_told = isinstance(error, StorageError | TimeoutError)
    level = logging.DEBUG if is_told else logging.WARNING
    log.log(level, "Not taken: %r", error, extra={"action": action})
