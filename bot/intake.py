"""Accept: is it for us, is it new; write it down, wake the conversation; only then the platform is
told."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from bot import wording
from bot.caller import Caller
from bot.commands import FORGETS, Commands, word_in
from bot.erasure import Erasure
from bot.platform import Accepted, Deleted, Edited, Event, Inbound, Present, Removed
from bot.queue import Queue
from bot.removal import forget_gone
from bot.rules import Rules, is_addressed
from bot.settings import Limits, Timing
from memory import changes, conversations, follow, inbox, unanswered
from memory.changes import Changed
from memory.database import Database, Transaction
from memory.errors import NotForUsError, SaidBeforeForgetError
from memory.follow import Standing
from memory.inbox import Arrival, Verdict
from memory.keys import Digests
from memory.messages import user
from memory.text import clean
from memory.usage import Allowance, Refused

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Intake:
    database: Database
    queue: Queue
    digests: Digests
    limits: Limits
    timing: Timing
    rules: Rules
    commands: Commands
    erasure: Erasure
    allowance: Allowance
    _forgetting: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def accept(self, event: Event) -> Accepted:
        """Raise when it could not be written down: then nothing may be acknowledged."""
        if isinstance(event, Removed | Present):  # takes as long as there is something to remove
            gone = await forget_gone(self.erasure, event)
            return Accepted("done" if gone.conversations else "ignored")
        async with asyncio.timeout(self.timing.accept / 1000):
            match event:
                case Inbound():
                    return await self._hear(await self._joined(event))
                case Edited():
                    joined = await self._joined(event.message)
                    return await self._edit(replace(event, message=joined))
                case _:
                    return await self._delete(event)

    async def is_question(self, inbound: Inbound) -> bool:
        """Whether a message that nobody has told us of would be answered."""
        inbound, glance = await self._joined(inbound), self.rules.glance(inbound)
        is_command = word_in(inbound.text) is not None
        if glance in {"ignored", "refused"} or inbound.hidden or is_command:
            return False
        said = self.digests.said(inbound.place, inbound.message_id)

        async def look(tx: Transaction) -> bool:
            is_known = await inbox.was_said(tx, said) or await inbox.is_forgotten(
                tx, inbound.place, inbound.person, self.digests, said_at=inbound.said_at
            )
            return not is_known and await self._means_us(tx, inbound)

        return await self.database.read(look)

    async def keep(self, inbound: Inbound, *, is_asked: bool) -> Accepted:
        """Write a question down that comes too late: as one that nobody is rung for, or as
        something that was said."""
        return await self._write_down(
            await self._joined(inbound),
            edited_at=None,
            judge=None if is_asked else self._overheard,
            rings=False,
        )

    def _overheard(self, standing: Standing) -> Verdict:
        if standing.muted:
            return "ignored"
        return "observed" if self.rules.observe else "noted"

    async def _joined(self, inbound: Inbound) -> Inbound:
        """A reply to an answer of ours belongs where the answer does."""
        if not (inbound.replied and inbound.replies_to == "us"):
            return inbound
        found = await self.database.read(
            lambda tx: unanswered.find_answered(
                tx, inbound.place, inbound.replied, turn=inbound.replied_turn
            )
        )
        return replace(inbound, place=found or inbound.place)

    async def _edit(self, edited: Edited) -> Accepted:
        """An edit of what was never told of stands for the message, which may come in between."""
        inbound, glance = edited.message, self.rules.glance(edited.message)
        if glance == "ignored":
            return Accepted("ignored")
        text = wording.UNREADABLE if inbound.hidden else inbound.text
        arrival = replace(self._arrive(replace(inbound, text=text))[0], edited_at=edited.edited_at)
        accepted = Accepted("repeated")
        while accepted.how == "repeated":
            changed = await self.database.write(
                lambda tx: changes.edit(tx, arrival, self.digests, calls=glance == "addressed")
            )
            if changed is not None:
                return await self._ring(changed)
            accepted = await self._hear(inbound, edited_at=edited.edited_at)
        return accepted

    async def _delete(self, deleted: Deleted) -> Accepted:
        return await self._ring(
            await self.database.write(
                lambda tx: changes.delete(tx, deleted.place, deleted.message_id, self.digests)
            )
        )

    async def _ring(self, changed: Sequence[Changed]) -> Accepted:
        if changed:
            self.erasure.empty_soon()
        for each in changed:
            if each.rings == "wake":
                await self.queue.wake(each.conversation)
            elif each.rings == "interrupt":
                await self.queue.interrupt(each.conversation)
        return Accepted("done" if changed else "repeated")

    async def _hear(self, inbound: Inbound, *, edited_at: int | None = None) -> Accepted:
        match self.rules.glance(inbound):
            case "ignored":
                return Accepted("ignored")
            case "refused":
                is_forget = word_in(inbound.text) in FORGETS  # whoever it is may take words back
                told = await self._obey(inbound) if is_forget else None
                return told or await self._refuse(inbound)
            case _ if inbound.hidden:
                return await self._miss(inbound)
            case "addressed":
                told = await self._obey(inbound)
                return told or await self._write_down(inbound, edited_at=edited_at)
            case _:  # overheard
                return await self._overhear(inbound, edited_at=edited_at)

    async def _obey(self, inbound: Inbound) -> Accepted | None:
        """Do what is said, if it is a command; None: it is none."""
        word, caller = word_in(inbound.text), Caller.of(inbound)
        if inbound.surface == "terminal" or word is None:
            return None
        if not inbound.mentions_us:
            is_stop = word == "stop" and await self.commands.stop(caller)
            return Accepted("done", notice=wording.STOPPING) if is_stop else None
        said = self.digests.said(inbound.place, inbound.message_id)
        if word in FORGETS:
            return await self._forget(word, said, caller)
        if not await self.database.write(lambda tx: inbox.mark(tx, said)):
            return Accepted("repeated")
        answer = await self.commands.answer(word, caller)
        return Accepted("done", notice=answer.text, files=answer.files, alone=answer.alone)

    async def _forget(self, word: str, said: str, caller: Caller) -> Accepted:
        """Its effect must not be lost, so it is marked as done only afterwards. One at a time:
        the twin of an event would find nothing, and say so."""
        async with self._forgetting:
            if await self.database.read(lambda tx: inbox.was_said(tx, said)):
                return Accepted("repeated")
            accepted = await self.commands.forget(word, caller)
            await self.database.write(lambda tx: inbox.mark(tx, said))
        return accepted

    async def _refuse(self, inbound: Inbound) -> Accepted:
        """Say why once, and not again for a while."""
        return Accepted("refused", notice=await self._once("refused", inbound, wording.REFUSED))

    async def _miss(self, inbound: Inbound) -> Accepted:
        """Of what may not be read nothing is kept; who meant us is told once how to be heard."""
        if not await self.database.read(lambda tx: self._means_us(tx, inbound)):
            return Accepted("ignored")
        return Accepted("ignored", notice=await self._once("hidden", inbound, wording.HIDDEN))

    async def _means_us(self, tx: Transaction, inbound: Inbound) -> bool:
        if is_addressed(inbound):
            return True
        found = await conversations.find_current(tx, inbound.place)
        if found is None:
            return False
        standing = await follow.read_standing(tx, found, inbound.person)
        return self.rules.judge(inbound, standing) == "waiting"

    async def _once(self, what: str, inbound: Inbound, notice: str) -> str:
        key = self.digests.told(what, inbound.person)
        return notice if await self.database.write(lambda tx: inbox.tell_once(tx, key)) else ""

    async def _overhear(self, inbound: Inbound, *, edited_at: int | None) -> Accepted:
        """What is said where nobody asks us is not even written for a moment."""
        if not await self.database.read(lambda tx: follow.is_overheard(tx, inbound.place)):
            return Accepted("ignored")
        return await self._write_down(
            inbound,
            edited_at=edited_at,
            judge=lambda standing: self.rules.judge(inbound, standing),
        )

    async def _write_down(
        self,
        inbound: Inbound,
        *,
        edited_at: int | None,
        judge: Callable[[Standing], Verdict] | None = None,
        rings: bool = True,
    ) -> Accepted:
        arrived, cut = self._arrive(inbound)
        arrival = replace(arrived, edited_at=edited_at)
        windows, allowance = self.erasure.windows, self.allowance.on(inbound.place.platform)
        try:
            accepted = await self.database.write(
                lambda tx: inbox.accept(
                    tx, arrival, self.digests, judge, windows=windows, allowance=allowance
                )
            )
        except SaidBeforeForgetError:
            return Accepted("forgotten")
        except NotForUsError:
            return Accepted("ignored")
        if accepted is None:
            await self._ring_again(inbound.message_id)
            return Accepted("repeated")
        if rings and accepted.how == "waiting":
            await self.queue.wake(accepted.conversation)
            if accepted.changed:
                await self.queue.interrupt(accepted.conversation)
        return _told(accepted, cut)

    async def _ring_again(self, message_id: str) -> None:
        """Who wrote it down may have been cut off before they rang."""
        found = await self.database.read(lambda tx: unanswered.find_message(tx, message_id))
        for conversation in found:
            await self.queue.wake(conversation)
            await self.queue.interrupt(conversation)

    def _arrive(self, inbound: Inbound) -> tuple[Arrival, int]:
        """The message as it is stored, and how many characters were left out of it."""
        text, cut = self._shortened(clean(inbound.text))
        arrival = Arrival(
            place=inbound.place,
            surface=inbound.surface,
            author=inbound.person,
            author_name=clean(inbound.name),
            message_id=inbound.message_id,
            sent_order=inbound.sent_order,
            said_at=inbound.said_at,
            address=json.dumps(dict(inbound.address)),
            message=user(text),
            parent=inbound.parent,
        )
        return arrival, cut

    def _shortened(self, text: str) -> tuple[str, int]:
        most = self.limits.question_characters
        if len(text) <= most:
            return text, 0
        cut = len(text) - most
        return f"{text[:most]}\n\n{wording.left_out(cut)}", cut


def _told(accepted: inbox.Accepted, cut: int) -> Accepted:
    match accepted.how:
        case "waiting":
            notice = wording.left_out(cut) if cut else ""
            return Accepted("waiting", accepted.conversation, notice)
        case "observed":
            return Accepted("observed", accepted.conversation)
        case "noted":
            return Accepted("ignored")
        case "refused":
            return _turned_away(accepted.refused)
        case _:  # too many
            return Accepted("refused", notice=wording.TOO_MANY)


def _turned_away(refused: Refused | None) -> Accepted:
    """Say why, once."""
    if refused is None or not refused.is_news:
        return Accepted("refused")
    if refused.why == "total":
        _log.warning(
            "All that may be used today is used up: NIMBUS_TOTAL_TOKENS_PER_DAY.",
            extra={"action": "limits.total"},
        )
    return Accepted("refused", notice=wording.LIMITED[refused.why])
