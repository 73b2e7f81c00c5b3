"""What Responses refuses, and a request it took as a neutral one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, ValidationError, model_validator

from bot.model import ModelRequest, ToolSpec
from memory.messages import Image, Message, Part, Text, ToolCall, ToolResult
from tests.servers.openai.rules import Id, Json, Name, Refused, Strict
from tests.validity import problems


class _InputText(Strict):
    type: Literal["input_text"]
    text: str


class _InputImage(Strict):
    type: Literal["input_image"]
    image_url: Annotated[str, Field(pattern="^data:image/[a-z]+;base64,")]
    detail: Literal["auto", "low", "high"]


_Input = Annotated[_InputText | _InputImage, Field(discriminator="type")]


class _Asked(Strict):
    type: Literal["message"] = "message"
    role: Literal["user", "system", "developer"]
    content: str | Annotated[list[_Input], Field(min_length=1)]


class _Answered(Strict):
    """What an assistant said, retold by the client."""

    type: Literal["message"] = "message"
    role: Literal["assistant"]
    content: str
    phase: Literal["commentary", "final_answer"] | None = None


class _OutputText(Strict):
    type: Literal["output_text"]
    text: str
    annotations: list[Json]
    logprobs: list[Json] = Field(default_factory=list)


class _Spoken(Strict):
    """The same as the service itself gave it out."""

    id: str
    type: Literal["message"]
    role: Literal["assistant"]
    status: Literal["completed"]
    content: list[_OutputText]
    phase: Literal["commentary", "final_answer"] | None = None


class _Call(Strict):
    id: str | None = None
    type: Literal["function_call"]
    status: Literal["completed"] | None = None
    call_id: Id
    name: Name
    arguments: str


class _Result(Strict):
    type: Literal["function_call_output"]
    call_id: Id
    output: str


class _Reasoning(Strict):
    id: str
    type: Literal["reasoning"]
    summary: list[Json]
    encrypted_content: str
    status: Literal["completed"] | None = None


def _kind(item: Any) -> str:
    if item.get("type", "message") != "message":
        return str(item["type"])
    if item.get("role") != "assistant":
        return "asked"
    return "spoken" if "id" in item else "answered"


_Item = Annotated[
    Annotated[_Asked, Tag("asked")]
    | Annotated[_Answered, Tag("answered")]
    | Annotated[_Spoken, Tag("spoken")]
    | Annotated[_Call, Tag("function_call")]
    | Annotated[_Result, Tag("function_call_output")]
    | Annotated[_Reasoning, Tag("reasoning")],
    Discriminator(_kind),
]


class _Tool(Strict):
    type: Literal["function"]
    name: Name
    description: str | None = None
    parameters: Json
    strict: bool


class _Request(Strict):
    model: Annotated[str, Field(min_length=1)]
    input: Annotated[list[_Item], Field(min_length=1)]
    instructions: str | None = None
    stream: Literal[True]  # this server can only stream
    store: Literal[False]  # left out it would be kept for a month
    tools: Annotated[list[_Tool], Field(min_length=1)] | None = None
    tool_choice: Literal["auto", "none", "required"] | None = None

    @model_validator(mode="after")
    def _choice_needs_tools(self) -> Self:
        if self.tools is None and self.tool_choice:
            raise ValueError("'tool_choice' is only allowed when 'tools' are specified.")
        return self


@dataclass(slots=True)
class Given:
    """The items that a server gave out, so that it knows its own again."""

    items: dict[str, Json] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)  # the reasoning directly before an item

    def note(self, output: Sequence[Json]) -> None:
        for item in output:
            self.items[item["id"]] = item
        for one, other in pairwise(output):
            if one["type"] == "reasoning":
                self.before[other["id"]] = one["id"]

    def check(self, items: Sequence[Json]) -> None:
        """Own items come back as they were, and not apart."""
        for index, item in enumerate(items):
            identity = item.get("id")
            if identity is None:
                continue
            if item != self.items.get(identity):
                raise Refused(
                    f"The encrypted content for item {identity} could not be verified.",
                    "invalid_encrypted_content",
                )
            previous = items[index - 1].get("id") if index else None
            if previous != self.before.get(identity, previous):
                raise Refused(
                    f"Item '{identity}' was provided without its required 'reasoning' item."
                )
        self._check_followed(items)

    def _check_followed(self, items: Sequence[Json]) -> None:
        ids = [item.get("id") for item in items]
        for identity, following in zip(ids, [*ids[1:], None], strict=True):
            if identity in self.before.values() and self.before.get(following or "") != identity:
                raise Refused(
                    f"Item '{identity}' of type 'reasoning' was provided without its required"
                    " following item."
                )


def check(body: Json, given: Given) -> ModelRequest:
    """The neutral form of a request. Raise Refused when the real service would refuse it."""
    try:
        request = _Request.model_validate(body)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in problem["loc"])
        raise Refused(f"Invalid request at '{where}': {problem['msg']}") from error
    given.check(body["input"])
    neutral = _neutral(request)
    if found := problems(neutral):
        raise Refused(" ".join(found))
    return neutral


def _neutral(request: _Request) -> ModelRequest:
    names: dict[str, str] = {}
    messages: list[Message] = []
    for item in request.input:
        match item:
            case _Asked():
                messages.append(Message("user", tuple(_asked(item))))
            case _Answered():
                _add(messages, Text(item.content))
            case _Spoken():
                _add(messages, *(Text(part.text) for part in item.content))
            case _Call():
                names[item.call_id] = item.name
                _add(messages, ToolCall(item.call_id, item.name, item.arguments))
            case _Result():
                name = names.get(item.call_id, "")
                result = ToolResult(item.call_id, name, item.output)
                messages.append(Message("tool", (result,)))
            case _Reasoning():
                pass
    return ModelRequest(
        system=request.instructions or "",
        messages=tuple(messages),
        tools=tuple(
            ToolSpec(tool.name, tool.description or "", tool.parameters)
            for tool in request.tools or ()
        ),
        tool_choice="none" if request.tool_choice == "none" else "auto",
    )


def _asked(item: _Asked) -> list[Part]:
    if isinstance(item.content, str):
        return [Text(item.content)]
    return [
        Text(part.text) if isinstance(part, _InputText) else Image(part.image_url, "image")
        for part in item.content
    ]


def _add(messages: list[Message], *parts: Part) -> None:
    """One answer may be several items."""
    if messages and messages[-1].role == "assistant":
        parts = (*messages.pop().parts, *parts)
    messages.append(Message("assistant", parts))
