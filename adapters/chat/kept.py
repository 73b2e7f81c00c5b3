"""What a platform told of somebody or something, kept for a while."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from bot.lease import Clock

MOST = 5_000
_KEPT_MS = 60 * 60 * 1000

T = TypeVar("T")


class Kept(Generic[T]):
    """Asked for once in an hour; what was used least lately is forgotten first."""

    def __init__(self, clock: Clock, ask: Callable[[str], Awaitable[T]], most: int) -> None:
        self._most = most
        self._clock = clock
        self._ask = ask
        self._found: OrderedDict[str, tuple[int, T]] = OrderedDict()
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def get(self, key: str, *, is_fresh: bool = False) -> T:
        if is_fresh:
            return await self._learn(key)
        lock = self._asking.setdefault(key, asyncio.Lock())
        async with lock:  # who asks for the same meanwhile waits for this answer
            known = self._found.get(key)
            if known is None or self._clock() - known[0] >= _KEPT_MS:
                return await self._learn(key)
        self._found.move_to_end(key)
        return known[1]

    async def _learn(self, key: str) -> T:
        value = await self._ask(key)
        self._found[key] = self._clock(), value
        self._found.move_to_end(key)
        if len(self._found) > self._most:
            self._found.popitem(last=False)
        return value
