"""A streamed answer, put together chunk by chunk."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import uuid4

from pydantic import BaseModel, ConfigDict

from bot.errors import ModelError
from bot.model import Finish, ModelResponse, Usage
from memory.messages import ToolCall, assistant


class Wire(BaseModel):
    """The SDK does not check what it hands on; a compatible server may leave out anything."""

    model_config = ConfigDict(from_attributes=True)


class _Function(Wire):
    name: str | None = None
    arguments: str | None = None


class _CallDelta(Wire):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Delta(Wire):
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[_CallDelta] | None = None


class _Choice(Wire):
    delta: _Delta | None = None
    finish_reason: str | None = None


class _InputDetails(Wire):
    cached_tokens: int | None = None


class _OutputDetails(Wire):
    reasoning_tokens: int | None = None


class _Usage(Wire):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _InputDetails | None = None
    completion_tokens_details: _OutputDetails | None = None


class _Chunk(Wire):
    model: str | None = None
    choices: list[_Choice] | None = None
    usage: _Usage | None = None


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class ChatIncoming:
    """One answer while it comes in."""

    def __init__(self) -> None:
        self._model = ""
        self._text: list[str] = []
        self._refused = False
        self._calls: list[_Call] = []
        self._at: dict[int | None, _Call] = {}
        self._finish_reason: str | None = None
        self._usage = Usage()

    @property
    def is_whole(self) -> bool:
        return bool(self._finish_reason)

    def take(self, sdk_chunk: object) -> str:
        """The chunk's text. Raise ValueError when it is no chunk."""
        chunk = _Chunk.model_validate(sdk_chunk)
        self._model = chunk.model or self._model
        if chunk.usage:  # on a last chunk without choices, on others' servers on any
            self._usage = _counted(chunk.usage)
        texts = [self._take_choice(choice) for choice in chunk.choices or ()]
        return "".join(texts)

    def response(self, asked: str) -> ModelResponse:
        """Raise ModelError when the answer broke off."""
        name = f"openai:{self._model or asked}"
        if not self._finish_reason or self._finish_reason == "error":
            raise ModelError(f"{name}: the stream ended without an answer", retryable=True)
        finish = self._finish(self._finish_reason)
        calls = () if finish == "refused" else self._tool_calls()
        message = assistant("".join(self._text), *calls)
        return ModelResponse(message, finish, self._usage, name)

    def _take_choice(self, choice: _Choice) -> str:
        self._finish_reason = choice.finish_reason or self._finish_reason
        if choice.delta is None:
            return ""
        for delta in choice.delta.tool_calls or ():
            self._take_call(delta)
        self._refused = self._refused or bool(choice.delta.refusal)
        text = (choice.delta.content or "") + (choice.delta.refusal or "")
        self._text.append(text)
        return text

    def _take_call(self, delta: _CallDelta) -> None:
        function = delta.function or _Function()
        call = self._call_of(delta, names=bool(function.name))
        call.id = call.id or delta.id or ""
        call.name = call.name or function.name or ""
        call.arguments.append(function.arguments or "")

    def _call_of(self, delta: _CallDelta, *, names: bool) -> _Call:
        """Calls are told apart by index. Some servers send none, or 0 for every call: there a
        name under another id begins the next one."""
        call = self._at.get(delta.index)
        begins = names and (delta.index is None or bool(delta.id))
        if call is None or (begins and not (delta.id and delta.id == call.id)):
            call = _Call()
            self._calls.append(call)
            self._at[delta.index] = call
        return call

    def _tool_calls(self) -> tuple[ToolCall, ...]:
        return tuple(
            ToolCall(call.id or new_call_id(), call.name, "".join(call.arguments))
            for call in self._calls
        )

    def _finish(self, reason: str) -> Finish:
        if self._refused or reason == "content_filter":
            return "refused"
        return "length" if reason == "length" else "stop"


def new_call_id() -> str:
    return f"call_{uuid4().hex[:24]}"


def _counted(usage: _Usage) -> Usage:
    cached = usage.prompt_tokens_details
    reasoning = usage.completion_tokens_details
    return Usage(
        input_tokens=usage.prompt_tokens or 0,
        cached_tokens=(cached and cached.cached_tokens) or 0,
        output_tokens=usage.completion_tokens or 0,
        reasoning_tokens=(reasoning and reasoning.reasoning_tokens) or 0,
    )
