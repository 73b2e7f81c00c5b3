"""What the words do that are commands, the same on every platform."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from bot import wording
from bot.caller import Caller
from bot.context import ContextBuilder
from bot.erasure import Erasure
from bot.export import Export
from bot.forgetting import Forgetting
from bot.helping import help_text, unmuted
from bot.noting import MEMORY, Noting, is_of_memory
from bot.platform import Accepted, Answer
from bot.queue import Queue
from bot.rules import Rules
from memory import conversations, holds, reports, usage
from memory.database import Database, Transaction
from memory.keys import Digests, PlaceKey
from memory.usage import Allowance
from memory.workspaces import DAY

FORGET_ME = "forget me"
WORDS = frozenset(
    {"forget", FORGET_ME, "new", "stop", "mute", "unmute", "status", "export", "help", MEMORY}
)
FORGETS = frozenset({"forget", FORGET_ME})
"""Those whose effect must not be lost."""

OF_ONE_PLACE = WORDS - FORGETS - {"export", "help", MEMORY}
"""Those that mean one conversation."""

_ALL = 2**62  # before this turn's number: all turns


def word_in(text: str) -> str | None:
    """The command, when it is all there is."""
    word = " ".join(text.lower().strip(" \n\t.!/").split()).replace("forget-me", FORGET_ME)
    return word if word in WORDS or is_of_memory(word) else None


@dataclass(frozen=True, slots=True)
class Commands:
    database: Database
    queue: Queue
    erasure: Erasure
    forgetting: Forgetting
    contexts: ContextBuilder
    rules: Rules
    model: str
    digests: Digests
    allowance: Allowance

    async def run(self, words: str, caller: Caller) -> str:
        """Do what the words say; the text that tells so."""
        if words.startswith(MEMORY):
            noting = Noting(self.database, self.erasure, makes_notes=self.contexts.notes)
            return await noting.run(words, caller.person)
        return await self._run(words, caller)

    async def _run(self, words: str, caller: Caller) -> str:
        match words:
            case "forget" | "forget me":
                told = await (await self.forget(words, caller)).tell()
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
                told = wording.unknown_command(words)
        return told

    async def forget(self, words: str, caller: Caller) -> Accepted:
        """Without asking back."""
        if words == FORGET_ME:
            return Accepted("done", then=await self.forgetting.begin(caller))
        plan = await self.forgetting.plan(caller)
        return Accepted("done", notice=await self.forgetting.carry_out(plan, caller))

    async def answer(self, words: str, caller: Caller) -> Answer:
        """Where the platform can show it to the caller alone: what `run` tells, or files."""
        if words != "export":
            return Answer(await self.run(words, caller), alone=is_of_memory(words))
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
            cached=(await reports.read_sent(tx, found)).cached_percent,
        )

    async def _kept(self, tx: Transaction, place: PlaceKey) -> int:
        """For how many days after its last message a conversation of the place is kept."""
        return await self.erasure.windows.of(tx, place.platform, place.workspace)
