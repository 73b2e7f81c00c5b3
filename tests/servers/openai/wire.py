"""Answers of Chat Completions, as OpenAI frames them, whole and broken."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from bot.model import ModelRequest
from tests.servers.openai.rules import Json

MODEL = "gpt-test-2026-11-30"
USAGE: Json = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}


Pause = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Stream:
    """An answer as server-sent events; a `str` is sent as it is, to break something, and a pause is
    waited for.

    It ends as the real one does, without the last line (`eof`), in the middle of the connection
    (`cut`), or never (`hang`).
    """

    chunks: tuple[Json | str | Pause, ...]
    end: Literal["done", "eof", "cut", "hang"] = "done"


@dataclass(frozen=True, slots=True)
class Failure:
    """An answer that is an error."""

    status: int
    code: str | None = None
    type: str = "invalid_request_error"
    message: str = "Something is wrong."
    headers: Mapping[str, str] = field(default_factory=dict)


Answer = Stream | Failure
Brain = Callable[[ModelRequest], Answer]


def says(*pieces: str, finish: str = "stop", usage: Json | None = None) -> Stream:
    """A whole answer of text."""
    return whole(*({"content": piece} for piece in pieces), finish=finish, usage=usage)


def calls(*wanted: tuple[str, str, str], usage: Json | None = None) -> Stream:
    """A whole answer of tool calls: id, name, arguments."""
    deltas = (call(index, *parts) for index, parts in enumerate(wanted))
    return whole(*deltas, finish="tool_calls", usage=usage)


def whole(*deltas: Json, finish: str, usage: Json | None = None) -> Stream:
    """An answer of these deltas, as OpenAI frames it."""
    first = chunk({"role": "assistant", "content": None, "refusal": None})
    told = {**chunk(), "choices": [], "usage": usage or USAGE}
    return Stream((first, *map(chunk, deltas), chunk({}, finish), told))


def broken(*deltas: Json, end: Literal["done", "eof", "cut", "hang"]) -> Stream:
    """An answer that has no finish reason."""
    return Stream(tuple(map(chunk, deltas)), end)


def call(index: int, call_id: str, name: str, arguments: str = "") -> Json:
    """The delta that opens a tool call."""
    function = {"name": name, "arguments": arguments}
    return {
        "tool_calls": [{"index": index, "id": call_id, "type": "function", "function": function}]
    }


def more(index: int, arguments: str) -> Json:
    """The delta that goes on with a tool call's arguments."""
    return {"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}


def chunk(delta: Json | None = None, finish: str | None = None) -> Json:
    choice = {"index": 0, "delta": delta or {}, "logprobs": None, "finish_reason": finish}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1796040000,
        "model": MODEL,
        "choices": [choice],
        "usage": None,
    }


class Script:
    """Answers in order, as a brain."""

    def __init__(self, *answers: Answer) -> None:
        self.left = deque(answers)

    def __call__(self, _request: ModelRequest) -> Answer:
        if not self.left:
            return Failure(400, message="The script has no answer left.")
        return self.left.popleft()
