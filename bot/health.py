"""Readiness: what the connections to the chat platforms and the database are up to, and why."""

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
        self._database = State("connected")  # nothing is known against it

    def note(self, name: str, how: How, why: str = "") -> None:
        state = State(how, why)
        if self._states.get(name) == state:
            return
        self._states[name] = state
        _tell(name, state, "platform")

    def note_database(self, how: How, why: str = "") -> None:
        state = State(how, why)
        if self._database != state:
            self._database = state
            _tell("database", state, "database")

    @property
    def database(self) -> State:
        return self._database

    @property
    def states(self) -> Mapping[str, State]:
        return dict(self._states)

    @property
    def is_ready(self) -> bool:
        """Whether everything that is listened to is connected, and the database can be used."""
        states = (self._database, *self._states.values())
        return bool(self._states) and all(state.how == "connected" for state in states)

    @property
    def is_dead(self) -> bool:
        """Whether nothing is left that could ever be heard."""
        return bool(self._states) and all(state.how == "dead" for state in self._states.values())


def _tell(name: str, state: State, kind: str) -> None:
    level = logging.INFO if state.how in {"connecting", "connected"} else logging.WARNING
    text = f"{name}: {state.how}{': ' if state.why else ''}{state.why}"
    _log.log(level, "%s", text, extra={"action": f"{kind}.{state.how}"})
