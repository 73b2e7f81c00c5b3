"""Gemini behind the seam `Model`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from functools import partial

from google.genai.types import (
    AutomaticFunctionCallingConfig,
    Content,
    FunctionCallingConfig,
    FunctionCallingConfigMode,
    FunctionDeclaration,
    GenerateContentConfig,
    GenerateContentResponse,
    Tool,
    ToolConfig,
)

from adapters.gemini.client import (
    GEMINI_URL,
    SignatureRefusedError,
    closing_responses,
    connect,
    model_error,
    open_transport,
)
from adapters.gemini.contents import Images, wire_contents
from adapters.gemini.incoming import Incoming
from bot.addresses import host_of
from bot.errors import ModelError
from bot.model import ModelRequest, ModelResponse, ReadImage, ToolSpec
from bot.patience import Patience, persist
from memory.messages import Image, Message


class Gemini:
    """A model that is asked through Google's SDK. Raises ConfigError without key and URL.

    Making one takes a while and reads files (imports, certificates): `asyncio.to_thread`.
    """

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        api_version: str = "v1",
        read_image: ReadImage | None = None,
        patience: Patience | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.name = f"gemini:{model}"
        self._model = model
        self._read_image = read_image
        self._patience = patience or Patience()
        self._sleep = sleep
        self._where = host_of(base_url or GEMINI_URL)
        self._transport = open_transport(self._patience)
        self._client = connect(api_key, base_url, api_version, self._transport)
        self._models = self._client.aio.models

    def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelResponse, None]:
        """Yield text, then the response. What failed is tried again while no text was yielded."""
        return persist(partial(self._attempt, request), self._patience, self._sleep)

    async def close(self) -> None:
        await self._client.aio.aclose()
        await self._transport.aclose()

    async def _attempt(self, request: ModelRequest) -> AsyncGenerator[str | ModelResponse, None]:
        images = await self._images(request.messages)
        try:
            contents = wire_contents(request.messages, images)
            async with aclosing(self._answer(request, contents)) as pieces:
                async for piece in pieces:
                    yield piece
        except SignatureRefusedError:  # before any text: it is an answer to the request
            contents = wire_contents(request.messages, images, signed=False)
            async with aclosing(self._answer(request, contents)) as pieces:
                async for piece in pieces:
                    yield piece

    async def _answer(
        self, request: ModelRequest, contents: list[Content]
    ) -> AsyncGenerator[str | ModelResponse, None]:
        taken = {call.id for message in request.messages for call in message.calls}
        incoming = Incoming(self._model, taken)
        try:
            async with aclosing(self._chunks(request, contents)) as chunks:
                async for chunk in chunks:
                    if text := incoming.take(chunk):
                        yield text
        except ModelError:
            if not incoming.is_whole:  # else only what it cost got lost
                raise
        yield incoming.response()

    async def _chunks(
        self, request: ModelRequest, contents: list[Content]
    ) -> AsyncGenerator[GenerateContentResponse, None]:
        try:
            async with closing_responses():
                chunks = await self._models.generate_content_stream(
                    model=self._model, contents=list(contents), config=_config(request)
                )
                async for chunk in chunks:
                    yield chunk
        except Exception as error:
            # Boundary: the SDK raises what it likes where it reads an answer that is none.
            raise model_error(self.name, error, self._where) from error

    async def _images(self, messages: Sequence[Message]) -> Images:
        """The images that can be had."""
        if self._read_image is None:
            return {}
        images = {part for message in messages for part in message.parts if isinstance(part, Image)}
        read = {image: await self._read_image(image) for image in images}
        return {image: data for image, data in read.items() if data is not None}


def _config(request: ModelRequest) -> GenerateContentConfig:
    """The SDK runs no tool itself, and does not go on by itself: the tool loop is ours."""
    return GenerateContentConfig(
        system_instruction=request.system or None,
        tools=[Tool(function_declarations=[_declared(tool) for tool in request.tools])]
        if request.tools
        else None,
        tool_config=_NO_CALLS if request.tools and request.tool_choice == "none" else None,
        automatic_function_calling=AutomaticFunctionCallingConfig(disable=True),
        automatic_continuation=False,
    )


def _declared(tool: ToolSpec) -> FunctionDeclaration:
    return FunctionDeclaration(
        name=tool.name, description=tool.description, parameters_json_schema=tool.parameters
    )


_NO_CALLS = ToolConfig(
    function_calling_config=FunctionCallingConfig(mode=FunctionCallingConfigMode.NONE)
)
