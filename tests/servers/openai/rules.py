"""What Chat Completions refuses, and a request it took as a neutral one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from bot.model import ModelRequest, ToolSpec
from memory.messages import Image, Message, Part, Text, ToolCall, ToolResult, assistant, tool
from tests.validity import problems

Json = dict[str, Any]


class Refused(Exception):  # noqa: N818 - an answer, not somebody's mistake
    """The request gets status 400 with this sentence."""

    def __init__(self, sentence: str, code: str | None = None) -> None:
        super().__init__(sentence)
        self.code = code


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _System(Strict):
    role: Literal["system", "developer"]
    content: str


class _TextPart(Strict):
    type: Literal["text"]
    text: str


class _Url(Strict):
    url: Annotated[str, Field(pattern="^data:image/[a-z]+;base64,")]


class _ImagePart(Strict):
    type: Literal["image_url"]
    image_url: _Url


_UserPart = Annotated[_TextPart | _ImagePart, Field(discriminator="type")]


class _User(Strict):
    role: Literal["user"]
    content: str | Annotated[list[_UserPart], Field(min_length=1)]
    name: str | None = None


def _object(arguments: str) -> str:
    """OpenAI takes any text here; vLLM, llama.cpp and gateways do not."""
    if not isinstance(json.loads(arguments), dict):
        raise ValueError("the arguments are no JSON object")  # noqa: TRY004 - pydantic wants it
    return arguments


Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Id = Annotated[str, Field(min_length=1, max_length=40)]


class _CalledFunction(Strict):
    name: Name
    arguments: Annotated[str, AfterValidator(_object)]


class _Call(Strict):
    id: Id
    type: Literal["function"]
    function: _CalledFunction


class _Assistant(Strict):
    role: Literal["assistant"]
    content: str | None = None
    refusal: str | None = None
    tool_calls: Annotated[list[_Call], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.content is None and self.tool_calls is None:
            raise ValueError("Invalid value for 'content': expected a string, got null.")
        return self


class _Tool(Strict):
    role: Literal["tool"]
    tool_call_id: Id
    content: str


_Message = Annotated[_System | _User | _Assistant | _Tool, Field(discriminator="role")]


class _Function(Strict):
    name: Name
    description: str = ""
    parameters: Json = {}
    strict: bool | None = None


class _ToolSpec(Strict):
    type: Literal["function"]
    function: _Function


class _StreamOptions(Strict):
    include_usage: bool = False
    include_obfuscation: bool = True


class _Request(Strict):
    model: Annotated[str, Field(min_length=1)]
    messages: Annotated[list[_Message], Field(min_length=1)]
    stream: Literal[True]  # this server can only stream
    stream_options: _StreamOptions = _StreamOptions()
    tools: Annotated[list[_ToolSpec], Field(min_length=1)] | None = None
    tool_choice: Literal["auto", "none", "required"] | None = None
    parallel_tool_calls: bool | None = None
    max_completion_tokens: int | None = None
    reasoning_effort: str | None = None
    temperature: float | None = None

    @model_validator(mode="after")
    def _choice_needs_tools(self) -> Self:
        if self.tools is None and (self.tool_choice or self.parallel_tool_calls is not None):
            raise ValueError("'tool_choice' is only allowed when 'tools' are specified.")
        return self


def check(body: object) -> ModelRequest:
    """The neutral form of a request. Raise Refused when the real service would refuse it, or
    another one that speaks its language."""
    try:
        request = _Request.model_validate(body)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in problem["loc"])
        raise Refused(f"Invalid request at '{where}': {problem['msg']}") from error
    _check_order(request.messages)
    neutral = _neutral(request)
    if found := problems(neutral):
        raise Refused(" ".join(found))
    return neutral


def _check_order(messages: Sequence[_Message]) -> None:
    unanswered: list[str] = []
    for message in messages:
        if isinstance(message, _Tool):
            if message.tool_call_id not in unanswered:
                raise Refused(
                    "Invalid parameter: messages with role 'tool' must be a response to a"
                    " preceding message with 'tool_calls'."
                )
            unanswered.remove(message.tool_call_id)
            continue
        _check_answered(unanswered)
        calls = message.tool_calls or [] if isinstance(message, _Assistant) else []
        unanswered = [call.id for call in calls]
        if len(set(unanswered)) < len(unanswered):
            raise Refused("Duplicate value for 'tool_call_id'.")
    _check_answered(unanswered)


def _check_answered(unanswered: Sequence[str]) -> None:
    if unanswered:
        raise Refused(
            "An assistant message with 'tool_calls' must be followed by tool messages responding"
            " to each 'tool_call_id'. The following tool_call_ids did not have response messages: "
            + ", ".join(unanswered)
        )


def _neutral(request: _Request) -> ModelRequest:
    names: dict[str, str] = {}
    messages: list[Message] = []
    for message in request.messages:
        match message:
            case _User():
                messages.append(Message("user", tuple(_asked(message))))
            case _Assistant():
                calls = [_neutral_call(call) for call in message.tool_calls or ()]
                names.update((call.id, call.name) for call in calls)
                messages.append(assistant(message.content or "", *calls))
            case _Tool():
                call_id = message.tool_call_id
                messages.append(tool(ToolResult(call_id, names[call_id], message.content)))
            case _System():
                pass
    return ModelRequest(
        system="\n\n".join(m.content for m in request.messages if isinstance(m, _System)),
        messages=tuple(messages),
        tools=tuple(_neutral_tool(spec.function) for spec in request.tools or ()),
        tool_choice="none" if request.tool_choice == "none" else "auto",
    )


def _asked(message: _User) -> list[Part]:
    if isinstance(message.content, str):
        return [Text(message.content)]
    return [
        Text(part.text) if isinstance(part, _TextPart) else Image(part.image_url.url, "image")
        for part in message.content
    ]


def _neutral_call(call: _Call) -> ToolCall:
    return ToolCall(call.id, call.function.name, call.function.arguments)


def _neutral_tool(function: _Function) -> ToolSpec:
    return ToolSpec(function.name, function.description, function.parameters)
