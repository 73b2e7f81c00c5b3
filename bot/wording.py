"""Every sentence that Nimbus says itself."""

from __future__ import annotations

from typing import Literal

Outcome = Literal[
    "answered",
    "api_error",
    "step_limit",
    "time_limit",
    "stopped",
    "refused",
    "limited",
    "empty",
    "interrupted",
    "expired",
]

FORGOTTEN = "This conversation was forgotten."
STOPPED_MARK = "(stopped)"
CUT_MARK = "(My answer became too long and ends here.)"


def ending(outcome: Outcome, turn: str, kind: str = "failed") -> str:
    """What is said instead of an answer; `turn` is the turn's id, whose first 6 are the reference.

    `kind` is a `ModelError.kind` and refines `api_error`.
    """
    sentence = _API_ERRORS[kind] if outcome == "api_error" else _ENDINGS[outcome]
    return f"{sentence} (reference {turn[:6]})"


_ENDINGS: dict[str, str] = {
    "answered": "I have nothing to add.",
    "step_limit": "I could not finish this in the number of steps that I may take.",
    "time_limit": "This took longer than I may take, so I stopped.",
    "stopped": "Stopped.",
    "refused": "I cannot help with that.",
    "limited": "I may not answer more right now.",
    "empty": "I found no answer. Please say it in other words.",
    "interrupted": "I was interrupted while I worked on this. Please ask again.",
    "expired": "This waited too long for an answer. Please ask again if it still matters.",
}

_API_ERRORS: dict[str, str] = {
    "failed": "The language model failed, so I have no answer. Please try again.",
    "busy": "The language model is busy right now. Please try again in a minute.",
    "too_long": "This conversation became too long for the language model. Begin a new one.",
    "blocked": "The language model's provider blocked this question.",
    "account": "The language model's account needs attention from whoever runs me.",
}
