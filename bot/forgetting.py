"""What a `forget` means for who gives it, and a `forget me` until it is done."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot import confirming, wording
from bot.caller import Caller
from bot.delivery import NOWHERE
from bot.erasure import Erasure, Gone
from bot.errors import DeliveryError
from bot.platform import Outlet
from bot.told import Then
from memory import erasures, forgettable
from memory.database import Database, Transaction
from memory.erasures import Erasure as Erasing
from memory.errors import StorageError
from memory.forgettable import Forgettable
from memory.keys import PersonKey, PlaceKey

_CLOCKS_ROUND = 0.02  # seconds

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a forget would take away: in these places all, or only what `owner` began; and the
    caller's `parts` in what others began."""

    gone: Gone
    places: tuple[PlaceKey, ...] = ()
    owner: PersonKey | None = None
    parts: tuple[Forgettable, ...] = ()
    is_everything: bool = False  # all that is kept of a person, wherever it is

    @property
    def asks(self) -> bool:
        """Whether a person should confirm it, where that can be asked."""
        return self.is_everything or self.gone.conversations + self.gone.parts > 1

    @property
    def question(self) -> str:
        return confirming.sure_to_forget(_told(self.gone), is_everything=self.is_everything)


@dataclass(frozen=True, slots=True)
class Forgetting:
    """`operators` may do everywhere what administrators may do."""

    database: Database
    erasure: Erasure
    outlets: Mapping[str, Outlet]
    operators: frozenset[str] = frozenset()
    _awaited: dict[PersonKey, float] = field(default_factory=dict)
    """Whose `forget me` is being carried out here for somebody who waits to hear what went, and
    until when (the loop's time) it is left to that."""

    async def plan(self, caller: Caller) -> Plan:
        """What the caller's forget would take away where it is given."""
        is_direct, is_channel = caller.surface == "direct", not caller.place.thread
        found = await self.database.read(
            lambda tx: forgettable.find_forgettable(
                tx, caller.place, in_channel=is_direct or is_channel, said_before=caller.said_at
            )
        )
        if is_direct or caller.surface == "terminal":
            return _plan(found, caller.place)
        theirs = [each for each in found if each.owner == caller.person]
        if not is_channel and (len(theirs) == len(found) or await self._is_administrator(caller)):
            return _plan(found, caller.place)
        parts = await self.database.read(
            lambda tx: forgettable.find_parts(
                tx, caller.person, caller.place, in_channel=is_channel, said_before=caller.said_at
            )
        )
        return _plan(theirs, owner=caller.person, parts=parts)

    async def carry_out(self, plan: Plan, caller: Caller) -> str:
        gone = Gone()
        for place in plan.places:
            gone += await self.erasure.forget_place(
                place, said_before=caller.said_at, owner=plan.owner
            )
        if plan.owner is not None:
            gone += await self._forget_parts(plan, caller)
        told = confirmed(gone, caller)
        is_thread = caller.surface in {"private", "public"} and caller.place.thread
        if not is_thread or gone.messages:
            return told
        if plan.owner is not None and not gone:
            return wording.MAY_NOT_FORGET
        return f"{told} {wording.IN_CHANNEL}"

    async def plan_everything(self, caller: Caller) -> Plan:
        """What the caller's `forget me` would take away."""

        async def work(tx: Transaction) -> Plan:
            person, said_before = caller.person, caller.said_at
            own = await forgettable.find_own(tx, person, said_before=said_before)
            parts = await forgettable.find_parts(tx, person, said_before=said_before)
            return Plan(_gone(own, parts), is_everything=True)

        return await self.database.read(work)

    async def begin(self, caller: Caller) -> Then:
        """Commit a `forget me`: it will be carried out, whoever dies. What is returned does it, as
        far as that goes while somebody waits, and tells how far it has come."""
        left_until = asyncio.get_running_loop().time() + 2 * self.erasure.timing.patience / 1000
        self._awaited[caller.person] = left_until
        begun = await self.database.write(
            lambda tx: erasures.begin(
                tx,
                caller.person,
                digests=self.erasure.digests,
                said_before=caller.said_at,
                kept=self.erasure.kept,
            )
        )

        async def then() -> str:
            try:
                gone, is_done = await self._finish(begun)
            finally:
                self._awaited.pop(caller.person, None)
            return confirmed(gone, caller, is_done=is_done, is_everything=True)

        return then

    async def keep_finishing(self) -> None:
        """Carry out what was begun, by whomever, every sweep; until cancelled. What is new may have
        somebody who waits for it, and is left alone until the next sweep."""
        known: set[Erasing] = set()
        while True:
            try:
                found = await self.database.read(erasures.find)
                for begun in found:
                    if begun in known and not self._is_awaited(begun):
                        await self._look(begun)
                known = set(found)
            except StorageError as error:
                _log.debug("Could not go on: %s", error, extra={"action": "forgetting.failed"})
            await asyncio.sleep(self.erasure.timing.sweep / 1000)

    def _is_awaited(self, begun: Erasing) -> bool:
        now = asyncio.get_running_loop().time()
        return self._awaited.get(begun.person, now) > now

    async def _finish(self, begun: Erasing) -> tuple[Gone, bool]:
        timing, loop = self.erasure.timing, asyncio.get_running_loop()
        until, gone = loop.time() + timing.patience / 1000, Gone()
        while True:
            found, is_done = await self._look(begun)
            gone += found
            pause = 0 if found else timing.apart / 1000 + _CLOCKS_ROUND
            if is_done or loop.time() + pause > until:
                return gone, is_done
            await asyncio.sleep(pause)

    async def _look(self, begun: Erasing) -> tuple[Gone, bool]:
        """What went at this look, and whether it was the last one."""
        began = await self.database.read(lambda tx: tx.now())
        gone = await self.erasure.forget_person(begun)
        is_done = await self.database.write(
            lambda tx: erasures.note_look(
                tx, begun, began=began, found=bool(gone), apart=self.erasure.timing.apart
            )
        )
        return gone, is_done

    async def _forget_parts(self, plan: Plan, caller: Caller) -> Gone:
        """Where nothing is known of the caller, nothing that they said is read later, either."""
        by_place: dict[PlaceKey, list[str]] = {caller.place: []} if caller.place.thread else {}
        for part in plan.parts:
            by_place.setdefault(part.place, []).append(part.id)
        gone = Gone()
        for place, conversations in by_place.items():
            gone += await self.erasure.forget_part(
                place, caller.person, conversations, said_before=caller.said_at
            )
        return gone

    async def _is_administrator(self, caller: Caller) -> bool:
        if caller.person.user in self.operators:
            return True
        outlet = self.outlets.get(caller.place.platform, NOWHERE)
        try:
            return await outlet.is_administrator(caller.address, caller.person)
        except DeliveryError as error:
            _log.warning("Could not ask: %s", error, extra={"action": "command.unknown_rights"})
            return False


def confirmed(
    gone: Gone, caller: Caller, *, is_done: bool = True, is_everything: bool = False
) -> str:
    return confirming.forgotten(
        _told(gone),
        caller.place.platform,
        has_parts=gone.parts > 0,
        is_done=is_done,
        is_everything=is_everything,
    )


def _told(gone: Gone) -> str:
    return confirming.gone(gone.conversations, gone.parts, gone.turns, gone.messages)


def _plan(
    found: Sequence[Forgettable],
    place: PlaceKey | None = None,
    *,
    owner: PersonKey | None = None,
    parts: Sequence[Forgettable] = (),
) -> Plan:
    """Also a place without a conversation is forgotten: nothing earlier is read there."""
    places = dict.fromkeys([each.place for each in found] + ([place] if place else []))
    return Plan(_gone(found, parts), tuple(places), owner, tuple(parts))


def _gone(whole: Sequence[Forgettable], parts: Sequence[Forgettable]) -> Gone:
    return Gone(
        len(whole),
        sum(each.turns for each in (*whole, *parts)),
        sum(each.messages for each in (*whole, *parts)),
        sum(each.messages > 0 for each in parts),
    )
