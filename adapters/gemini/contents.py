"""Neutral messages as Gemini's contents.

What Gemini said goes back as it came, signatures and all: it checks those of the running turn. What
another model said earlier is rebuilt from the neutral parts, with nothing of that model's own; what
it did in the running turn, where a signature would be missing, is told in words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from google.genai.types import Blob, Content, FunctionCall, FunctionResponse, Part
from pydantic import ValidationError

from bot.model import NO_IMAGE
from bot.retell import retell
from memory.messages import Image, Message, Text, ToolCall, ToolResult

NAME = "gemini"  # the key of its own rendering in a message
Json = dict[str, Any]
Images = Mapping[Image, bytes]

_DEEPEST = 50  # JSON is refused from 100 levels on, and the SDK walks it recursively


def wire_contents(
    messages: Sequence[Message], images: Images, *, signed: bool = True
) -> list[Content]:
    """The two sides in turn: messages of one side in a row become one content.

    `signed=False` takes nothing for its own: another model or key may not take its signatures.
    """
    told = retell(messages, lambda step: signed and own_parts(step) is not None)
    results = {result.call_id: result for message in told for result in message.results}
    sides: list[tuple[str, list[Part]]] = []
    for message in told:
        if message.role == "user":
            _add(sides, "user", _user_parts(message, images))
        elif message.role == "assistant":  # and with it the results, in the order of its calls
            own = own_parts(message) if signed else None
            said = _rebuilt(message) if own is None else own
            asked = zip(message.calls, calls_of(said), strict=True)
            _add(sides, "model", said)
            _add(sides, "user", [_answer(wire, results[call.id]) for call, wire in asked])
    return [Content(role=role, parts=parts) for role, parts in sides]


def own_parts(message: Message) -> list[Part] | None:
    """What Gemini really sent; None when it did not, or when the message was changed since."""
    try:
        parts = Content.model_validate(message.provider_data.get(NAME)).parts or []
    except ValidationError:
        return None
    wanted = [(call.name, _arguments(call)) for call in message.calls]
    made = [(call.name, call.args or {}) for call in calls_of(parts)]
    return parts if (message.text, wanted) == (text_of(parts), made) else None


def text_of(parts: Iterable[Part]) -> str:
    """What the person reads; empty when it is blank. Thoughts are not shown."""
    text = "".join(part.text for part in parts if part.text and not part.thought)
    return text if text.strip() else ""


def calls_of(parts: Iterable[Part]) -> list[FunctionCall]:
    return [part.function_call for part in parts if part.function_call]


def _add(sides: list[tuple[str, list[Part]]], role: str, parts: Iterable[Part]) -> None:
    more = list(parts)
    if sides and sides[-1][0] == role:
        sides[-1][1].extend(more)
    elif more:
        sides.append((role, more))


def _user_parts(message: Message, images: Images) -> Iterator[Part]:
    for part in message.parts:
        match part:
            case Text() if part.text.strip():  # a blank part may be refused
                yield Part(text=part.text)
            case Image() if part in images:
                yield Part(inline_data=Blob(data=images[part], mime_type=part.media_type))
            case Image():
                yield Part(text=NO_IMAGE)


def _rebuilt(message: Message) -> list[Part]:
    spoken = [Part(text=message.text)] if message.text.strip() else []
    calls = (FunctionCall(name=call.name, args=_arguments(call)) for call in message.calls)
    return [*spoken, *(Part(function_call=call) for call in calls)]


def _answer(call: FunctionCall, result: ToolResult) -> Part:
    """Its id is Gemini's own, if there is one."""
    response = FunctionResponse(id=call.id, name=call.name, response=_response(result))
    return Part(function_response=response)


def _response(result: ToolResult) -> Json:
    value = _value(result.text)
    if not result.is_error:
        return {"output": value}
    return value if isinstance(value, dict) and "error" in value else {"error": value}


def _arguments(call: ToolCall) -> Json:
    """What was wrong with arguments that are no object stands in the result."""
    value = _value(call.arguments)
    return value if isinstance(value, dict) else {}


def _value(text: str) -> Any:
    """The JSON value, or the text itself where it is none that can be sent."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text
    return text if _is_deeper(value, _DEEPEST) else value


def _refuse(constant: str) -> None:
    raise ValueError(constant)  # NaN and Infinity are Python's JSON, not everybody's


def _is_deeper(value: Any, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return not levels or any(_is_deeper(each, levels - 1) for each in inner)
