"""OpenAI's Responses behind the seam `Model`. Nothing is stored there: all is sent each time."""

from __future__ import annotations

from dataclasses import replace

from openai import APIStatusError, AsyncStream, omit
from openai.resources.responses import AsyncResponses
from openai.types.responses import ResponseStreamEvent

from adapters.openai.events import ResponsesIncoming
from adapters.openai.images import read_images
from adapters.openai.items import wire_input, wire_tool
from adapters.openai.service import OpenAIModel
from bot.model import ModelRequest
from memory.messages import Message


class OpenAIResponses(OpenAIModel):
    """A model that is asked by Responses."""

    _responses: AsyncResponses

    def _load(self) -> None:
        self._responses = self._client.responses

    def _incoming(self) -> ResponsesIncoming:
        return ResponsesIncoming(self._model)

    async def _open(self, request: ModelRequest) -> AsyncStream[ResponseStreamEvent]:
        try:
            return await self._create(request)
        except APIStatusError as error:
            if not _is_about_reasoning(error):
                raise
            return await self._create(_without_renderings(request))

    async def _create(self, request: ModelRequest) -> AsyncStream[ResponseStreamEvent]:
        images = await read_images(request.messages, self._read_image)
        return await self._responses.create(
            model=self._model,
            instructions=request.system or omit,
            input=wire_input(request, self._model, images),
            tools=[wire_tool(tool) for tool in request.tools] or omit,
            tool_choice="none" if request.tools and request.tool_choice == "none" else omit,
            store=False,
            stream=True,
        )


def _is_about_reasoning(error: APIStatusError) -> bool:
    """Reasoning is encrypted for an organisation; with another key nobody can read it."""
    return error.code == "invalid_encrypted_content" or "encrypted content" in error.message.lower()


def _without_renderings(request: ModelRequest) -> ModelRequest:
    messages = tuple(Message(each.role, each.parts) for each in request.messages)
    return replace(request, messages=messages)
