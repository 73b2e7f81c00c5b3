"""Opens the models that are configured, and imports no other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from bot.fallback import Fallback
from bot.model import Model
from bot.patience import HASTE, Patience
from bot.settings import Settings


@asynccontextmanager
async def opened_model(settings: Settings, instead: Model | None) -> AsyncIterator[Model]:
    """The configured model, closed on leaving; or the one to use instead, which is another's."""
    if instead is not None:
        yield instead
        return
    model = await _open(settings, settings.models)
    try:
        yield model
    finally:
        await model.close()


@asynccontextmanager
async def opened_summariser(
    settings: Settings, answering: Model, instead: Model | None
) -> AsyncIterator[Model | None]:
    """The model that sums up: one of its own, if that is configured; none where none is to."""
    if not settings.summaries:
        yield None
        return
    if instead is not None or settings.summary_models == settings.models:
        yield answering
        return
    model = await _open(settings, settings.summary_models)
    try:
        yield model
    finally:
        await model.close()


async def _open(settings: Settings, names: Sequence[tuple[str, str]]) -> Model:
    """These models; the adapter of another is never imported."""
    if not names:
        from adapters.offline.model import OfflineModel

        return OfflineModel()
    models: list[Model] = []
    async with AsyncExitStack() as opened:
        for provider, name in names:
            # While there is another one to ask, each is waited for less.
            patience = HASTE if len(models) + 1 < len(names) else Patience()
            # In a thread: importing an SDK takes a second, and making its client reads files.
            model = await asyncio.to_thread(_PROVIDERS[provider], name, settings, patience)
            opened.push_async_callback(model.close)
            models.append(model)
        opened.pop_all()
    return Fallback(models)


def _open_openai(name: str, settings: Settings, patience: Patience) -> Model:
    from adapters.openai.chat import OpenAIChat
    from adapters.openai.responses import OpenAIResponses

    key = settings.openai_api_key
    api = OpenAIResponses if settings.openai_api == "responses" else OpenAIChat
    return api(
        name,
        api_key=key.get_secret_value() if key else None,
        base_url=settings.openai_base_url,
        patience=patience,
    )


def _open_gemini(name: str, settings: Settings, patience: Patience) -> Model:
    from adapters.gemini.model import Gemini

    key = settings.gemini_api_key
    return Gemini(
        name,
        api_key=key.get_secret_value() if key else None,
        base_url=settings.gemini_base_url,
        patience=patience,
    )


_PROVIDERS = {"openai": _open_openai, "gemini": _open_gemini}
