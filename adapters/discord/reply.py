"""How an answer is shown on Discord: typing, messages that grow, and a button to stop it."""

from __future__ import annotations

import asyncio
import logging

from adapters.chat.reply import GrowingReply, Manner
from adapters.chat.sending import Pace
from adapters.discord.answers import DiscordError
from adapters.discord.posts import Posts
from adapters.discord.spot import Chains, Spot
from adapters.discord.typing import Typing
from adapters.markup import discord
from bot.platform import Delivery
from memory.errors import Superseded

EDIT_SECONDS = 1.3
_AGAIN_SECONDS = 1
_TIDY_SECONDS = 20  # less than a lease; the next answer in this place waits for it so long

_log = logging.getLogger(__name__)


class DiscordReply(GrowingReply):
    """Each message has the button until the answer is recorded: it is how it would be found again.
    What is shown waits for no rate, and what must be sent has its own turn, so nothing is reserved.
    """

    def __init__(self, posts: Posts, delivery: Delivery, chains: Chains) -> None:
        self._spot = Spot(posts, delivery.address, chains)
        super().__init__(
            delivery,
            Manner(discord.pieces, EDIT_SECONDS),
            self._spot,
            Typing(posts, self._spot, delivery),
            _Ample(),
        )

    async def recorded(self) -> None:
        try:
            async with asyncio.timeout(_TIDY_SECONDS):
                for part in self.sent:
                    await self._unmark(part.remote_id)
        except (Superseded, TimeoutError):
            _log.info("A button stays.", extra={"action": "discord.button_stays"})

    async def _unmark(self, remote_id: str) -> None:
        pace = Pace(self._delivery.guard, self._delivery.send_ms)
        while True:
            try:
                return await self._spot.unmark(remote_id, pace)
            except DiscordError as error:
                if error.permanent:
                    _log.info("A button stays: %s", error, extra={"action": "discord.button_stays"})
                    return None
            await asyncio.sleep(_AGAIN_SECONDS)


class _Ample:
    def reserve(self) -> bool:
        return True

    def release(self) -> None:
        """Nothing was taken."""
