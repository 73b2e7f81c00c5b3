"""What is known: read from the request alone, and from nowhere else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from pydantic import JsonValue

from bot.model import ModelRequest
from memory.messages import Message, Text, ToolResult

Json = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Lookup:
    """A tool call that has its result."""

    tool: str
    arguments: Json
    value: JsonValue = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """A note about the person."""

    number: int
    topic: str
    text: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """A turn: what was asked (a burst is several questions), looked up and answered."""

    questions: tuple[str, ...]
    lookups: tuple[Lookup, ...] = ()
    answer: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """The conversation as the request shows it; `now` is the turn that is being answered."""

    earlier: tuple[Exchange, ...]
    now: Exchange
    tools: frozenset[str] = frozenset()
    tool_hints: str = ""
    may_call: bool = True
    notes: tuple[Known, ...] = ()
    summary: tuple[str, ...] = ()  # lines of what was said before the earlier ones


def read(request: ModelRequest) -> Facts:
    *earlier, now = [_exchange(messages) for messages in _turns(request.messages)] or [Exchange(())]
    return Facts(
        earlier=tuple(earlier),
        now=now,
        tools=frozenset(spec.name for spec in request.tools),
        tool_hints=" ".join(spec.description for spec in request.tools),
        may_call=request.tool_choice != "none",
        notes=tuple(_notes(request.messages)),
        summary=_summary(request.messages),
    )


_NOTE = re.compile(r"- (?P<number>\d+)\. (?P<topic>\w+): (?P<text>.*) \(said [^)]*\)")


def _notes(messages: tuple[Message, ...]) -> Iterator[Known]:
    """They stand before the last question, in a part of their own."""
    for message in messages:
        for text in _texts(message)[:-1]:
            if text.startswith("[Notes "):
                for found in map(_NOTE.fullmatch, text.splitlines()):
                    if found:
                        yield Known(int(found["number"]), found["topic"], found["text"])


_SUMMARY = "[Earlier in this conversation: "


def _summary(messages: tuple[Message, ...]) -> tuple[str, ...]:
    """It stands in front of all, if there is one."""
    head = next((text for message in messages[:1] for text in _texts(message)), "")
    return tuple(head[len(_SUMMARY) : -1].splitlines()) if head.startswith(_SUMMARY) else ()


def _turns(messages: tuple[Message, ...]) -> Iterator[tuple[Message, ...]]:
    """Cut the history before each user message that does not follow another one."""
    starts = [0] if messages else []
    roles = [message.role for message in messages]
    starts += [
        place
        for place, (before, role) in enumerate(pairwise(roles), start=1)
        if role == "user" != before
    ]
    yield from (messages[start:end] for start, end in pairwise([*starts, len(messages)]))


def _exchange(messages: tuple[Message, ...]) -> Exchange:
    asked = [_texts(message) for message in messages if message.role == "user"]
    said = [message.text for message in messages if message.role == "assistant" and message.text]
    return Exchange(
        questions=tuple(_words(texts) for texts in asked if texts),
        lookups=tuple(_lookups(messages)),
        answer=said[-1] if said else "",
        note=" ".join(text for texts in asked for text in texts if text.startswith("[Now: ")),
    )


def _texts(message: Message) -> list[str]:
    return [part.text for part in message.parts if isinstance(part, Text)]


def _words(texts: list[str]) -> str:
    """The person's own words stand last; where there are none, the note stands alone."""
    return "" if texts[-1].startswith("[Now: ") else texts[-1].strip()


def _lookups(messages: tuple[Message, ...]) -> Iterator[Lookup]:
    calls = {call.id: call for message in messages for call in message.calls}
    for result in (result for message in messages for result in message.results):
        if call := calls.get(result.call_id):
            value = _parsed(result.text)
            yield Lookup(call.name, _object(_parsed(call.arguments)), value, _error(result, value))


def _parsed(text: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def _object(value: JsonValue) -> Json:
    return value if isinstance(value, dict) else {}


def _error(result: ToolResult, value: JsonValue) -> str | None:
    told = _object(value).get("error")
    if isinstance(told, str):
        return told
    return "the answer cannot be read" if result.is_error or value is None else None
