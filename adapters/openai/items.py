"""Neutral messages as Responses' input items. What it said goes back as it came."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import cast

from openai.types.responses import (
    EasyInputMessageParam,
    FunctionToolParam,
    ResponseFunctionToolCallParam,
    ResponseInputContentParam,
    ResponseInputItemParam,
)
from openai.types.responses.response_input_param import FunctionCallOutput
from pydantic import JsonValue

from adapters.openai.images import Urls
from adapters.openai.outgoing import is_own, object_text, texts
from bot.model import ModelRequest, ToolSpec
from bot.retell import retell
from memory.messages import Image, Message, Part, ToolCall, ToolResult

PROVIDER = "openai"
API = "responses"


def wire_input(request: ModelRequest, model: str, images: Urls) -> list[ResponseInputItemParam]:
    items: list[ResponseInputItemParam] = []
    for role, messages in groupby(retell(request.messages, is_own), key=lambda each: each.role):
        match role:
            case "user":
                items.append(_user(list(messages), images))
            case "assistant":
                items.extend(item for message in messages for item in _assistant(message, model))
            case "tool":
                items.extend(_result(result) for message in messages for result in message.results)
    return items


def wire_tool(tool: ToolSpec) -> FunctionToolParam:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": dict[str, object](tool.parameters),
        "strict": False,
    }


def rendering(model: str, output: Sequence[JsonValue]) -> dict[str, JsonValue]:
    """The provider data of a message that came as these items."""
    return {PROVIDER: {"api": API, "model": model, "output": list(output)}}


def _assistant(message: Message, model: str) -> Iterator[ResponseInputItemParam]:
    match message.provider_data.get(PROVIDER):
        # Another model cannot read this one's reasoning.
        case {"api": "responses", "model": str(made_by), "output": [*output]} if made_by == model:
            # It is JSON that the service made; we do not look inside.
            yield from cast("list[ResponseInputItemParam]", output)
        case _:
            yield from _rebuilt(message)


def _rebuilt(message: Message) -> Iterator[ResponseInputItemParam]:
    if message.text:
        spoken: EasyInputMessageParam = {"role": "assistant", "content": message.text}
        yield spoken
    for call in message.calls:
        yield _call(call)


def _call(call: ToolCall) -> ResponseFunctionToolCallParam:
    return {
        "type": "function_call",
        "call_id": call.id,
        "name": call.name,
        "arguments": object_text(call.arguments),
    }


def _result(result: ToolResult) -> FunctionCallOutput:
    return {"type": "function_call_output", "call_id": result.call_id, "output": result.text}


def _user(messages: Sequence[Message], images: Urls) -> EasyInputMessageParam:
    parts = [part for message in messages for part in message.parts]
    if not any(part in images for part in parts if isinstance(part, Image)):
        return {"role": "user", "content": "\n\n".join(texts(parts))}
    return {"role": "user", "content": [_content(part, images) for part in parts]}


def _content(part: Part, images: Urls) -> ResponseInputContentParam:
    if isinstance(part, Image) and part in images:
        return {"type": "input_image", "image_url": images[part], "detail": "auto"}
    return {"type": "input_text", "text": "".join(texts([part]))}
