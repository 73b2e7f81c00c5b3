"""`memory`: what is known of a person, for their own eyes; deleting it, and wanting none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot import note_words
from bot.erasure import Erasure
from memory import notes, unnoted
from memory.database import Database
from memory.keys import PersonKey
from memory.knowledge import Note

MEMORY = "memory"
_ROOM = 1_500  # characters: a message on Discord has 2,000
_FORM = re.compile(r"memory(?: (?P<what>on|off|delete (?P<which>all|\d{1,9})))?")


def is_of_memory(words: str) -> bool:
    """Whether it is the command, in any of its forms."""
    return _FORM.fullmatch(words) is not None


@dataclass(frozen=True, slots=True)
class Noting:
    """`makes_notes`: the operator has them switched on."""

    database: Database
    erasure: Erasure
    makes_notes: bool

    async def run(self, words: str, person: PersonKey) -> str:
        """Do what the words say, which begin with the command."""
        form = _FORM.fullmatch(words)
        if form is None:
            return note_words.FORMS
        what, which = form.group("what", "which")
        if which == "all":
            return await self._delete_all(str(person))
        if which:
            return await self._delete(str(person), int(which))
        if what:
            return await self._switch(person, on=what == "on")
        return await self._list(str(person))

    async def _list(self, person: str) -> str:
        known = await self.database.read(lambda tx: notes.read_all(tx, person))
        is_on = await self.database.read(lambda tx: unnoted.is_on(tx, person))
        ends = note_words.NOTES_ARE_ON if is_on else note_words.NOTES_ARE_OFF
        if not self.makes_notes:
            ends = note_words.NOTES_NOT_MADE
        return "\n".join([*_lines(known), note_words.how_to_delete(len(known)), ends])

    async def _delete(self, person: str, number: int) -> str:
        gone = await self.database.write(lambda tx: unnoted.delete(tx, person, number))
        if gone is None or not gone.text:
            return note_words.no_such_note(number)
        await self.erasure.empty_log()
        return note_words.note_deleted(number, gone.text)

    async def _delete_all(self, person: str) -> str:
        gone = await self.database.write(lambda tx: unnoted.delete_all(tx, person))
        await self.erasure.empty_log()
        return note_words.notes_deleted(gone)

    async def _switch(self, person: PersonKey, *, on: bool) -> str:
        await self.database.write(lambda tx: unnoted.switch(tx, person, on=on))
        if on:
            return note_words.NOTES_SWITCHED_ON
        known = await self.database.read(lambda tx: notes.read_all(tx, str(person)))
        return note_words.notes_switched_off(len(known))


def _lines(known: Sequence[Note]) -> Iterator[str]:
    """The newest, as far as one message has room; the number first, as `memory delete` takes it."""
    room = _ROOM
    for shown, note in enumerate(reversed(known)):
        where = note_words.said_in(note.surface)
        line = f"{note.number}. {note.topic}: {note.text} ({where})"
        room -= len(line) + 1
        if room < 0:
            yield note_words.more_notes(len(known) - shown)
            return
        yield line
