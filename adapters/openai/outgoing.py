"""Neutral messages as Chat Completions wants them, so that every compatible server takes them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby

from openai.types.chat import (
    ChatCompletionAssistantMessageParam,
    ChatCompletionFunctionToolParam,
    ChatCompletionMessageFunctionToolCallParam,
    ChatCompletionMessageParam,
    ChatCompletionToolMessageParam,
    ChatCompletionUserMessageParam,
)

from bot.model import NO_IMAGE, ModelRequest, ToolSpec
from memory.messages import Image, Message, Text, ToolCall, ToolResult


def wire_messages(request: ModelRequest) -> list[ChatCompletionMessageParam]:
    """The request's messages, the system prompt first.

    User messages in a row become one: servers with a strict chat template want user and assistant
    in turn.
    """
    wire: list[ChatCompletionMessageParam] = []
    if request.system:
        wire.append({"role": "system", "content": request.system})
    for role, messages in groupby(request.messages, key=lambda message: message.role):
        match role:
            case "user":
                wire.append(_user(messages))
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


def _user(messages: Iterator[Message]) -> ChatCompletionUserMessageParam:
    texts = [text for message in messages for text in _texts(message)]
    return {"role": "user", "content": "\n\n".join(texts)}


def _texts(message: Message) -> Iterator[str]:
    for part in message.parts:
        if isinstance(part, Text):
            yield part.text
        elif isinstance(part, Image):
            yield NO_IMAGE


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
        "function": {"name": call.name, "arguments": _arguments(call.arguments)},
    }


def _result(result: ToolResult) -> ChatCompletionToolMessageParam:
    return {"role": "tool", "tool_call_id": result.call_id, "content": result.text}


def _arguments(text: str) -> str:
    """OpenAI takes any text back, others only an object. What was wrong stands in the result."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return "{}"
    return text if isinstance(value, dict) else "{}"


def _refuse(constant: str) -> None:
    raise ValueError(constant)  # NaN and Infinity are Python's JSON, not everybody's
