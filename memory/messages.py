"""The neutral message and its codec: pure values that know no storage and no provider."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_args

from pydantic import ConfigDict, Field, JsonValue, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from memory.errors import DamagedMessageError, UnknownPartError
from memory.text import replace_surrogates

Role = Literal["user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class Text:
    text: str
    kind: Literal["text"] = "text"


@dataclass(frozen=True, slots=True)
class Image:
    """A reference to an image on the platform; its bytes are never stored."""

    reference: str
    media_type: str
    kind: Literal["image"] = "image"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What the model asks for. `arguments` is the JSON text as it came, which may be invalid."""

    id: str
    name: str
    arguments: str
    kind: Literal["tool_call"] = "tool_call"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool said. `text` is stored as JSON; of an error `{"error": …}`.

    In a request a long one may be cut in the middle, and then it is JSON no more.
    """

    call_id: str
    name: str
    text: str
    is_error: bool = False
    kind: Literal["tool_result"] = "tool_result"


Part = Annotated[Text | Image | ToolCall | ToolResult, Field(discriminator="kind")]


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of a turn.

    `provider_data` holds a provider's own rendering under its name, for that provider alone.
    """

    role: Role
    parts: tuple[Part, ...]
    provider_data: dict[str, JsonValue] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """All text parts, separated by an empty line."""
        return "\n\n".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        return tuple(part for part in self.parts if isinstance(part, ToolResult))


def user(text: str) -> Message:
    return Message("user", (Text(text),))


def assistant(text: str, *calls: ToolCall) -> Message:
    spoken: tuple[Part, ...] = (Text(text),) if text else ()
    return Message("assistant", spoken + calls)


def tool(*results: ToolResult) -> Message:
    return Message("tool", results)


@dataclass(frozen=True, slots=True)
class _Content:
    """A message as it is stored: the role is a column of its own."""

    __pydantic_config__ = ConfigDict(extra="ignore", strict=True)

    parts: tuple[Part, ...]
    provider_data: dict[str, JsonValue] = field(default_factory=dict)


_CODEC = TypeAdapter(_Content)


def encode(message: Message) -> str:
    """The JSON text that is stored; lone surrogates, which no engine takes, are replaced."""
    content = _Content(message.parts, message.provider_data)
    try:
        return _CODEC.dump_json(content).decode()
    except (PydanticSerializationError, UnicodeEncodeError):
        mended = _mend(_CODEC.dump_python(content))
        return to_json(mended, inf_nan_mode="null").decode()


def decode(role: Role, stored: str) -> Message:
    """Raise UnknownPartError for a newer writer's part, DamagedMessageError for anything else."""
    if role not in get_args(Role):
        raise DamagedMessageError("A stored message is damaged.")
    try:
        content = _CODEC.validate_json(stored)
    except ValidationError as error:
        if any(problem["type"] == "union_tag_invalid" for problem in error.errors()):
            kinds = "A newer Nimbus stored something here that this version cannot read."
            raise UnknownPartError(kinds) from error
        raise DamagedMessageError("A stored message is damaged.") from error
    return Message(role, content.parts, content.provider_data)


def _mend(value: Any) -> Any:
    match value:
        case str():
            return replace_surrogates(value)
        case dict():
            return {_mend(key): _mend(item) for key, item in value.items()}
        case list() | tuple():
            return type(value)(_mend(item) for item in value)
        case _:
            return value
