"""What is the same for people on every platform."""

from __future__ import annotations


class NotPossible(Exception):  # noqa: N818 -- what the platform's window tells the person
    """The platform does not let people do this."""
