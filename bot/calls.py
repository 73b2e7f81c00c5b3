"""Tool calls as values: their keys, which are the same, and what of a model's message is kept."""

from __future__ import annotations

import json
import re
from hashlib import sha256

from pydantic_core import from_json

from memory.messages import Message, Part, Text, ToolCall
from memory.text import clean

_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")  # what every provider takes back


def call_key(turn: str, ordinal: int, index: int) -> str:
    """The key of a turn's call: `ordinal` counts its assistant messages from 1, `index` from 0."""
    return sha256(f"{turn}:{ordinal}:{index}".encode()).hexdigest()[:32]


def same_call(one: ToolCall, other: ToolCall) -> bool:
    return one.name == other.name and canonical(one.arguments) == canonical(other.arguments)


def canonical(arguments: str) -> str:
    """Arguments as JSON text in which order and blanks do not count; as they came if invalid."""
    try:
        return json.dumps(from_json(arguments or "{}"), sort_keys=True, ensure_ascii=False)
    except ValueError:
        return arguments


def tidy(message: Message, turn: str, ordinal: int, taken: set[str]) -> Message:
    """The message as it may be stored and sent back: text that has some, calls with good names and
    with ids that no call before has. A changed one loses its provider's rendering."""
    used = set(taken)
    parts: list[Part] = []
    calls = 0
    for part in message.parts:
        if isinstance(part, Text) and part.text.strip():
            parts.append(Text(clean(part.text)))
        elif isinstance(part, ToolCall):
            parts.append(_tidy_call(part, call_key(turn, ordinal, calls), used))
            calls += 1
    if message.role == "assistant" and tuple(parts) == message.parts:
        return message
    return Message("assistant", tuple(parts))


def _tidy_call(call: ToolCall, key: str, used: set[str]) -> ToolCall:
    name = re.sub(r"[^A-Za-z0-9_-]", "_", call.name)[:64] or "unnamed"
    good = _ID.fullmatch(call.id) and call.id not in used
    used.add(identity := call.id if good else f"call_{key}")
    return ToolCall(identity, name, clean(call.arguments))
