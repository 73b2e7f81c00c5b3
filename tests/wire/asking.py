"""Asking a scripted OpenAI server through the real SDK."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from adapters.openai.chat import OpenAIChat
from adapters.openai.service import OpenAIModel
from bot.errors import ModelError
from bot.model import Model, ModelRequest, ModelResponse, ReadImage, ToolSpec
from bot.patience import Patience
from memory.messages import user
from tests.servers.openai.server import Server, serving
from tests.servers.openai.wire import Answer, Script
from tests.wire.pauses import Pauses

HELLO = ModelRequest("Be kind.", (user("Hello?"),))
LOOK_UP = ToolSpec("look_up", "Look something up.", {"type": "object", "properties": {}})


@asynccontextmanager
async def asked(
    *answers: Answer,
    api: type[OpenAIModel] = OpenAIChat,
    pauses: Pauses | None = None,
    patience: Patience | None = None,
) -> AsyncIterator[tuple[Server, OpenAIModel]]:
    """A server with these answers and a model that asks it. No request may be refused by rule."""
    key = "sk-test"
    async with (
        serving(Script(*answers), api_key=key) as server,
        model_at(server.base_url, api=api, api_key=key, pauses=pauses, patience=patience) as model,
    ):
        yield server, model
    assert server.refused == []


@asynccontextmanager
async def model_at(
    base_url: str,
    *,
    api: type[OpenAIModel] = OpenAIChat,
    name: str = "gpt-test",
    api_key: str | None = None,
    pauses: Pauses | None = None,
    patience: Patience | None = None,
    read_image: ReadImage | None = None,
) -> AsyncIterator[OpenAIModel]:
    model = await asyncio.to_thread(
        api,
        name,
        api_key=api_key,
        base_url=base_url,
        patience=patience,
        sleep=pauses or Pauses(),
        read_image=read_image,
    )
    try:
        yield model
    finally:
        await model.close()


async def heard(model: Model, request: ModelRequest = HELLO) -> tuple[list[str], ModelResponse]:
    """The pieces of text and the response of one call."""
    pieces: list[str] = []
    async for piece in model.stream(request):
        if isinstance(piece, ModelResponse):
            return pieces, piece
        pieces.append(piece)
    raise AssertionError("no response came")


async def response_to(*answers: Answer, request: ModelRequest = HELLO) -> ModelResponse:
    async with asked(*answers) as (_, model):
        _, response = await heard(model, request)
    return response


async def error_of(*answers: Answer, pauses: Pauses | None = None) -> ModelError:
    """How a call fails to which the server gives these answers."""
    async with asked(*answers, pauses=pauses) as (_, model):
        with pytest.raises(ModelError) as failed:
            await heard(model)
    return failed.value
