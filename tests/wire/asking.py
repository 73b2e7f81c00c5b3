"""Asking a scripted OpenAI server through the real SDK."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from adapters.openai.chat import OpenAIChat
from bot.errors import ModelError
from bot.model import Model, ModelRequest, ModelResponse, ToolSpec
from bot.patience import Patience
from memory.messages import user
from tests.servers.openai.server import Server, serving
from tests.servers.openai.wire import Answer, Script

HELLO = ModelRequest("Be kind.", (user("Hello?"),))
LOOK_UP = ToolSpec("look_up", "Look something up.", {"type": "object", "properties": {}})


class Pauses:
    """In place of sleeping: what would have been slept."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@asynccontextmanager
async def asked(
    *answers: Answer, pauses: Pauses | None = None, patience: Patience | None = None
) -> AsyncIterator[tuple[Server, OpenAIChat]]:
    """A server with these answers and a model that asks it. No request may be refused by rule."""
    async with serving(Script(*answers), api_key="sk-test") as server:
        made = model_at(server.base_url, api_key="sk-test", pauses=pauses, patience=patience)
        async with made as model:
            yield server, model
    assert server.refused == []


@asynccontextmanager
async def model_at(
    base_url: str,
    *,
    api_key: str | None = None,
    pauses: Pauses | None = None,
    patience: Patience | None = None,
) -> AsyncIterator[OpenAIChat]:
    model = await asyncio.to_thread(
        OpenAIChat,
        "gpt-test",
        api_key=api_key,
        base_url=base_url,
        patience=patience,
        sleep=pauses or Pauses(),
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
