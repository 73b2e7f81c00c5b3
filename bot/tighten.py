"""A request made much smaller, for a model that said it is too long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bot.model import ModelRequest
from memory.messages import Message, ToolResult
from memory.repair import parts_only
from memory.text import cut_middle
from memory.window import full_size

_LONGEST_RESULT = 1_000  # characters; the tools allow sixteen times as much


def tighten(request: ModelRequest) -> ModelRequest:
    """The newest whole turns, with a third of the history's characters at most, then the running
    turn; long tool results are cut in the middle."""
    turns = list(_turns([_shortened(message) for message in request.messages]))
    room = full_size(request.messages[: -len(turns[-1])]) // 3
    kept = [turns.pop()]
    while turns and (room := room - full_size(turns[-1])) >= 0:
        kept.append(turns.pop())
    return replace(request, messages=tuple(each for turn in reversed(kept) for each in turn))


def _turns(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Turn by turn: each begins with its user messages, of which several may stand in a row."""
    turn: list[Message] = []
    for message in messages:
        if message.role == "user" and turn and turn[-1].role != "user":
            yield turn
            turn = []
        turn.append(message)
    yield turn


def _shortened(message: Message) -> Message:
    return parts_only(
        message,
        (
            replace(part, text=cut_middle(part.text, _LONGEST_RESULT))
            if isinstance(part, ToolResult)
            else part
            for part in message.parts
        ),
    )
