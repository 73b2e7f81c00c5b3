"""Seen to type, until something of the answer is seen; the answer never depends on it."""

from __future__ import annotations

import asyncio
import logging

from adapters.chat.sending import NotNow, Pace
from adapters.discord.answers import DiscordError
from adapters.discord.posts import Posts
from adapters.discord.spot import Spot
from bot.platform import Delivery
from memory.errors import Superseded

_AGAIN_SECONDS = 8  # Discord shows it for ten, or until we post
_LONGEST_MS = 1_500  # the answer waits for it

_log = logging.getLogger(__name__)


class Typing:
    """Only a message of ours ends it at once, an edit does not: so once one stands, its button says
    that more comes."""

    def __init__(self, posts: Posts, spot: Spot, delivery: Delivery) -> None:
        self._posts = posts
        self._spot = spot
        self._first = Pace(delivery.guard, delivery.send_ms)
        self._pace = Pace(delivery.guard, min(delivery.send_ms, _LONGEST_MS), must=False)
        self._over = asyncio.Event()
        self._sending = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        self._task = asyncio.create_task(self._keep_on())

    async def settled(self) -> None:
        await self._sending.acquire()
        self._sending.release()

    def was_followed(self) -> None:
        self._over.set()

    async def stop(self) -> None:
        self._over.set()
        if self._task is not None:
            await asyncio.wait({self._task})

    async def end(self) -> None:
        await self.stop()

    async def _keep_on(self) -> None:
        while not self._over.is_set() and await self._show():
            try:
                await asyncio.wait_for(self._over.wait(), _AGAIN_SECONDS)
            except TimeoutError:
                continue

    async def _show(self) -> bool:
        """Whether there is a point in doing it again."""
        try:
            async with self._sending:
                here = await self._spot.open(self._first)
                await self._posts.show_typing(here, self._pace)
        except (NotNow, Superseded) as error:
            return isinstance(error, NotNow)
        except DiscordError as error:
            _log.info("Not seen to type: %s", error, extra={"action": "discord.no_typing"})
            return not error.permanent
        return True
