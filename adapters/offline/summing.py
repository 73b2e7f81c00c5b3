"""Writes a summary as a model is asked to: from what it is shown, in its order, as it was said."""

from __future__ import annotations

import json
import re

from bot.model import ModelRequest
from bot.prompts import summary_prompt

_LIMIT = re.compile(r"At most (\d+) characters")
_DATA = re.compile(r"^<<<\n(.*?)\n?^>>>$", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"^Turn (\d+)\n", re.MULTILINE)
_LABEL = re.compile(r"^\[From ([^\]\n]+)\]\s*", re.MULTILINE)
_FIRST = summary_prompt(0).partition("\n")[0]
_LINE = 200  # characters of a turn


def is_asked(request: ModelRequest) -> bool:
    return request.system.startswith(_FIRST)


def sum_up(request: ModelRequest) -> str:
    """The newest of it, as JSON."""
    old, told = [*_DATA.findall(request.messages[-1].text), "", ""][:2]
    limit = _LIMIT.search(request.system)
    room = int(limit[1]) if limit else 0
    kept: list[str] = []
    for line in reversed([*old.splitlines(), *map(_line, _turns(told))]):
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return json.dumps({"summary": "\n".join(reversed(kept))}, ensure_ascii=False)


def _turns(told: str) -> list[str]:
    return [each for each in _BLOCK.split(told)[2::2] if each.strip()]


def _line(turn: str) -> str:
    """Who said what, on one line."""
    text = _LABEL.sub(r"\1: ", turn.replace("user: ", "").replace("assistant: ", "→ "))
    line = " ".join(text.split())
    return line if len(line) <= _LINE else line[: _LINE - 1].rsplit(" ", 1)[0] + "…"
