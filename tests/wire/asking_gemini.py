"""Asking a scripted Gemini through Google's SDK."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from adapters.gemini.model import Gemini
from bot.errors import ModelError
from bot.model import ModelRequest, ModelResponse, ReadImage
from bot.patience import Patience
from tests.servers.gemini.server import Server, serving
from tests.servers.gemini.wire import Answer, Script
from tests.wire.asking import HELLO, heard
from tests.wire.pauses import Pauses


@asynccontextmanager
async def asked(
    *answers: Answer,
    pauses: Pauses | None = None,
    patience: Patience | None = None,
    read_image: ReadImage | None = None,
) -> AsyncIterator[tuple[Server, Gemini]]:
    """A server with these answers and a model that asks it. No request may be refused by rule."""
    async with serving(Script(*answers), api_key="AIza-test") as server:
        made = model_at(
            server.base_url,
            api_key="AIza-test",
            pauses=pauses,
            patience=patience,
            read_image=read_image,
        )
        async with made as model:
            yield server, model
    assert server.refused == []


@asynccontextmanager
async def model_at(
    base_url: str,
    *,
    name: str = "gemini-test",
    api_key: str | None = None,
    pauses: Pauses | None = None,
    patience: Patience | None = None,
    read_image: ReadImage | None = None,
) -> AsyncIterator[Gemini]:
    model = await asyncio.to_thread(
        Gemini,
        name,
        api_key=api_key,
        base_url=base_url,
        patience=patience,
        read_image=read_image,
        sleep=pauses or Pauses(),
    )
    try:
        yield model
    finally:
        await model.close()


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
