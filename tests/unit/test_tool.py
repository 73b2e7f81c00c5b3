"""A tool made of a function: what the model reads of it, and what it may pass."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from bot.errors import ToolError
from bot.tools import Tool, ToolContext

CONTEXT = ToolContext("terminal:ann", "demo", "c" * 32, "key", 0.0)


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


async def search(
    context: ToolContext,
    words: Annotated[list[str], Field(description="What to look for")],
    size: Size = Size.SMALL,
    limit: int = 3,
) -> dict[str, object]:
    """Search for something.

    The best come first.
    """
    return {"words": words, "size": size, "limit": limit, "who": context.person}


async def invoked(arguments: str) -> object:
    return await Tool.of(search, risk="read").invoke(CONTEXT, arguments)


def test_name_and_description_are_the_functions() -> None:
    spec = Tool.of(search, risk="read").spec

    assert spec.name == "search"
    assert spec.description == "Search for something.\n\nThe best come first."


def test_the_schema_has_the_arguments_and_not_the_context() -> None:
    spec = Tool.of(search, risk="read").spec

    assert spec.parameters == {
        "$defs": {"Size": {"enum": ["small", "large"], "title": "Size", "type": "string"}},
        "additionalProperties": False,
        "properties": {
            "limit": {"default": 3, "type": "integer"},
            "size": {"$ref": "#/$defs/Size", "default": "small"},
            "words": {
                "description": "What to look for",
                "items": {"type": "string"},
                "type": "array",
            },
        },
        "required": ["words"],
        "type": "object",
    }


def test_a_tool_without_arguments_has_an_empty_schema() -> None:
    async def ping() -> None:
        """Ping."""

    parameters = Tool.of(ping, risk="read").spec.parameters
    assert parameters == {"additionalProperties": False, "properties": {}, "type": "object"}


async def test_the_context_is_known_by_its_type_and_not_by_its_name() -> None:
    async def named(context: str) -> str:
        """Named."""
        return context

    async def typed(who: ToolContext, context: str) -> str:
        """Typed."""
        return who.person + context

    given = '{"context": "!"}'
    assert await Tool.of(named, risk="read").invoke(CONTEXT, given) == "!"
    assert await Tool.of(typed, risk="read").invoke(CONTEXT, given) == "terminal:ann!"


def test_parameters_may_have_any_name() -> None:
    async def odd(schema: int, json: int, model_config: int, _hidden: int = 0) -> None:
        """Odd."""

    properties = Tool.of(odd, risk="read").spec.parameters["properties"]
    assert isinstance(properties, dict)
    assert list(properties) == ["schema", "json", "model_config", "_hidden"]


async def test_arguments_become_what_the_annotations_say() -> None:
    given = '{"words": ["a"], "size": "large", "limit": "5"}'

    assert await invoked(given) == {
        "words": ["a"],
        "size": Size.LARGE,
        "limit": 5,
        "who": "terminal:ann",
    }


async def test_what_is_not_given_has_its_default() -> None:
    assert await invoked('{"words": []}') == {
        "words": [],
        "size": Size.SMALL,
        "limit": 3,
        "who": "terminal:ann",
    }


async def test_no_text_means_no_arguments() -> None:
    async def ping() -> str:
        """Ping."""
        return "pong"

    assert await Tool.of(ping, risk="read").invoke(CONTEXT, " ") == "pong"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("", "words: Field required"),
        ("[]", "Input should be an object"),
        ('{"words": ["a", 2]}', "words: 1: Input should be a valid string"),
        ('{"words": [], "limit": "many"}', "limit: Input should be a valid integer"),
        ('{"words": [], "size": "huge"}', "size: Input should be 'small' or 'large'"),
        ('{"words": [], "context": {}}', "context: Unexpected keyword argument"),
        ('{"words": [], "customer": "other"}', "customer: Unexpected keyword argument"),
        ('{"words": [', "Invalid JSON"),
        ('{"words": ["\ud800"]}x', "Invalid JSON"),
        ("[" * 5000, "Invalid JSON"),
    ],
)
async def test_wrong_arguments_are_told_in_words(arguments: str, told: str) -> None:
    with pytest.raises(ToolError) as caught:
        await invoked(arguments)

    assert str(caught.value).startswith("The arguments are wrong. ")
    assert told in str(caught.value)
    assert "pydantic" not in str(caught.value)


async def no_docstring(_n: int) -> None: ...


async def no_annotation(n) -> None:  # type: ignore[no-untyped-def]
    """Do."""


async def any_arguments(*values: int) -> None:
    """Do."""


async def any_keywords(**values: int) -> None:
    """Do."""


async def unknown_annotation(n: Nothing) -> None:  # type: ignore[name-defined] # noqa: F821
    """Do."""


def not_async() -> None:
    """Do."""


async def größe() -> None:  # noqa: PLC2401 - that is the mistake
    """Do."""


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (no_docstring, "no_docstring needs a docstring: it tells the model what it does"),
        (no_annotation, "no_annotation: the parameter n needs a name and an annotation"),
        (any_arguments, "any_arguments: the parameter values needs a name and an annotation"),
        (any_keywords, "any_keywords: the parameter values needs a name and an annotation"),
        (not_async, "not_async must be an `async def`"),
        (größe, "'größe' is no name for a tool: letters, digits and _, at most 64"),
    ],
)
def test_a_function_that_says_too_little_is_no_tool(function: Any, told: str) -> None:
    with pytest.raises(TypeError) as caught:
        Tool.of(function, risk="read")

    assert str(caught.value) == told


def test_an_annotation_that_does_not_exist_is_a_mistake_at_once() -> None:
    with pytest.raises(NameError):
        Tool.of(unknown_annotation, risk="read")


@pytest.mark.parametrize("risk", ["read", "write", "danger"])
def test_risk_and_idempotence_are_kept(risk: Literal["read", "write", "danger"]) -> None:
    tool = Tool.of(search, risk=risk, idempotent=True)

    assert (tool.risk, tool.idempotent) == (risk, True)
