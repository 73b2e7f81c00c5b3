"""What the words do that are commands, the same on every platform."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from bot import wording
from bot.context import ContextBuilder
from bot.erasure import Erasure
from bot.queue import Queue
from memory import conversations, holds
from memory.database import Database, Transaction
from memory.keys import PersonKey, PlaceKey, Surface

WORDS = frozenset({"forget", "new", "stop", "status", "help"})
_ALL = 2**62  # before this turn's number: all turns
_DAY = 24 * 60 * 60 * 1000  # ms
_LATER = ("memory", "export", "mute", "unmute")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who said a command, where, and when by the platform's clock (UTC ms)."""

    person: PersonKey
    place: PlaceKey
    surface: Surface
    said_at: int


@dataclass(frozen=True, slots=True)
class Commands:
    database: Database
    queue: Queue
    erasure: Erasure
    contexts: ContextBuilder
    name: str
    model: str
    retention_days: int

    async def run(self, words: str, caller: Caller) -> str:
        """Do what the words say; the text that tells so."""
        match words:
            case "forget":
                return await self.forget(caller)
            case "new":
                return await self.new(caller)
            case "stop":
                return await self.stop(caller)
            case "status":
                return await self.status(caller)
            case "help":
                tools = [spec.name for spec in self.contexts.tools]
                platform = caller.place.platform
                return wording.help_text(self.name, tools, self.retention_days, platform)
            case _:
                return wording.unknown_command(words, _LATER)

    async def forget(self, caller: Caller) -> str:
        gone = await self.erasure.forget_place(caller.place, said_before=caller.said_at)
        return wording.forgotten(
            gone.conversations, gone.turns, gone.messages, caller.place.platform
        )

    async def new(self, caller: Caller) -> str:
        await self.database.write(
            lambda tx: conversations.start_new(
                tx, caller.place, surface=caller.surface, owner=caller.person
            )
        )
        return wording.NEW

    async def stop(self, caller: Caller) -> str:
        conversation = await self.database.write(lambda tx: holds.wish_to_stop(tx, caller.place))
        if conversation is None:
            return wording.nothing_to_stop(caller.place.platform)
        await self.queue.interrupt(conversation)
        return wording.STOPPING

    async def status(self, caller: Caller) -> str:
        return await self.database.read(lambda tx: self._status(tx, caller.place))

    async def _status(self, tx: Transaction, place: PlaceKey) -> str:
        found = await conversations.find_current(tx, place)
        if found is None:
            return wording.NO_CONVERSATION
        current = await conversations.get(tx, found)
        now = await tx.now()
        context = await self.contexts.build(tx, found, (), _ALL, now)
        expires = current.active_at + self.retention_days * _DAY
        deleted = datetime.fromtimestamp(max(now, expires) / 1000, UTC)  # retention may be late
        return wording.status_text(
            conversation=found,
            model=self.model,
            turns=(await conversations.read_standing(tx, found)).turns,
            characters=context.characters,
            budget=self.contexts.budget,
            deleted_on=f"{deleted:%d %B %Y}".lstrip("0"),
        )
