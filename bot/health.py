"""Readiness: what the connections to the chat platforms are up to, and why."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

_log = logging.getLogger(__name__)

How = Literal["connecting", "connected", "lost", "dead"]
"""Lost: it is tried again for ever. Dead: refused for good, and nobody tries."""


@dataclass(frozen=True, slots=True)
class State:
    how: How
    why: str = ""


class Health:
    """Each connection tells its state here, under a name that people understand."""

    def __init__(self) -> None:
        self._states: dict[str, State] = {}

    def note(self, name: str, how: How, why: str = "") -> None:
        state = State(how, why)
        if self._states.get(name) == state:
            return
        self._states[name] = state
        level = logging.INFO if how in {"connecting", "connected"} else logging.WARNING
        text = f"{name}: {how}{': ' if why else ''}{why}"
        _log.log(level, "%s", text, extra={"action": f"platform.{how}"})

    @property
    def states(self) -> Mapping[str, State]:
        return dict(self._states)

    @property
    def is_ready(self) -> bool:
        """Whether everything that is listened to is connected."""
        return bool(self._states) and all(
            state.how == "connected" for state in self._states.values()
        )

    @property
    def is_dead(self) -> bool:
        """Whether nothing is left that could ever be heard."""
        return bool(self._states) and all(state.how == "dead" for state in self._states.values())
