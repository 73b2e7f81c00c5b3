"""Asks a model for the summary of the turns that leave the window, and reads its answer."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.model import Model, ModelRequest, ModelResponse, Usage, closing, guess_usage
from bot.prompts import summary_prompt
from memory import summary
from memory.messages import user
from memory.window import StoredTurn

_ROOM = 24_000  # characters of turns that are shown; more has left only where the budget shrank
_FENCED = re.compile(r"```\w*\s*(.*?)\s*```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote, empty if it is none; and what that took."""

    text: str
    usage: Usage


async def summarise(model: Model, old: str, turns: Sequence[StoredTurn], limit: int) -> Written:
    """Raise ModelError."""
    request = ModelRequest(summary_prompt(limit), (user(_asked(old, turns)),))
    said = ""
    async with closing(model.stream(request)) as pieces:
        async for piece in pieces:
            if isinstance(piece, ModelResponse):
                return Written(read_answer(piece.message.text), piece.usage)
            said += piece
    return Written("", guess_usage(request, said))  # it broke off


def read_answer(text: str) -> str:
    """The summary in the answer: in JSON, fenced or not, or plain text; empty if it is none."""
    fenced = _FENCED.search(text)
    inner = (fenced[1] if fenced else text).strip()
    try:
        value = json.loads(inner)
    except ValueError:
        return "" if inner.startswith(("{", "[")) else inner
    found = value.get("summary") if isinstance(value, dict) else None
    return found.strip() if isinstance(found, str) else ""


def _asked(old: str, turns: Sequence[StoredTurn]) -> str:
    told = "\n\n".join(summary.lines(turns, _ROOM))
    return f"Summary so far:\n<<<\n{_data(old)}\n>>>\n\nTurns that leave:\n<<<\n{_data(told)}\n>>>"


def _data(text: str) -> str:
    """No line of it ends the data."""
    return re.sub(r"^(\s*)(<<<|>>>)", r"\1\\\2", text, flags=re.MULTILINE)
