"""The one road on which anything is forgotten."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from bot import wording
from bot.closing import Closing
from bot.lease import Clock
from bot.platform import Removed
from bot.queue import Queue
from bot.settings import Timing
from memory import erase, erasures, forgettable, participant, turns, unnoted
from memory.database import Database, T, Work
from memory.erase import Forgotten
from memory.erasures import Erasure as Erasing
from memory.errors import DatabaseFullError, StorageError, UnknownConversationError
from memory.keys import Digests, PersonKey, PlaceKey
from memory.participant import Part
from memory.workspaces import DAY, Windows

_REST = 50  # times as long as an emptying took
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Gone:
    """What a forget took away, in numbers; `parts`: so many conversations of others a person's
    part went from."""

    conversations: int = 0
    turns: int = 0
    messages: int = 0
    parts: int = 0

    def __bool__(self) -> bool:
        return self != Gone()

    def __add__(self, other: Gone) -> Gone:
        return Gone(
            self.conversations + other.conversations,
            self.turns + other.turns,
            self.messages + other.messages,
            self.parts + other.parts,
        )

    @classmethod
    def of(cls, forgotten: Forgotten) -> Gone:
        return cls(1, forgotten.turns, forgotten.messages)

    @classmethod
    def of_part(cls, part: Part) -> Gone:
        return cls(turns=part.turns, messages=part.messages, parts=int(part.messages > 0))


@dataclass(frozen=True, slots=True)
class Erasure:
    """A watermark stands at least as long as the longest window."""

    database: Database
    queue: Queue
    digests: Digests
    timing: Timing
    clock: Clock
    windows: Windows
    closing: Closing
    log_is_full: asyncio.Event = field(default_factory=asyncio.Event)

    async def forget_place(
        self, place: PlaceKey, *, said_before: int, owner: PersonKey | None = None
    ) -> Gone:
        """Forget all conversations of a place, or all that `owner` began there, each in a
        transaction of its own."""
        gone = await self._forget_place(place, said_before, owner)
        await self.empty_log()
        return gone

    async def forget_removed(self, removed: Removed) -> Gone:
        """Forget all that was said where nobody can say anything more, also in threads."""
        channel, thread = removed.channel, removed.thread
        places = await self.database.read(
            lambda tx: forgettable.find_places(
                tx, removed.platform, removed.workspace, channel=channel, thread=thread
            )
        )
        gone = Gone()
        for place in places:
            gone += await self._forget_place(place, removed.at)
        await self.database.write(
            lambda tx: unnoted.forget_removed(
                tx, removed.platform, removed.workspace, channel=thread or channel
            )
        )
        await self.empty_log()
        return gone

    async def forget_conversation(self, conversation: str, *, said_before: int) -> Gone:
        """Raise UnknownConversationError."""
        gone = Gone.of(await self._forget(conversation, said_before))
        await self.empty_log()
        return gone

    async def forget_part(
        self, place: PlaceKey, person: PersonKey, conversations: Sequence[str], *, said_before: int
    ) -> Gone:
        """Forget what a person said in conversations of others, and what they asked there; and
        read nothing of it again in the place, if nothing is known of it now."""
        gone = Gone()
        await self._write_on_a_full_disk(
            lambda tx: participant.mark(
                tx, person, place, digests=self.digests, said_before=said_before, kept=self.kept
            )
        )
        for conversation in conversations:
            gone += await self._forget_part(conversation, person, said_before)
        await self.empty_log()
        return gone

    async def forget_person(self, erasure: Erasing) -> Gone:
        """One look at all that is kept of a person: what is found goes."""
        person, said_before = erasure.person, erasure.said_before
        found = await self.database.read(
            lambda tx: forgettable.find_own(tx, person, said_before=said_before)
        )
        gone = Gone()
        for own in found:
            with suppress(UnknownConversationError):  # another forget was faster
                gone += Gone.of(await self._forget(own.id, said_before))
        for part in await self.database.read(
            lambda tx: forgettable.find_parts(tx, person, said_before=said_before)
        ):
            gone += await self._forget_part(part.id, person, said_before)
        await self.database.write(lambda tx: erasures.delete_about(tx, erasure))
        await self.empty_log()
        return gone

    async def empty_log(self) -> bool:
        """Empty the write-ahead log, where erased text may still stand; False: it must be tried
        again, see `keep_emptying`."""
        was_told = self.log_is_full.is_set()
        self.log_is_full.clear()  # what is deleted from now on has to be emptied again
        try:
            is_empty = await self.database.truncate_log()
            # What such a turn takes along is erased only when its worker has closed it.
            is_empty = is_empty and not await self.database.read(turns.is_any_closing)
        except StorageError as error:
            if not was_told:
                _log.warning("Could not empty the log: %s", error, extra={"action": "log.kept"})
            is_empty = False
        if not is_empty:
            self.log_is_full.set()
        return is_empty

    def empty_soon(self) -> None:
        """A message was deleted or changed: what it said goes from the files with the next sweep,
        together with that of others."""
        self.log_is_full.set()

    async def keep_emptying(self) -> None:
        """Every sweep, while the log could not be emptied; until cancelled. It rests far longer
        than it took, however often somebody deletes and edits."""
        while True:
            await self.log_is_full.wait()
            await asyncio.sleep(self.timing.sweep / 1000)
            began = self.clock()
            await self.empty_log()
            await asyncio.sleep(_REST * (self.clock() - began) / 1000)

    @property
    def kept(self) -> int:
        """For how long (ms) a watermark stands."""
        return max(self.windows.days * DAY, erase.FORGOTTEN_KEPT)

    async def _forget_place(
        self, place: PlaceKey, said_before: int, owner: PersonKey | None = None
    ) -> Gone:
        gone = Gone()
        for conversation in await self._write_on_a_full_disk(
            lambda tx: erase.begin_forgetting(
                tx,
                place,
                digests=self.digests,
                said_before=said_before,
                kept=self.kept,
                owner=owner,
            )
        ):
            with suppress(UnknownConversationError):  # another forget was faster
                gone += Gone.of(await self._forget(conversation, said_before))
        return gone

    async def _forget_part(self, conversation: str, person: PersonKey, said_before: int) -> Gone:
        try:
            part = await self._write_on_a_full_disk(
                lambda tx: participant.erase(
                    tx,
                    conversation,
                    person,
                    digests=self.digests,
                    said_before=said_before,
                    kept=self.kept,
                )
            )
        except UnknownConversationError:  # it went as a whole meanwhile
            return Gone()
        if part.open_turn is not None or part.is_rung:
            await self.queue.interrupt(conversation)
        if part.open_turn is not None:
            if part.open_turn.lease_left == 0:
                self.closing.begin(part.place, part.open_turn, wording.QUESTION_FORGOTTEN)
            await self.queue.wake(conversation)  # others may have waited for their turn
        return Gone.of_part(part)

    async def _forget(self, conversation: str, said_before: int) -> Forgotten:
        forgotten = await self._write_on_a_full_disk(
            lambda tx: erase.forget_conversation(
                tx, conversation, digests=self.digests, said_before=said_before, kept=self.kept
            )
        )
        await self.queue.interrupt(conversation)
        if forgotten.open_turn is not None and forgotten.open_turn.lease_left == 0:
            self.closing.begin(forgotten.place, forgotten.open_turn, wording.FORGOTTEN)
        if forgotten.moved_to is not None:
            await self.queue.wake(forgotten.moved_to)
        return forgotten

    async def _write_on_a_full_disk(self, work: Work[T]) -> T:
        """An emptied log is room: what must be forgotten can be, when nobody reads."""
        try:
            return await self.database.write(work)
        except DatabaseFullError as full:
            try:
                await self.database.truncate_log()
            except StorageError:
                raise full from None
        return await self.database.write(work)
