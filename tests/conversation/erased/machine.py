"""Plays steps in virtual time, and compares what is known with what may be, after each."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from bot.model import ModelRequest, ModelResponse
from memory.database import Row, Transaction
from memory.keys import PersonKey, PlaceKey
from memory.messages import Text, ToolCall, user
from tests.conversation.erased.dwelling import ANN, BOB, CY, Dwelling, dwelling
from tests.conversation.erased.ledger import Entry, Ledger
from tests.fakes import Step as Words
from tests.fakes import asks, says
from tests.faults.stores import ON_SQLITE
from tests.faults.virtual import VirtualLoop, run
from tests.planted import found_in, planted

PEOPLE = (ANN, BOB, CY)
PLACES = tuple(PlaceKey("played", "W", "C", thread) for thread in ("1", "2"))
_NOTE = "note that "
_FILLER = "x" * 150  # so that turns leave a small window

What = Literal[
    "ask",
    "note",
    "observe",
    "unheard",
    "quote",
    "edit",
    "delete",
    "forget",
    "forget me",
    "new",
    "restart",
    "rest 10",
    "rest 31",
    "repeat",
]


@dataclass(frozen=True)
class Step:
    """`which` is the message that it is about, counted from the newest."""

    what: What
    who: int = 0
    where: int = 0
    which: int = 0


class Parrot:
    """Repeats the planted words of the question, notes those that it is told to note, and sums up
    with all that it is shown."""

    name = "parrot"

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        step = _reply(request)
        for piece in step.pieces:
            yield piece
        yield step.response

    async def close(self) -> None: ...


def _reply(request: ModelRequest) -> Words:
    asked = [message for message in request.messages if message.role == "user"][-1]
    question = [part.text for part in asked.parts if isinstance(part, Text)][-1]
    words = sorted(found_in(question))
    if not request.tools:
        return says(f"They said {' and '.join(words)}.")
    if _NOTE in question and request.messages[-1].role == "user":
        told = {"topic": "fact", "text": " ".join(words), "subject": words[0]}
        return asks(ToolCall("c1", "remember", json.dumps(told)))
    return says(f"You said {' and '.join(words)}. {_FILLER}")


def play(steps: Sequence[Step], *, budget: int) -> None:
    """On a file of its own."""
    ON_SQLITE.prepare((ANN,))

    async def main(_loop: VirtualLoop) -> None:
        with TemporaryDirectory() as folder:
            async with dwelling(Path(folder), ON_SQLITE, Parrot(), budget=budget) as house:
                machine = Machine(house, is_whole=budget > 10_000)
                for step in steps:
                    await machine.do(step)

    run(main)


@dataclass
class Machine:
    """`is_whole`: nothing leaves the window."""

    house: Dwelling
    is_whole: bool
    ledger: Ledger = field(default_factory=Ledger)
    _numbers: count[int] = field(default_factory=count)

    async def do(self, step: Step) -> None:
        who, place = PEOPLE[step.who], PLACES[step.where]
        match step.what:
            case "ask" | "note" | "observe" | "unheard" | "quote":
                await self._say(step, who, place)
            case "edit" | "delete":
                for entry in self._meant(step):
                    await (self._edit if step.what == "edit" else self._delete)(entry)
            case "repeat":
                await self._repeat()
            case "restart":
                await self.house.restart()
            case "rest 10" | "rest 31":
                await self._rest(10 if step.what == "rest 10" else 31)
            case _:
                await self._command(step.what, who, place)
        await self._look()

    def _meant(self, step: Step) -> list[Entry]:
        """The message, if anything was said."""
        return self.ledger.entries[::-1][step.which % max(1, len(self.ledger.entries)) :][:1]

    async def _say(self, step: Step, who: PersonKey, place: PlaceKey) -> None:
        words = {self._new_word()}
        quotes = step.what == "quote" or (step.what == "note" and step.which > 2)
        for entry in self._meant(step) if quotes else ():
            words |= entry.text
        text = f"{_NOTE if step.what == 'note' else ''}{' '.join(sorted(words))} {_FILLER}"
        aside: dict[str, Any] = {}
        if step.what == "observe":
            aside = {"mentions_us": False, "mentions_others": True}
        if step.what == "unheard":
            said = self.house.platform.say(place, who, text)
            await asyncio.sleep(1)
        else:
            await self.house.say(text, who, place, **aside)
            said = self.house.told[-1]
        self.ledger.entries.append(Entry(said, frozenset(words), step.what == "note"))

    async def _edit(self, entry: Entry) -> None:
        if entry.is_deleted:
            return
        word = self._new_word()
        edited = self.house.platform.edit(entry.said, f"{word} {_FILLER}")
        self.ledger.edit(entry, edited.message, frozenset({word}))
        await self.house.tell(edited)

    async def _delete(self, entry: Entry) -> None:
        if not entry.is_deleted:
            self.ledger.delete(entry)
            await self.house.delete(entry.said)

    async def _repeat(self) -> None:
        """The platform tells of everything again."""
        for entry in self.ledger.entries:
            if not entry.is_deleted:
                await self.house.tell(entry.said)

    async def _rest(self, days: int) -> None:
        await self.house.restart(after_days=days)
        await self._note_stored()
        self.ledger.expire(await self._conversations(), self.house.loop.milliseconds())
        await self.house.purge()
        if days > 30:
            self.ledger.outlived.clear()  # nobody has used them since

    async def _command(self, words: str, who: PersonKey, place: PlaceKey) -> None:
        before = await self._conversations()
        at = self.house.loop.milliseconds()
        await self.house.say(words, who, place)
        self.house.told.pop()  # a command is no entry
        if words == "forget":
            self.ledger.forget(who, place, at, before)
        elif words == "forget me":
            self.ledger.forget_me(who, at, before)

    def _new_word(self) -> str:
        number = next(self._numbers)
        letters = "abcdefghij"
        return planted("word" + "".join(letters[int(digit)] for digit in f"{number:03}"))

    # What is known

    async def _look(self) -> None:
        await asyncio.sleep(11)  # a sweep, and what it does
        await self._note_stored()
        known, must = self.house.words(), self.ledger.known
        assert known - must - set(self.ledger.outlived) == set(), "forgotten, and known"
        assert must - known == set(), "lost"
        for row in await self._conversations():
            if row["is_current"]:
                await self._look_at(row["id"])

    async def _look_at(self, conversation: str) -> None:
        """At what the next question there would send."""
        entries = list(self.ledger.of_current(conversation))

        async def build(tx: Transaction) -> str:
            context = await self.house.parts.contexts.build(
                tx, conversation, (user("And?"),), 2**62, await tx.now()
            )
            return repr(context.request.messages)

        sent = found_in(await self.house.parts.database.read(build))
        told = {word for entry in entries for word in entry.stored | entry.answer}
        noted = {word for entry in self.ledger.entries for word in entry.noted}
        assert sent - told - noted - set(self.ledger.outlived) == set(), "sent, and not known here"
        if self.is_whole:  # of older turns, what others had said before the question is not sent
            asked = {w for each in entries if each.is_question for w in each.known - each.noted}
            assert asked - sent == set(), "known here, and not sent"

    async def _note_stored(self) -> None:
        rows = await self.house.rows(
            "SELECT remote_id, conversation, turn, state FROM messages WHERE role = 'user'"
        )
        self.ledger.look(rows, self.house.loop.milliseconds())

    async def _conversations(self) -> list[Row]:
        return await self.house.rows(
            "SELECT id, place, owner, active_at, is_current FROM conversations"
        )
