"""All that must be known before a turn can be answered; what is missing, the platform is asked."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bot import trace, wording
from bot.agent import Ending, Progress
from bot.context import Context, ContextBuilder
from bot.errors import DeliveryError
from bot.model import ModelRequest
from bot.platform import Inbound, Said
from bot.run import Run
from bot.settings import Timing
from memory import contents, gaps, notes, people, usage
from memory.contents import Contents
from memory.database import Database, Transaction
from memory.gaps import Named
from memory.inbox import Arrival
from memory.keys import Digests, PlaceKey
from memory.knowledge import Note
from memory.messages import assistant, user
from memory.observed import MOST
from memory.text import clean
from memory.turns import Turn
from memory.usage import Allowance, Used
from memory.voices import NOBODY, Unnamed
from memory.workspaces import DAY, Windows

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Remembered:
    """What is sent to the model, and which customer asks."""

    request: ModelRequest
    customer: str | None
    used: tuple[Note, ...] = ()  # notes that are shown for the first time today


@dataclass(frozen=True, slots=True)
class Remembering:
    """`customers` are those whom a whole platform stands for; `help`, by platform, is said to who
    only calls; of what is older than its window nothing is read."""

    database: Database
    contexts: ContextBuilder
    digests: Digests
    timing: Timing
    windows: Windows
    help: Callable[[int, str], str]
    customers: Mapping[str, str]
    allowance: Allowance
    listener: trace.Listener

    async def remember(self, run: Run) -> Remembered | Ending:
        """What the turn's request is, or what is said without asking a model."""
        remembered = await self.database.read(lambda tx: self._read(tx, run))
        if isinstance(remembered, Contents):
            await self._fill(run, remembered)
            remembered = await self.database.read(lambda tx: self._read(tx, run, is_filled=True))
            assert not isinstance(remembered, Contents)  # noqa: S101 - it was not asked for
        if isinstance(remembered, Remembered) and (used := remembered.used):
            await self.database.write(lambda tx: notes.use(tx, used))
        return remembered

    async def _read(
        self, tx: Transaction, run: Run, *, is_filled: bool = False
    ) -> Remembered | Ending | Contents:
        """With gaps, only what is stored."""
        run.hold.lease.guard()  # or the model is asked about a turn that somebody has ended
        turn, now = run.turn, await tx.now()
        found = await contents.read(tx, turn.conversation, turn.number)
        if now - max(turn.asked_at, found.asked_at) > self.timing.give_up:
            return said(turn, "expired")
        if found.has_gaps and not is_filled:
            return found
        steps = [message for message in found.talk.whole if message.role != "user"]
        run.progress = Progress(steps)
        run.remembers = True
        if not steps and (why := await self._exhausted(tx, run)) is not None:
            return said(turn, "limited", why)
        return await self._asked(tx, turn, found, now)

    async def _asked(
        self, tx: Transaction, turn: Turn, found: Contents, now: int
    ) -> Remembered | Ending:
        """What the model is asked; who only calls where nothing was said gets help without it."""
        question = [message for message in found.talk.whole if message.role == "user"]
        context = await self.contexts.build(tx, turn.conversation, question, turn.number, now)
        place = PlaceKey.parse(turn.place)
        if found.is_wordless and not (found.talk.aside or context.earlier_messages):
            kept = await self.windows.of(tx, place.platform, place.workspace)
            return Ending("answered", assistant(self.help(kept, place.platform)))
        customer = await people.find_customer(tx, turn.asker)
        self.listener(trace.Event(0, _told(context)))
        customer = customer or self.customers.get(place.platform)
        return Remembered(context.request, customer, tuple(notes.stale(context.notes, now)))

    async def _exhausted(self, tx: Transaction, run: Run) -> usage.Why | None:
        """Which budget is used up. What the turn itself has spent counts: it may begin anew as
        often as its asker has more to say."""
        turn = run.turn
        used = await usage.read(tx, run.payer)
        with_this = Used(used.tokens + turn.tokens, used.total + turn.tokens)
        return self.allowance.on(PlaceKey.parse(turn.place).platform).exhausted(with_this)

    async def _fill(self, run: Run, found: Contents) -> None:
        """A platform that does not tell costs names and context, not the answer."""
        if found.may_call_in:
            await self._call_in(run)
            found = await self.database.read(
                lambda tx: contents.read(tx, run.turn.conversation, run.turn.number)
            )
        if found.unnamed:
            await self._name(run, found.unnamed)

    async def _call_in(self, run: Run) -> None:
        turn, address = run.turn, json.loads(run.turn.address)
        oldest = await self.database.read(lambda tx: self._oldest(tx, turn.place))
        try:
            async with asyncio.timeout(self.timing.look / 1000):
                earlier = await run.outlet.earlier(address, oldest, MOST)
        except (DeliveryError, TimeoutError) as error:
            _log.info("Could not read: %s", error, extra={"action": "remember.no_earlier"})
            return
        arrivals = [_arrival(each) for each in earlier if each.said_at > oldest]
        await run.hold.write(lambda tx: gaps.call_in(tx, turn, arrivals, self.digests))

    async def _oldest(self, tx: Transaction, place: str) -> int:
        """Nothing that was said before it (UTC ms) is read back there."""
        key = PlaceKey.parse(place)
        return await tx.now() - DAY * await self.windows.of(tx, key.platform, key.workspace)

    async def _name(self, run: Run, unnamed: Sequence[Unnamed]) -> None:
        turn, address = run.turn, json.loads(run.turn.address)
        asked = [Said(each.author, each.name, each.message.text) for each in unnamed]
        try:
            async with asyncio.timeout(self.timing.look / 1000):
                told = await run.outlet.complete(address, asked)
        except (DeliveryError, TimeoutError) as error:
            _log.info("Could not name: %s", error, extra={"action": "remember.no_names"})
            told = [Said(each.person, each.name or NOBODY, each.text) for each in asked]
        named = [
            Named(each, clean(one.name), user(clean(one.text)))
            for each, one in zip(unnamed, told, strict=True)
        ]
        await run.hold.write(lambda tx: gaps.name_people(tx, turn, named))


def said(turn: Turn, outcome: wording.Outcome, kind: str = "") -> Ending:
    """A sentence of our own instead of an answer."""
    return Ending(outcome, assistant(wording.ending(outcome, turn.id, kind)))


def _told(context: Context) -> str:
    messages = wording.count(context.earlier_messages, "earlier message")
    return f"memory: {messages}, {wording.count(context.characters, 'character')}"


def _arrival(inbound: Inbound) -> Arrival:
    return Arrival(
        place=inbound.place,
        surface=inbound.surface,
        author=inbound.person,
        author_name=clean(inbound.name),
        message_id=inbound.message_id,
        sent_order=inbound.sent_order,
        said_at=inbound.said_at,
        address="",
        message=user(clean(inbound.text)),
    )
