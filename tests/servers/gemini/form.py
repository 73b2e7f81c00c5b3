"""The form of a request to Gemini: which fields there are. Both spellings of a key are taken."""

from __future__ import annotations

import base64
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

Json = dict[str, Any]
Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$")]


def _decoded(text: object) -> object:
    """Base64 in either alphabet; the service takes both."""
    if not isinstance(text, str):
        return text
    return base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)


Bytes = Annotated[bytes, BeforeValidator(_decoded)]


class Form(BaseModel):
    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)


class Call(Form):
    name: Name
    args: Json = {}
    id: str | None = None


class Response(Form):
    name: Name
    response: Json
    id: str | None = None


class Blob(Form):
    mime_type: str
    data: Bytes


class Part(Form):
    text: str | None = None
    function_call: Call | None = None
    function_response: Response | None = None
    inline_data: Blob | None = None
    thought: bool = False
    thought_signature: Bytes | None = None

    @model_validator(mode="after")
    def _has_one_thing(self) -> Self:
        things = (self.text, self.function_call, self.function_response, self.inline_data)
        if sum(thing is not None for thing in things) > 1:
            raise ValueError("oneof field 'data' is already set.")
        if not self.text and not any(things[1:]) and self.thought_signature is None:
            raise ValueError("required oneof field 'data' must have one initialized field")
        return self


class Content(Form):
    role: Literal["user", "model"]
    parts: Annotated[list[Part], Field(min_length=1)]

    @property
    def calls(self) -> list[Call]:
        return [part.function_call for part in self.parts if part.function_call]

    @property
    def responses(self) -> list[Response]:
        return [part.function_response for part in self.parts if part.function_response]


class Declaration(Form):
    name: Name
    description: str = ""
    parameters_json_schema: Json = {}


class Tool(Form):
    function_declarations: Annotated[list[Declaration], Field(min_length=1)]


class FunctionCallingConfig(Form):
    mode: Literal["AUTO", "ANY", "NONE", "VALIDATED"] = "AUTO"


class ToolConfig(Form):
    function_calling_config: FunctionCallingConfig = FunctionCallingConfig()


class ThinkingConfig(Form):
    include_thoughts: bool = False
    thinking_budget: int | None = None
    thinking_level: str | None = None


class GenerationConfig(Form):
    temperature: float | None = None
    max_output_tokens: int | None = None
    thinking_config: ThinkingConfig | None = None


class Request(Form):
    contents: Annotated[list[Content], Field(min_length=1)]
    system_instruction: Content | None = None
    tools: Annotated[list[Tool], Field(min_length=1)] | None = None
    tool_config: ToolConfig | None = None
    generation_config: GenerationConfig | None = None

    @model_validator(mode="after")
    def _config_needs_tools(self) -> Self:
        if self.tool_config and not self.tools:
            raise ValueError("Function calling config is set without function_declarations.")
        return self
