"""What Chat Completions and Responses share: one call through the SDK, tried again."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import partial
from typing import Any, Protocol

from openai import APIConnectionError, AsyncStream

from adapters.openai.client import OPENAI_URL, connect, model_error
from bot.addresses import host_of
from bot.errors import ModelError
from bot.model import ModelRequest, ModelResponse, ReadImage
from bot.patience import Patience, persist


class Incoming(Protocol):
    """One answer while it comes in."""

    @property
    def is_whole(self) -> bool: ...

    def take(self, sdk_event: object) -> str:
        """The text in it. Raise ValueError when it makes no sense, ModelError when it is one."""
        ...

    def response(self, asked: str) -> ModelResponse:
        """Raise ModelError when the answer broke off. `asked` is the model's name."""
        ...


class OpenAIModel(ABC):
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
        read_image: ReadImage | None = None,
    ) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._patience = patience or Patience()
        self._sleep = sleep
        self._read_image = read_image
        self._where = host_of(base_url or OPENAI_URL)
        self._client = connect(api_key, base_url, self._patience)
        self._load()

    def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelResponse, None]:
        """Yield text, then the response. What failed is tried again while no text was yielded."""
        return persist(partial(self._attempt, request), self._patience, self._sleep)

    async def close(self) -> None:
        await self._client.close()

    async def _attempt(self, request: ModelRequest) -> AsyncGenerator[str | ModelResponse, None]:
        incoming = self._incoming()
        try:
            async with await self._open(request) as events:  # closed on cancel, too
                async for event in events:
                    if text := incoming.take(event):
                        yield text
        except ModelError:
            raise
        except Exception as error:
            # Boundary: no JSON, no UTF-8, no event; and the SDK stands on others, which raise
            # errors of their own. When the answer is whole, only what it cost got lost.
            if not (incoming.is_whole and isinstance(error, APIConnectionError)):
                raise model_error(self.name, error, self._where) from error
        yield incoming.response(self._model)

    @abstractmethod
    def _load(self) -> None:
        """Import what is needed now, and not at the first question."""

    @abstractmethod
    def _incoming(self) -> Incoming: ...

    @abstractmethod
    async def _open(self, request: ModelRequest) -> AsyncStream[Any]: ...
