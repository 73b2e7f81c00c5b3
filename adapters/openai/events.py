"""A streamed answer of Responses, put together event by event."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from openai import BaseModel as SdkModel
from pydantic import JsonValue

from adapters.openai.client import reported_error
from adapters.openai.incoming import Wire, new_call_id
from adapters.openai.items import rendering
from bot.errors import ModelError
from bot.model import Finish, ModelResponse, Usage
from memory.messages import Message, Part, Text, ToolCall


class _Delta(Wire):
    delta: str = ""
    output_index: int | None = None


class _Error(Wire):
    code: str | None = None
    message: str | None = None


class _Details(Wire):
    reason: str | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


class _Usage(Wire):
    input_tokens: int | None = None
    output_tokens: int | None = None
    input_tokens_details: _Details | None = None
    output_tokens_details: _Details | None = None


class _Response(Wire):
    model: str | None = None
    error: _Error | None = None
    incomplete_details: _Details | None = None
    usage: _Usage | None = None
    output: list[object] | None = None


class _Content(Wire):
    text: str | None = None
    refusal: str | None = None


class _Item(Wire):
    type: str = ""
    phase: str | None = None
    content: list[_Content] | None = None
    encrypted_content: str | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None


class ResponsesIncoming:
    """One answer while it comes in."""

    def __init__(self, asked: str) -> None:
        self._model = asked
        self._output: list[JsonValue] = []
        self._speaking: int | None = None
        self._said = False
        self._refused = False
        self._end: _Response | None = None

    @property
    def is_whole(self) -> bool:
        return self._end is not None

    def take(self, sdk_event: object) -> str:
        """The event's text. Raise ValueError when it makes no sense, ModelError when it is one."""
        match getattr(sdk_event, "type", None):
            case "response.output_text.delta":
                return self._take_text(_Delta.model_validate(sdk_event))
            case "response.refusal.delta":
                self._refused = True
                return self._take_text(_Delta.model_validate(sdk_event))
            case "response.output_item.done":
                self._output.append(_json(getattr(sdk_event, "item", None)))
            case "response.completed" | "response.incomplete":
                self._end = _Response.model_validate(getattr(sdk_event, "response", None))
                self._model = self._end.model or self._model
            case "response.failed":
                failed = _Response.model_validate(getattr(sdk_event, "response", None))
                raise self._failure(failed.error or _Error())
            case "error":
                raise self._failure(_Error.model_validate(sdk_event))
        return ""

    def response(self, asked: str) -> ModelResponse:
        """Raise ModelError when the answer broke off."""
        name = f"openai:{self._model}"
        if self._end is None:
            raise ModelError(f"{name}: the stream ended without an answer", retryable=True)
        output = self._output or [_json(item) for item in self._end.output or ()]
        items = [_Item.model_validate(item) for item in output]
        finish = self._finish(items)
        message = Message("assistant", tuple(_parts(items, finish)))
        if finish == "stop" and _is_worth_keeping(items):
            message = Message("assistant", message.parts, rendering(asked, output))
        return ModelResponse(message, finish, _counted(self._end.usage), name)

    def _take_text(self, piece: _Delta) -> str:
        """Several messages may stand in one answer: an empty line separates them."""
        if not piece.delta:
            return ""
        begins = self._said and piece.output_index != self._speaking
        self._said, self._speaking = True, piece.output_index
        return f"\n\n{piece.delta}" if begins else piece.delta

    def _failure(self, error: _Error) -> ModelError:
        return reported_error(f"openai:{self._model}", error.code, error.message)

    def _finish(self, items: list[_Item]) -> Finish:
        details = self._end.incomplete_details if self._end else None
        contents = [part for item in items if item.type == "message" for part in item.content or ()]
        if self._refused or any(part.refusal for part in contents):
            return "refused"
        if details is None:
            return "stop"
        return "refused" if details.reason == "content_filter" else "length"


def _parts(items: list[_Item], finish: Finish) -> Iterator[Part]:
    for item in items:
        if item.type == "message":
            text = "".join((part.text or "") + (part.refusal or "") for part in item.content or ())
            if text.strip():
                yield Text(text)
        elif item.type == "function_call" and finish != "refused":
            yield ToolCall(item.call_id or new_call_id(), item.name or "", item.arguments or "")


def _is_worth_keeping(items: list[_Item]) -> bool:
    """Whether the items say more than our parts do, and would be taken back."""
    says_more = any(item.phase or item.type == "reasoning" for item in items)
    return says_more and all(map(_goes_back, items))


def _goes_back(item: _Item) -> bool:
    """Reasoning only encrypted, for nothing is stored there; a call only with its id."""
    match item.type:
        case "reasoning":
            return bool(item.encrypted_content)
        case "function_call":
            return bool(item.call_id)
        case _:
            return True


def _counted(usage: _Usage | None) -> Usage:
    if usage is None:
        return Usage()
    cached, reasoning = usage.input_tokens_details, usage.output_tokens_details
    return Usage(
        input_tokens=usage.input_tokens or 0,
        cached_tokens=(cached and cached.cached_tokens) or 0,
        output_tokens=usage.output_tokens or 0,
        reasoning_tokens=(reasoning and reasoning.reasoning_tokens) or 0,
    )


def _json(item: Any) -> JsonValue:
    """As it came over the wire, fields that the SDK does not know included."""
    value = item.to_dict(warnings=False) if isinstance(item, SdkModel) else item
    return cast("JsonValue", value)  # what came as JSON is JSON
