"""Every failure that Nimbus names, by who must act; storage's stand in `memory.errors`."""

from __future__ import annotations

from typing import Literal


class ConfigError(Exception):
    """The operator must act, before anything starts. `problems` are sentences, all at once."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class ModelError(Exception):
    """The provider failed. The text is for the operator's log, never for a person in chat.

    `kind` says which sentence the person gets, `retry_after` is in seconds.
    """

    def __init__(
        self,
        message: str,
        *,
        retryable: bool,
        kind: Literal["failed", "busy", "too_long", "blocked", "account"] = "failed",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.kind = kind
        self.retry_after = retry_after


class ToolError(Exception):
    """The model reads this text: one plain sentence, nothing secret."""


class DeliveryError(Exception):
    """The platform did not take a message.

    `permanent`: it never will. `unknown`: the message may have arrived all the same.
    """

    def __init__(self, message: str, *, permanent: bool = False, unknown: bool = False) -> None:
        super().__init__(message)
        self.permanent = permanent
        self.unknown = unknown


class AlreadyRunningError(Exception):
    """Another worker holds this SQLite file."""
