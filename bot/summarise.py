"""Asks a model for the summary of the turns that leave the window, and reads its answer."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from bot.model import Model, ModelRequest, ModelResponse, Usage, closing, guess_usage
from bot.prompts import summary_prompt
from memory import summary
from memory.knowledge import Drawn
from memory.messages import user
from memory.window import StoredTurn

_ROOM = 24_000  # characters of turns that are shown; more has left only where the budget shrank
_FENCED = re.compile(r"```\w*\s*(.*?)\s*```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote, empty if it is none; and what that took."""

    text: str
    usage: Usage
    notes: tuple[Drawn, ...] = ()


async def summarise(
    model: Model, old: str, turns: Sequence[StoredTurn], limit: int, *, notes: bool = False
) -> Written:
    """With `notes` also what the askers of these turns said of themselves. Raise ModelError."""
    request = ModelRequest(summary_prompt(limit, notes=notes), (user(_asked(old, turns)),))
    said = ""
    async with closing(model.stream(request)) as pieces:
        async for piece in pieces:
            if isinstance(piece, ModelResponse):
                text = piece.message.text
                drawn = read_notes(text, {turn.number for turn in turns}) if notes else ()
                return Written(read_answer(text), piece.usage, tuple(drawn))
            said += piece
    return Written("", guess_usage(request, said))  # it broke off


def read_answer(text: str) -> str:
    """The summary in the answer: in JSON, fenced or not, or plain text; empty if it is none."""
    inner = _inner(text)
    try:
        value = json.loads(inner)
    except ValueError:
        return "" if inner.startswith(("{", "[")) else inner
    found = value.get("summary") if isinstance(value, dict) else None
    return found.strip() if isinstance(found, str) else ""


def read_notes(text: str, turns: Collection[int]) -> Iterator[Drawn]:
    """The notes in the answer, of these turns; what has not their form is left out."""
    try:
        value = json.loads(_inner(text))
    except ValueError:
        return
    found = value.get("notes") if isinstance(value, dict) else None
    for each in found if isinstance(found, list) else ():
        match each:
            case {"turn": int(turn), "topic": str(topic), "text": str(said)} if (
                turn in turns and turn is not True
            ):
                yield Drawn(turn, topic, said)
            case _:
                continue


def _inner(text: str) -> str:
    fenced = _FENCED.search(text)
    return (fenced[1] if fenced else text).strip()


def _asked(old: str, turns: Sequence[StoredTurn]) -> str:
    told = "\n\n".join(summary.lines(turns, _ROOM))
    return f"Summary so far:\n<<<\n{_data(old)}\n>>>\n\nTurns that leave:\n<<<\n{_data(told)}\n>>>"


def _data(text: str) -> str:
    """No line of it ends the data."""
    return re.sub(r"^(\s*)(<<<|>>>)", r"\1\\\2", text, flags=re.MULTILINE)
