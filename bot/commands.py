"""What the words do that are commands, the same on every platform."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot import wording
from bot.context import ContextBuilder
from bot.delivery import NOWHERE
from bot.erasure import Erasure, Gone
from bot.errors import DeliveryError
from bot.export import Export
from bot.helping import help_text, unmuted
from bot.platform import Address, Answer, Inbound, Outlet
from bot.queue import Queue
from bot.rules import Rules
from memory import conversations, forgettable, holds, usage
from memory.database import Database, Transaction
from memory.forgettable import Forgettable
from memory.keys import Digests, PersonKey, PlaceKey, Surface
from memory.usage import Allowance
from memory.workspaces import DAY

WORDS = frozenset({"forget", "new", "stop", "mute", "unmute", "status", "export", "help"})
OF_ONE_PLACE = WORDS - {"forget", "export", "help"}
"""Those that mean one conversation."""

_ALL = 2**62  # before this turn's number: all turns
_LATER = ("memory", "forget me")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who said a command, where, and when by the platform's clock (UTC ms). The place of a command
    that was said in a channel and in none of its threads has no thread."""

    person: PersonKey
    place: PlaceKey
    surface: Surface
    said_at: int
    address: Address = field(default_factory=dict)

    @classmethod
    def of(cls, said: Inbound) -> Caller:
        return cls(said.person, said.place, said.surface, said.said_at, said.address)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a forget would take away: in these places all, or only what `owner` began."""

    places: tuple[PlaceKey, ...]
    owner: PersonKey | None
    gone: Gone

    @property
    def asks(self) -> bool:
        """Whether a person should confirm it, where that can be asked."""
        return self.gone.conversations > 1


def word_in(text: str) -> str | None:
    """The command, when it is all there is."""
    word = " ".join(text.lower().strip(" \n\t.!/").split())
    return word if word in WORDS or word in _LATER else None


@dataclass(frozen=True, slots=True)
class Commands:
    """`operators` may do everywhere what administrators may do."""

    database: Database
    queue: Queue
    erasure: Erasure
    contexts: ContextBuilder
    rules: Rules
    model: str
    outlets: Mapping[str, Outlet]
    digests: Digests
    allowance: Allowance
    operators: frozenset[str] = frozenset()

    async def run(self, words: str, caller: Caller) -> str:
        """Do what the words say; the text that tells so."""
        match words:
            case "forget":
                told = await self.forget(caller)
            case "new":
                told = await self.new(caller)
            case "stop":
                told = (
                    wording.STOPPING
                    if await self.stop(caller)
                    else wording.nothing_to_stop(caller.place.platform)
                )
            case "mute" | "unmute":
                told = await self.mute(caller, muted=words == "mute")
            case "status":
                told = await self.status(caller)
            case "export":
                told = wording.EXPORT_IN_TERMINAL
            case "help":
                platform = caller.place.platform
                kept = await self.database.read(lambda tx: self._kept(tx, caller.place))
                told = help_text(self.rules, self.contexts.offered, kept, platform)
            case _:
                told = wording.unknown_command(words, _LATER)
        return told

    async def forget(self, caller: Caller) -> str:
        """Without asking back."""
        plan = await self.plan_forget(caller)
        return wording.MAY_NOT_FORGET if plan is None else await self.carry_out(plan, caller)

    async def plan_forget(self, caller: Caller) -> Plan | None:
        """What the caller's forget would take away; None: what is there is not theirs."""
        is_direct, is_channel = caller.surface == "direct", not caller.place.thread
        found = await self.database.read(
            lambda tx: forgettable.find_forgettable(
                tx, caller.place, in_channel=is_direct or is_channel, said_before=caller.said_at
            )
        )
        if is_direct or caller.surface == "terminal":
            return _plan(caller.place, found)
        theirs = [each for each in found if each.owner == caller.person]
        if is_channel:
            return _plan(None, theirs, caller.person)
        if len(theirs) == len(found) or await self._is_administrator(caller):
            return _plan(caller.place, found)
        return _plan(caller.place, theirs, caller.person) if theirs else None

    async def carry_out(self, plan: Plan, caller: Caller) -> str:
        gone = Gone()
        for place in plan.places:
            gone += await self.erasure.forget_place(
                place, said_before=caller.said_at, owner=plan.owner
            )
        told = wording.forgotten(
            gone.conversations, gone.turns, gone.messages, caller.place.platform
        )
        is_thread = caller.surface in {"private", "public"} and caller.place.thread
        return f"{told} {wording.IN_CHANNEL}" if is_thread and not gone.messages else told

    async def answer(self, words: str, caller: Caller) -> Answer:
        """Where the platform can show it to the caller alone: what `run` tells, or files."""
        if words != "export":
            return Answer(await self.run(words, caller))
        export = Export(self.database)
        if not await export.is_any(caller.person):
            return Answer(wording.NOTHING_KEPT)
        return Answer(wording.EXPORTED, files=export.files(caller.person))

    async def new(self, caller: Caller) -> str:
        await self.database.write(
            lambda tx: conversations.start_new(
                tx, caller.place, surface=caller.surface, owner=caller.person
            )
        )
        return wording.NEW

    async def stop(self, caller: Caller) -> bool:
        """False: nothing runs."""
        conversation = await self.database.write(lambda tx: holds.wish_to_stop(tx, caller.place))
        if conversation is not None:
            await self.queue.interrupt(conversation)
        return conversation is not None

    async def mute(self, caller: Caller, *, muted: bool) -> str:
        if caller.surface in {"direct", "terminal"}:
            return wording.ALWAYS_ANSWERED
        is_there = await self.database.write(
            lambda tx: conversations.mute(tx, caller.place, muted=muted, said_at=caller.said_at)
        )
        if not is_there:
            return wording.NO_CONVERSATION
        return wording.MUTED if muted else unmuted(self.rules)

    async def status(self, caller: Caller) -> str:
        return await self.database.read(lambda tx: self._status(tx, caller))

    async def _is_administrator(self, caller: Caller) -> bool:
        if caller.person.user in self.operators:
            return True
        outlet = self.outlets.get(caller.place.platform, NOWHERE)
        try:
            return await outlet.is_administrator(caller.address, caller.person)
        except DeliveryError as error:
            _log.warning("Could not ask: %s", error, extra={"action": "command.unknown_rights"})
            return False

    async def _status(self, tx: Transaction, caller: Caller) -> str:
        used = await usage.read(tx, self.digests.payer(caller.person))
        left = wording.left_today(self.allowance.on(caller.place.platform).left(used))
        found = await conversations.find_current(tx, caller.place)
        if found is None:
            return f"{wording.NO_CONVERSATION}\n{left}"
        current = await conversations.get(tx, found)
        now = await tx.now()
        context = await self.contexts.build(tx, found, (), _ALL, now)
        expires = current.active_at + DAY * await self._kept(tx, caller.place)
        deleted = datetime.fromtimestamp(max(now, expires) / 1000, UTC)  # retention may be late
        return wording.status_text(
            conversation=found,
            model=self.model,
            turns=(await conversations.read_standing(tx, found)).turns,
            characters=context.characters,
            budget=self.contexts.budget,
            deleted_on=f"{deleted:%d %B %Y}".lstrip("0"),
            left=left,
        )

    async def _kept(self, tx: Transaction, place: PlaceKey) -> int:
        """For how many days after its last message a conversation of the place is kept."""
        return await self.erasure.windows.of(tx, place.platform, place.workspace)


def _plan(place: PlaceKey | None, found: list[Forgettable], owner: PersonKey | None = None) -> Plan:
    """Also a place without a conversation is forgotten: nothing earlier is read there."""
    places = dict.fromkeys([each.place for each in found] + ([place] if place else []))
    gone = Gone(len(found), sum(each.turns for each in found), sum(each.messages for each in found))
    return Plan(tuple(places), owner, gone)
