"""What Gemini refuses, and a request it took as a neutral one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha512
from itertools import pairwise

from pydantic import ValidationError

from bot.model import ModelRequest, ToolSpec
from memory.messages import Image, Message, Text, ToolCall, ToolResult, tool
from tests.servers.gemini.form import Content, Part, Request, Response
from tests.validity import problems

UNEQUAL = (
    "Please ensure that the number of function response parts is equal to the number of function"
    " call parts of the function call turn."
)
UNASKED = "Please ensure that function response turn comes immediately after a function call turn."
UNSIGNED = "Function call is missing a thought_signature in functionCall parts."
CORRUPTED = "Corrupted thought signature."


class Refused(Exception):  # noqa: N818 - an answer, not somebody's mistake
    """The request gets status 400 with this sentence."""


def check(body: object, model: str) -> ModelRequest:
    """The neutral form of a request. Raise Refused when the real service would refuse it."""
    try:
        request = Request.model_validate(body)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in problem["loc"])
        raise Refused(f"Invalid value at '{where}': {problem['msg']}") from error
    _check_order(request.contents)
    _check_answers(request.contents)
    _check_signatures(request.contents, model)
    neutral = _neutral(request)
    if found := problems(neutral):
        raise Refused(" ".join(found))
    return neutral


def signature(part: Part, model: str) -> bytes:
    """What the model signs a part with. It holds for this part and this model alone."""
    bare = part.model_dump(exclude={"thought_signature"}, exclude_none=True)
    return sha512(f"{model}\n{json.dumps(bare, sort_keys=True)}".encode()).digest()


def _check_order(contents: Sequence[Content]) -> None:
    if contents[0].role != "user" or contents[-1].role != "user":
        raise Refused("Please ensure that multiturn requests begin and end with a user turn.")
    for before, after in pairwise(contents):
        if before.role == after.role:
            raise Refused("Please ensure that multiturn requests alternate between user and model.")
    for content in contents:
        is_user = content.role == "user"
        for part in content.parts:
            if part.function_call and is_user:
                raise Refused("Function call parts are the model's.")
            if (part.function_response or part.inline_data) and not is_user:
                raise Refused("Function response and inline data parts are the user's.")


def _check_answers(contents: Sequence[Content]) -> None:
    """Every call is answered in the content after it, in order, under its own name and id."""
    for before, after in pairwise((Content.model_construct(role="user", parts=[]), *contents)):
        if after.responses and not before.calls:
            raise Refused(UNASKED)
        if len(after.responses) != len(before.calls):
            raise Refused(UNEQUAL)
        for call, response in zip(before.calls, after.responses, strict=True):
            if (call.name, call.id) != (response.name, response.id):
                raise Refused(f"The response {response.name!r} is not that of {call.name!r}.")
            if response.response.keys() not in ({"output"}, {"error"}):
                raise Refused("A response has either an output or an error.")


def _check_signatures(contents: Sequence[Content], model: str) -> None:
    """The first call of each step since the person's last words is signed. A signature that was
    changed, moved, or made by another model is refused anywhere."""
    spoken = [i for i, each in enumerate(contents) if each.role == "user" and not each.responses]
    for content in contents[spoken[-1] if spoken else 0 :]:
        called = [part for part in content.parts if part.function_call]
        if called and called[0].thought_signature is None:
            raise Refused(UNSIGNED)
    for part in (part for content in contents for part in content.parts):
        if part.thought_signature and part.thought_signature != signature(part, model):
            raise Refused(CORRUPTED)


def _neutral(request: Request) -> ModelRequest:
    config, tools = request.tool_config, request.tools or ()
    instruction = request.system_instruction
    return ModelRequest(
        system="".join(part.text or "" for part in instruction.parts) if instruction else "",
        messages=tuple(_messages(request.contents)),
        tools=tuple(
            ToolSpec(each.name, each.description, each.parameters_json_schema)
            for declared in tools
            for each in declared.function_declarations
        ),
        tool_choice="none" if config and config.function_calling_config.mode == "NONE" else "auto",
    )


def _messages(contents: Sequence[Content]) -> Iterator[Message]:
    """Ids are made here: Gemini gives none, or the same again in every answer."""
    for index, content in enumerate(contents):
        for i, response in enumerate(content.responses):
            yield tool(_result(f"call_{index - 1}_{i}", response))
        calls = (
            ToolCall(f"call_{index}_{i}", c.name, json.dumps(c.args))
            for i, c in enumerate(content.calls)
        )
        parts = (*_said(content.parts), *calls)
        if parts:
            yield Message("user" if content.role == "user" else "assistant", parts)


def _said(parts: Sequence[Part]) -> Iterator[Text | Image]:
    for part in parts:
        if part.text and not part.thought:
            yield Text(part.text)
        elif part.inline_data:
            yield Image("inline", part.inline_data.mime_type)


def _result(call_id: str, response: Response) -> ToolResult:
    if "error" in response.response:
        return ToolResult(call_id, response.name, json.dumps(response.response), is_error=True)
    output = response.response["output"]
    text = output if isinstance(output, str) else json.dumps(output)
    return ToolResult(call_id, response.name, text)
