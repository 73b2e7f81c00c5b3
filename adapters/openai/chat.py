"""Chat Completions behind the seam `Model`: OpenAI's own, and every server that speaks it."""

from __future__ import annotations

from openai import AsyncStream, omit
from openai.resources.chat import AsyncCompletions
from openai.types.chat import ChatCompletionChunk

from adapters.openai.images import read_images
from adapters.openai.incoming import ChatIncoming
from adapters.openai.outgoing import wire_messages, wire_tool
from adapters.openai.service import OpenAIModel
from bot.model import ModelRequest


class OpenAIChat(OpenAIModel):
    """A model that is asked by Chat Completions."""

    _completions: AsyncCompletions

    def _load(self) -> None:
        self._completions = self._client.chat.completions

    def _incoming(self) -> ChatIncoming:
        return ChatIncoming()

    async def _open(self, request: ModelRequest) -> AsyncStream[ChatCompletionChunk]:
        images = await read_images(request.messages, self._read_image)
        return await self._completions.create(
            model=self._model,
            messages=wire_messages(request, images),
            tools=[wire_tool(tool) for tool in request.tools] or omit,
            tool_choice="none" if request.tools and request.tool_choice == "none" else omit,
            stream=True,
            stream_options={"include_usage": True},
        )
