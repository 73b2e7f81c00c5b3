"""No provider takes a call without its result: a turn that ends gets what is missing, and a damaged
one is made whole, in memory only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256

from memory.messages import Image, Message, Part, Text, ToolCall, ToolResult, assistant, tool

LOST_RESULT = '{"error": "the result of this call was lost"}'
NOT_RUN = '{"error": "the turn ended before the result came; unknown whether this was done"}'
UNSAID = '{"removed": "it may have repeated the words of somebody who was forgotten meanwhile"}'

_ALLOWED: dict[str, tuple[type, ...]] = {
    "user": (Text, Image),
    "assistant": (Text, ToolCall),
    "tool": (ToolResult,),
}
_ID_CHARACTERS = 9  # as many as the strictest compatible server wants


def missing_results(messages: Sequence[Message]) -> list[Message]:
    """An error result for every call that has none: an open call would spoil the history."""
    answered = {result.call_id for message in messages for result in message.results}
    return [
        tool(ToolResult(call.id, call.name, NOT_RUN, is_error=True))
        for message in messages
        for call in message.calls
        if call.id not in answered
    ]


def unsaid(message: Message) -> Message:
    """A result that came, and nothing of what it said."""
    return tool(*(replace(each, text=UNSAID) for each in message.results))


def repair(stored: Iterable[Message], sentence: Callable[[], str]) -> tuple[Message, ...]:
    """Question, steps, answer; nothing without a question. A turn that is whole stays as it is.

    `sentence` is what stands in for an answer that is missing.
    """
    messages = [message for message in map(_sound, stored) if message.parts]
    questions = [message for message in messages if message.role == "user"]
    if not questions:
        return ()
    steps = list(_pair([message for message in messages if message.role != "user"]))
    if not steps or steps[-1].role == "tool":
        steps.append(assistant(sentence()))
    return (*questions, *steps)


def separate(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Give every call an id that no other call has; its result takes it along.

    Some servers number the calls of each response from 0, or leave the id out. The last call of
    an id keeps it, because the provider that gave it may check it. Every call needs its result.
    """
    given = [call.id for message in messages for call in message.calls]
    taken = set(given)
    if len(taken) == len(given) and "" not in taken:
        return tuple(messages)
    last = {
        call.id: (step, index)
        for step, message in enumerate(messages)
        for index, call in enumerate(message.calls)
        if call.id
    }
    separated: list[Message] = []
    ids: list[tuple[ToolCall, str]] = []
    for step, message in enumerate(messages):
        if message.calls:
            ids = [
                (call, call.id if last.get(call.id) == (step, index) else _new_id(taken))
                for index, call in enumerate(message.calls)
            ]
        separated.append(_renamed(message, ids))
    return tuple(separated)


def parts_only(message: Message, parts: Iterable[Part]) -> Message:
    """The message with these parts. A provider's own rendering shows the old ones, so it goes."""
    kept = tuple(parts)
    return message if kept == message.parts else Message(message.role, kept)


def _sound(message: Message) -> Message:
    """The message without what its role cannot say, and without blank text."""
    return parts_only(
        message,
        (
            part
            for part in message.parts
            if isinstance(part, _ALLOWED[message.role])
            and not (isinstance(part, Text) and not part.text.strip())
        ),
    )


def _pair(steps: Iterable[Message]) -> Iterator[Message]:
    """Every call gets one result, directly after its message; other results are dropped."""
    waiting: list[ToolCall] = []
    for message in steps:
        if message.role == "assistant":
            yield from map(_lost, waiting)
            waiting = list(message.calls)
            yield message
        else:
            awaited = parts_only(message, list(_awaited(message.results, waiting)))
            if awaited.parts:
                yield awaited
    yield from map(_lost, waiting)


def _awaited(results: Iterable[ToolResult], waiting: list[ToolCall]) -> Iterator[ToolResult]:
    """The results that a call waits for; the call waits no more."""
    for result in results:
        for call in waiting:
            if (call.id, call.name) == (result.call_id, result.name):
                waiting.remove(call)
                yield result
                break


def _lost(call: ToolCall) -> Message:
    return tool(ToolResult(call.id, call.name, LOST_RESULT, is_error=True))


def _renamed(message: Message, ids: list[tuple[ToolCall, str]]) -> Message:
    """The message with the new ids; `ids` are those of the step, and lose what a result took."""
    new = iter([new for _, new in ids])
    parts: list[Part] = []
    for part in message.parts:
        match part:
            case ToolCall():
                parts.append(replace(part, id=next(new)))
            case ToolResult():
                parts.append(replace(part, call_id=_take(part, ids)))
            case _:
                parts.append(part)
    return parts_only(message, parts)


def _take(result: ToolResult, ids: list[tuple[ToolCall, str]]) -> str:
    key = (result.call_id, result.name)
    found = next(pair for pair in ids if (pair[0].id, pair[0].name) == key)
    ids.remove(found)
    return found[1]


def _new_id(taken: set[str]) -> str:
    number = len(taken)
    while (new := sha256(str(number).encode()).hexdigest()[:_ID_CHARACTERS]) in taken:
        number += 1
    taken.add(new)
    return new
