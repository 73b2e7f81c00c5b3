"""A tool: an annotated async function that the model may ask for."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, fields, make_dataclass
from typing import Any, Literal, Self, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.json_schema import GenerateJsonSchema

from bot.errors import ToolError
from bot.model import ToolSpec
from memory.text import clean

Risk = Literal["read", "write", "danger"]
Function = Callable[..., Awaitable[object]]


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Who asks, and where: a tool's first parameter may be one. Nothing in it is the model's word.

    `call_key` stays the same when a call is run again after a restart. `deadline` is on the event
    loop's clock: `async with asyncio.timeout_at(context.deadline)`. `turn` is the id of the turn.
    """

    person: str
    customer: str | None
    conversation: str
    call_key: str
    deadline: float
    turn: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """`invoke` takes the arguments as JSON text and raises `ToolError` for what the model may read.

    `idempotent`: it acts once for each call key, so that it may be run again after a crash.
    """

    spec: ToolSpec
    invoke: Callable[[ToolContext, str], Awaitable[object]]
    risk: Risk
    idempotent: bool = False

    @classmethod
    def of(cls, function: Function, *, risk: Risk, idempotent: bool = False) -> Self:
        """Make a tool of an async function: name, docstring, annotations are what the model reads.

        Raise TypeError when the function does not say enough.
        """
        takes_context, reader = _reader(function)
        schema = reader.json_schema(schema_generator=_Untitled)
        schema.pop("title")
        spec = ToolSpec(_name(function), _description(function), schema)

        async def invoke(context: ToolContext, text: str) -> object:
            arguments = _read(reader, text)
            if takes_context:
                return await function(context, **arguments)
            return await function(**arguments)

        return cls(spec, invoke, risk, idempotent)


class _Untitled(GenerateJsonSchema):
    """A title that only repeats the name would cost tokens in every request."""

    def field_title_should_be_set(self, schema: object) -> bool:
        del schema
        return False


def _name(function: Function) -> str:
    name = getattr(function, "__name__", "")
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
        raise TypeError(f"{name!r} is no name for a tool: letters, digits and _, at most 64")
    return str(name)


def _description(function: Function) -> str:
    description = inspect.getdoc(function)
    if not description:
        raise TypeError(f"{_name(function)} needs a docstring: it tells the model what it does")
    return description


def _reader(function: Function) -> tuple[bool, TypeAdapter[Any]]:
    """Whether the function takes the context, and what reads its other arguments."""
    if not inspect.iscoroutinefunction(function):
        raise TypeError(f"{_name(function)} must be an `async def`")
    hints = get_type_hints(function, include_extras=True)
    names = list(inspect.signature(function).parameters)
    takes_context = bool(names) and hints.get(names[0]) is ToolContext
    arguments = make_dataclass(
        "Arguments",
        [_argument(function, name, hints) for name in names[takes_context:]],
        kw_only=True,
        namespace={"__pydantic_config__": ConfigDict(extra="forbid")},
    )
    return takes_context, TypeAdapter(arguments)


def _argument(function: Function, name: str, hints: dict[str, Any]) -> tuple[str, Any, Any]:
    parameter = inspect.signature(function).parameters[name]
    if name not in hints or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise TypeError(f"{_name(function)}: the parameter {name} needs a name and an annotation")
    if parameter.default is parameter.empty:
        return name, hints[name], field()
    return name, hints[name], field(default=parameter.default)


def _read(reader: TypeAdapter[Any], text: str) -> dict[str, Any]:
    try:
        arguments = reader.validate_json(clean(text).strip() or "{}")
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False, include_input=False)
        told = "; ".join(_told(problem["loc"], problem["msg"]) for problem in problems)
        raise ToolError(f"The arguments are wrong. {told}") from error
    return {part.name: getattr(arguments, part.name) for part in fields(arguments)}


def _told(place: tuple[int | str, ...], message: str) -> str:
    return ": ".join([*(str(step) for step in place), message])
