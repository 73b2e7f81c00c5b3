"""What is past the retention window goes, one conversation a transaction: no answer waits."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial

from bot.erasure import Erasure
from memory import conversations, erase
from memory.database import Database, Transaction
from memory.errors import UnknownConversationError

_DAY = 24 * 60 * 60 * 1000
_AT_ONCE = 100
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Retention:
    database: Database
    erasure: Erasure
    days: int

    async def purge(self) -> int:
        """Delete what nobody has used for `days`; how many conversations went.

        One with a waiting message or an open turn stays until it is answered.
        """
        before = await self.database.read(self._cut)
        gone, is_more = 0, True
        while is_more:
            found = await self.database.read(partial(_find, before=before))
            deleted = [await self.database.write(partial(_purge, one, before)) for one in found]
            gone += sum(deleted)
            is_more = len(found) == _AT_ONCE and any(deleted)
        await self.database.write(erase.sweep_digests)
        await self.erasure.empty_log()
        _log.info("retention: %s conversations deleted", gone, extra={"action": "retention"})
        return gone

    async def is_due(self, conversation: str) -> bool:
        """Whether nobody has used it for `days`, and may still wait in it."""
        before = await self.database.read(self._cut)
        try:
            found = await self.database.read(lambda tx: conversations.get(tx, conversation))
        except UnknownConversationError:  # another process was faster
            return False
        return found.active_at < before

    async def _cut(self, tx: Transaction) -> int:
        return await tx.now() - self.days * _DAY


async def _find(tx: Transaction, before: int) -> list[str]:
    return await erase.find_expired(tx, active_before=before, limit=_AT_ONCE)


async def _purge(conversation: str, before: int, tx: Transaction) -> bool:
    return await erase.purge(tx, conversation, active_before=before)
