"""What is past the retention window goes, one conversation a transaction: no answer waits."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass
from functools import partial

from bot.erasure import Erasure
from memory import conversations, expired, leases
from memory.database import Database, Transaction
from memory.errors import UnknownConversationError
from memory.expired import Expired
from memory.workspaces import DAY, Windows

_AT_ONCE = 100
_LONG = 7 * DAY
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

    async def purge(self) -> int:
        """Delete what nobody has used for its window; how many conversations went.

        One with a waiting message or an open turn stays until it is answered.
        """
        now = await self.database.read(lambda tx: tx.now())
        gone: Counter[str] = Counter()
        found = await self.database.read(partial(self._find, now, None))
        while found:
            for one in found:
                gone[one.workspace] += await self.database.write(partial(self._purge, now, one))
            found = await self.database.read(partial(self._find, now, found[-1]))
        await self.database.write(self._sweep)
        await self.database.write(partial(self._sweep_notes, now))
        await self.erasure.empty_log()
        _log.info(_told(gone), extra={"action": "retention"})
        return gone.total()

    async def purge_daily(self) -> int:
        """`purge`, but put off once, by a day, when by the clock it was long ago that it was done:
        the clock may be wrong, and what is deleted does not come back."""
        missed = await self.database.write(_put_off)
        if not missed:
            return await self.purge()
        _log.warning(_LONG_AGO, missed // DAY, extra={"action": "retention.put_off"})
        return 0

    async def is_due(self, conversation: str) -> bool:
        """Whether nobody has used it for its window, and may still wait in it."""
        try:
            return await self.database.read(partial(self._is_over, conversation))
        except UnknownConversationError:  # another process was faster
            return False

    async def _is_over(self, conversation: str, tx: Transaction) -> bool:
        found = await conversations.get(tx, conversation)
        kept = await self._windows.of(tx, found.place.platform, found.place.workspace)
        return found.active_at < await tx.now() - kept * DAY

    @property
    def _windows(self) -> Windows:
        return self.erasure.windows

    async def _find(self, now: int, after: Expired | None, tx: Transaction) -> list[Expired]:
        days = self._windows.days
        return await expired.find_expired(tx, now=now, days=days, limit=_AT_ONCE, after=after)

    async def _purge(self, now: int, one: Expired, tx: Transaction) -> bool:
        return await expired.purge(tx, one.id, now=now, days=self._windows.days)

    async def _sweep_notes(self, now: int, tx: Transaction) -> None:
        await expired.sweep_notes(tx, now=now, days=self._windows.days)

    async def _sweep(self, tx: Transaction) -> None:
        await expired.sweep_digests(tx, longest=await self._windows.longest(tx))


async def _put_off(tx: Transaction) -> int:
    """For how long (ms) nothing was cleaned up, if that is a reason to wait; once in a row."""
    now, last = await tx.now(), await leases.last_done(tx, _NAME)
    put_off = await leases.last_done(tx, _PUT_OFF)
    if last == 0 or now - last <= _LONG or 0 <= last - put_off < DAY:
        return 0
    await leases.acquire(tx, _PUT_OFF, "", 0)
    await leases.done(tx, _PUT_OFF, "")
    return now - last


def _told(gone: Counter[str]) -> str:
    """In numbers, with no name of a person or a channel."""
    went = ", ".join(f"{workspace} {count}" for workspace, count in gone.most_common() if count)
    number = f"retention: {gone.total()} conversations deleted"
    return f"{number} ({went})" if went else number
