"""Neutral messages as Chat Completions wants them, so that every compatible server takes them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from openai.types.chat import (
    ChatCompletionAssistantMessageParam,
    ChatCompletionContentPartParam,
    ChatCompletionFunctionToolParam,
    ChatCompletionMessageFunctionToolCallParam,
    ChatCompletionMessageParam,
    ChatCompletionToolMessageParam,
    ChatCompletionUserMessageParam,
)

from adapters.openai.images import Urls
from bot.model import NO_IMAGE, ModelRequest, ToolSpec
from bot.retell import retell
from memory.messages import Image, Message, Part, Text, ToolCall, ToolResult


def wire_messages(request: ModelRequest, images: Urls) -> list[ChatCompletionMessageParam]:
    """The request's messages, the system prompt first.

    User messages in a row become one: servers with a strict chat template want user and assistant
    in turn.
    """
    wire: list[ChatCompletionMessageParam] = []
    if request.system:
        wire.append({"role": "system", "content": request.system})
    for role, messages in groupby(retell(request.messages, is_own), key=lambda each: each.role):
        match role:
            case "user":
                wire.append(_user(list(messages), images))
            case "assistant":
                wire.extend(_assistant(message) for message in messages if _says(message))
            case "tool":
                wire.extend(_result(result) for message in messages for result in message.results)
    return wire


def wire_tool(tool: ToolSpec) -> ChatCompletionFunctionToolParam:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": dict[str, object](tool.parameters),
        },
    }


def is_own(step: Message) -> bool:
    """Not another provider's. OpenAI wants no signature, so a step without rendering may be."""
    return not step.provider_data or "openai" in step.provider_data


def texts(parts: Iterable[Part]) -> Iterator[str]:
    """What a person said, where no image can be sent."""
    for part in parts:
        if isinstance(part, Text):
            yield part.text
        elif isinstance(part, Image):
            yield NO_IMAGE


def object_text(arguments: str) -> str:
    """OpenAI takes any text back, others only an object. What was wrong stands in the result."""
    try:
        value = json.loads(arguments, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return "{}"
    return arguments if isinstance(value, dict) else "{}"


def _refuse(constant: str) -> None:
    raise ValueError(constant)  # NaN and Infinity are Python's JSON, not everybody's


def _user(messages: Sequence[Message], images: Urls) -> ChatCompletionUserMessageParam:
    """Plain text as long as it is: not every server takes a list."""
    parts = [part for message in messages for part in message.parts]
    if not any(part in images for part in parts if isinstance(part, Image)):
        return {"role": "user", "content": "\n\n".join(texts(parts))}
    return {"role": "user", "content": [_content(part, images) for part in parts]}


def _content(part: Part, images: Urls) -> ChatCompletionContentPartParam:
    if isinstance(part, Image) and part in images:
        return {"type": "image_url", "image_url": {"url": images[part]}}
    return {"type": "text", "text": "".join(texts([part]))}


def _says(message: Message) -> bool:
    """Neither text nor calls: null content without calls is refused."""
    return bool(message.text or message.calls)


def _assistant(message: Message) -> ChatCompletionAssistantMessageParam:
    wire: ChatCompletionAssistantMessageParam = {
        "role": "assistant",
        "content": message.text or None,
    }
    if message.calls:
        wire["tool_calls"] = [_call(call) for call in message.calls]
    return wire


def _call(call: ToolCall) -> ChatCompletionMessageFunctionToolCallParam:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": object_text(call.arguments)},
    }


def _result(result: ToolResult) -> ChatCompletionToolMessageParam:
    return {"role": "tool", "tool_call_id": result.call_id, "content": result.text}
