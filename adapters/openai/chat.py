"""Chat Completions behind the seam `Model`: OpenAI's own, and every server that speaks it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import partial

from openai import APIConnectionError, AsyncStream, OpenAIError, omit
from openai.types.chat import ChatCompletionChunk

from adapters.openai.client import connect, model_error
from adapters.openai.incoming import Incoming
from adapters.openai.outgoing import wire_messages, wire_tool
from bot.model import ModelRequest, ModelResponse
from bot.patience import Patience, persist


class OpenAIChat:
    """A model that is asked through the OpenAI SDK. Raises ConfigError without key and URL.

    Making one takes a while and reads files (imports, certificates): `asyncio.to_thread`.
    """

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        patience: Patience | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._patience = patience or Patience()
        self._sleep = sleep
        self._client = connect(api_key, base_url, self._patience)
        self._completions = self._client.chat.completions  # imported now, not at the first question

    def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelResponse, None]:
        """Yield text, then the response. What failed is tried again while no text was yielded."""
        return persist(partial(self._attempt, request), self._patience, self._sleep)

    async def close(self) -> None:
        await self._client.close()

    async def _attempt(self, request: ModelRequest) -> AsyncGenerator[str | ModelResponse, None]:
        incoming = Incoming()
        try:
            async with await self._open(request) as chunks:  # closed on cancel, too
                async for chunk in chunks:
                    if text := incoming.take(chunk):
                        yield text
        except (OpenAIError, ValueError) as error:  # ValueError: no JSON, no UTF-8, no chunk
            # The answer is whole: only what it cost got lost.
            if not (incoming.is_whole and isinstance(error, APIConnectionError)):
                raise model_error(self.name, error) from error
        yield incoming.response(self._model)

    async def _open(self, request: ModelRequest) -> AsyncStream[ChatCompletionChunk]:
        return await self._completions.create(
            model=self._model,
            messages=wire_messages(request),
            tools=[wire_tool(tool) for tool in request.tools] or omit,
            tool_choice="none" if request.tools and request.tool_choice == "none" else omit,
            stream=True,
            stream_options={"include_usage": True},
        )
