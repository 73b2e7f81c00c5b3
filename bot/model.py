"""The seam to a model provider: what is asked, what comes back."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal, Protocol

from pydantic import JsonValue

from memory.messages import Image, Message
from memory.text import estimate_tokens

ToolChoice = Literal["auto", "none"]
Finish = Literal["stop", "length", "refused"]

# Fetches an image's bytes for an adapter. None: it cannot be had, and NO_IMAGE is sent instead.
ReadImage = Callable[[Image], Awaitable[bytes | None]]
NO_IMAGE = "[an image that cannot be shown here]"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model sees it; `parameters` is a JSON Schema object."""

    name: str
    description: str
    parameters: dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """All that a model sees. `messages` begins with a user message; the last is the question,
    or the results of the calls before it."""

    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: ToolChoice = "auto"
    first: str = ""  # of several models the one to ask first; none of them sees this


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens. `cached_tokens` are part of `input_tokens`, `reasoning_tokens` of `output_tokens`."""

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.cached_tokens + other.cached_tokens,
            self.output_tokens + other.output_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
        )

    def __sub__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens - other.input_tokens,
            self.cached_tokens - other.cached_tokens,
            self.output_tokens - other.output_tokens,
            self.reasoning_tokens - other.reasoning_tokens,
        )

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class ModelResponse:
    """The whole answer of one call: an assistant message, with tool calls or without."""

    message: Message
    finish: Finish
    usage: Usage = field(default_factory=Usage)
    model: str = ""


def guess_usage(request: ModelRequest, text: str) -> Usage:
    """What a call has taken that was broken off before the provider told: all of the request, and
    the text that had come."""
    sent = [
        request.system,
        *(
            f"{tool.name} {tool.description} {json.dumps(tool.parameters)}"
            for tool in request.tools
        ),
        *(message.text for message in request.messages),
        *(call.arguments for message in request.messages for call in message.calls),
        *(result.text for message in request.messages for result in message.results),
    ]
    return Usage(input_tokens=sum(map(estimate_tokens, sent)), output_tokens=estimate_tokens(text))


class Model(Protocol):
    """A provider. Raises `ModelError`; cancelling the iteration closes the request."""

    name: str  # "openai:gpt-…", "offline"

    def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        """Yield pieces of text as they come, then one `ModelResponse` with all of it."""
        ...

    async def close(self) -> None: ...


@asynccontextmanager
async def closing(
    stream: AsyncIterator[str | ModelResponse],
) -> AsyncIterator[AsyncIterator[str | ModelResponse]]:
    """Close the request on leaving, also when who listens raised."""
    try:
        yield stream
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
