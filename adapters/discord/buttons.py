"""Buttons say in their custom id all that a click needs, also in a process that never saw them
made. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot import wording

_STOP, _CONFIRM, _KEEP = "nimbus:stop", "nimbus:forget", "nimbus:keep"
_RED, _GREY = 4, 2


@dataclass(frozen=True, slots=True)
class Stop:
    """Under an answer that is being written; it is the turn's mark as well."""

    turn: str


@dataclass(frozen=True, slots=True)
class Confirm:
    """A forget, as `user` asked for it at that time (UTC ms)."""

    user: str
    said_at: int
    words: str = "forget"


@dataclass(frozen=True, slots=True)
class Keep:
    """Rather not."""


def read_button(custom_id: str) -> Stop | Confirm | Keep | None:
    """None: it is none of ours."""
    if found := re.fullmatch(rf"{_STOP}:(\w+)", custom_id):
        return Stop(found[1])
    if found := re.fullmatch(rf"{_CONFIRM}(:me)?:(\d+):(\d+)", custom_id):
        return Confirm(found[2], int(found[3]), "forget me" if found[1] else "forget")
    return Keep() if custom_id == _KEEP else None


def mark_of(message: Mapping[str, Any]) -> str:
    """The turn whose Stop button a message carries; empty where there is none."""
    for row in message.get("components") or ():
        for each in row.get("components") or ():
            button = read_button(str(each.get("custom_id") or ""))
            if isinstance(button, Stop):
                return button.turn
    return ""


def stop_button(turn: str) -> Mapping[str, Any]:
    return _button(wording.STOP, f"{_STOP}:{turn}", _GREY)


def asking_buttons(asked: Confirm) -> list[Mapping[str, Any]]:
    what = f"{_CONFIRM}:me" if asked.words == "forget me" else _CONFIRM
    return [
        _button(wording.CONFIRM, f"{what}:{asked.user}:{asked.said_at}", _RED),
        _button(wording.CANCEL, _KEEP, _GREY),
    ]


def _button(label: str, custom_id: str, style: int) -> Mapping[str, Any]:
    return {"type": 2, "style": style, "label": label, "custom_id": custom_id}
