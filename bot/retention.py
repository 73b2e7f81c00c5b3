"""What is past the retention window goes, one conversation a transaction: no answer waits."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial

from bot.erasure import Erasure
from memory import conversations, erase, leases
from memory.database import Database, Transaction
from memory.errors import UnknownConversationError

_DAY = 24 * 60 * 60 * 1000
_AT_ONCE = 100
_LONG = 7 * _DAY
_NAME = "retention"  # of its lease, see bot/schedule.py
_PUT_OFF = "retention, put off"
_LONG_AGO = (
    "By the clock, nothing was cleaned up for %s days. If it is right, what is past the retention "
    "window goes tomorrow, or now by `purge`; if the machine's clock is wrong, set it before that."
)
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

    async def purge_daily(self) -> int:
        """`purge`, but put off once, by a day, when by the clock it was long ago that it was done:
        the clock may be wrong, and what is deleted does not come back."""
        missed = await self.database.write(_put_off)
        if not missed:
            return await self.purge()
        _log.warning(_LONG_AGO, missed // _DAY, extra={"action": "retention.put_off"})
        return 0

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


async def _put_off(tx: Transaction) -> int:
    """For how long (ms) nothing was cleaned up, if that is a reason to wait; once in a row."""
    now, last = await tx.now(), await leases.last_done(tx, _NAME)
    put_off = await leases.last_done(tx, _PUT_OFF)
    if last == 0 or now - last <= _LONG or 0 <= last - put_off < _DAY:
        return 0
    await leases.acquire(tx, _PUT_OFF, "", 0)
    await leases.done(tx, _PUT_OFF, "")
    return now - last


async def _find(tx: Transaction, before: int) -> list[str]:
    return await erase.find_expired(tx, active_before=before, limit=_AT_ONCE)


async def _purge(conversation: str, before: int, tx: Transaction) -> bool:
    return await erase.purge(tx, conversation, active_before=before)
