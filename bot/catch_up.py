"""What was said while nobody listened: read back, and taken in as if it were told now."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence

from bot.commands import word_in
from bot.intake import Intake
from bot.platform import Inbound, Outlet
from memory import leases, missed
from memory.database import Database
from memory.errors import StorageError
from memory.missed import Behind

MOST = 100
"""Messages that are read of one place: the newest."""

_LEASE = 30_000  # ms; what is longer under way may be done twice, which changes nothing
_PAUSE_SECONDS = 5
_READ_SECONDS = 60  # for one place; a platform may let us ask once in two seconds

_log = logging.getLogger(__name__)
_RESTORED = (
    "This database is a backup that was restored: what was said since it was made is not read "
    "back, for it may have been answered. People may have to ask again."
)


class CatchUp:
    """One process at a time reads, conversation by conversation. What cannot be read stays noted,
    and is read after the next connection."""

    def __init__(
        self, database: Database, intake: Intake, outlets: Sequence[Outlet], worker: str
    ) -> None:
        self._database = database
        self._intake = intake
        self._outlets = {outlet.platform: outlet for outlet in outlets}
        self._worker = worker
        self._told: dict[str, int | None] = {}
        self._bell = asyncio.Event()

    async def look_back(self) -> None:
        """Before anybody listens: from where on something may have been missed. A backup that was
        restored does not know what was answered since."""
        if await self._database.write(missed.begin_afresh):
            _log.warning(_RESTORED, extra={"action": "catch_up.restored"})
        for platform in self._outlets:
            await self._note(platform, None)

    def connected(self, platform: str, since: int | None) -> None:
        """Somebody listens there now; since then (UTC ms) nobody did, or None: see `look_back`."""
        times = [time for time in (since, self._told.get(platform)) if time is not None]
        self._told[platform] = min(times, default=None)
        self._bell.set()

    async def keep_catching_up(self) -> None:
        """After each connection, until cancelled. What a platform tells again by itself comes
        first; several connections at once are one."""
        while True:
            await self._bell.wait()
            await asyncio.sleep(self._intake.timing.settle / 1000)
            self._bell.clear()
            for platform, since in list(self._told.items()):
                del self._told[platform]
                await self._catch_up(platform, since)

    async def _catch_up(self, platform: str, since: int | None) -> None:
        try:
            if since is not None:
                await self._note(platform, since)
            await self._read(platform)
        except StorageError as error:
            _log.debug("Could not catch up: %s", error, extra={"action": "catch_up.failed"})
            self.connected(platform, since)
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _note(self, platform: str, since: int | None) -> None:
        await self._database.write(lambda tx: missed.note(tx, platform, since=since))

    async def _read(self, platform: str) -> None:
        found = await self._database.read(lambda tx: missed.find(tx, platform))
        if not found:
            return
        try:
            for behind in found:
                while not await self._is_ours():  # noqa: ASYNC110 - another process tells nobody
                    await asyncio.sleep(_PAUSE_SECONDS)
                await self._bring_up(self._outlets[platform], behind)
        finally:
            await self._database.write(lambda tx: leases.release(tx, "catch-up", self._worker))

    async def _is_ours(self) -> bool:
        return await self._database.write(
            lambda tx: leases.acquire(tx, "catch-up", self._worker, _LEASE)
        )

    async def _bring_up(self, outlet: Outlet, behind: Behind) -> None:
        try:
            async with asyncio.timeout(_READ_SECONDS):
                said = await outlet.later(
                    behind.place, json.loads(behind.address), behind.said_after, MOST
                )
            await self._take(said)
        except StorageError:  # of all conversations: it is tried again, and told elsewhere, once
            raise
        except Exception as error:  # noqa: BLE001 - boundary: not another conversation's failure
            _log.warning(
                "Could not read what was missed: %r",
                error,
                extra={"action": "catch_up.unread", "conversation": behind.id},
            )
            return
        await self._database.write(
            lambda tx: missed.caught_up(tx, behind.id, said_after=behind.said_after)
        )

    async def _take(self, said: Sequence[Inbound]) -> None:
        """In order. Of what is too old for an answer, nobody is told but once in each place."""
        now = await self._database.read(lambda tx: tx.now())
        answered_from = now - self._intake.timing.give_up
        late = [each for each in said if each.said_at < answered_from]
        await self._take_late(late)
        for inbound in said[len(late) :]:
            await self._intake.accept(inbound)

    async def _take_late(self, late: Sequence[Inbound]) -> None:
        """The newest question waits for a turn, which can only say that it is too late; those
        before it were said. Alone with one person, all their questions are of this turn."""
        asked: list[Inbound] = []
        for inbound in late:
            if word_in(inbound.text) == "stop":  # what ran then does not run any more
                continue
            if not await self._intake.is_question(inbound):
                await self._intake.accept(inbound)
                continue
            if asked and inbound.surface != "direct":
                await self._intake.keep(asked.pop(), is_asked=False)
            asked.append(inbound)
        kept = [await self._intake.keep(each, is_asked=True) for each in asked]
        for conversation in {each.conversation for each in kept if each.conversation}:
            await self._intake.queue.wake(conversation)
