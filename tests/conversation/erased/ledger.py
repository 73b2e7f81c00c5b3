"""What may still be known, by the rules and not by the code: the model of the state machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from bot.platform import Inbound
from memory.database import Row
from memory.keys import PersonKey, PlaceKey
from memory.workspaces import DAY

WINDOW = 30 * DAY  # ms


@dataclass(eq=False)
class Entry:
    """A message, and of a question the words of its answer and of the note that came of it; only
    those count whose `conversation` is not empty. `text`: the words that its newest event tells."""

    said: Inbound
    text: frozenset[str]
    makes_note: bool = False
    is_deleted: bool = False
    conversation: str = ""
    turn: int | None = None
    is_question: bool = False
    stored: frozenset[str] = frozenset()
    answer: frozenset[str] = frozenset()
    noted: frozenset[str] = frozenset()

    @property
    def known(self) -> frozenset[str]:
        return self.stored | self.answer | self.noted

    def leave(self) -> None:
        self.conversation, self.turn = "", None
        self.stored = self.answer = self.noted = frozenset()

    def lose(self, words: frozenset[str]) -> None:
        self.stored, self.answer = self.stored - words, self.answer - words
        self.noted -= words


@dataclass
class Ledger:
    """`said_before` has the watermarks of places, persons, and persons in a place. `outlived` are
    notes whose conversation is past its window: they may stand, as long as they are used."""

    entries: list[Entry] = field(default_factory=list)
    said_before: dict[object, int] = field(default_factory=dict)
    outlived: dict[str, PersonKey] = field(default_factory=dict)

    @property
    def known(self) -> frozenset[str]:
        """The words that must be known."""
        return frozenset().union(*(entry.known for entry in self.entries))

    def look(self, rows: Iterable[Row], now: int) -> None:
        """Take note of what was stored since, and by which turn; nothing barred may be. After a
        `new`, a message may stand in two conversations."""
        for row in rows:
            twins = [each for each in self.entries if each.said.message_id == row["remote_id"]]
            known = [each for each in twins if each.conversation == row["conversation"]]
            free = [each for each in twins if not each.conversation]
            if twins and not known:
                assert not self._is_barred(twins[0], now), f"it came back: {twins[0]}"
                known = free or [self._twin(twins[0])]
                self._enter(known[0], row)
            for entry in known[:1]:
                entry.turn = row["turn"]

    def _twin(self, entry: Entry) -> Entry:
        self.entries.append(Entry(entry.said, entry.text, entry.makes_note))
        return self.entries[-1]

    def _enter(self, entry: Entry, row: Row) -> None:
        entry.conversation, entry.stored = row["conversation"], entry.text
        entry.is_question = row["state"] == "taken"
        if entry.is_question:
            entry.answer = entry.text
            entry.noted = entry.text if entry.makes_note else frozenset()

    def _is_barred(self, entry: Entry, now: int) -> bool:
        person, place, at = entry.said.person, entry.said.place, entry.said.said_at
        marks = (self.said_before.get(key, 0) for key in (place, person, (person, place)))
        return entry.is_deleted or any(at < mark for mark in marks) or now - at > WINDOW

    # What people do

    def edit(self, edited: Entry, said: Inbound, text: frozenset[str]) -> None:
        for entry in self._twins(edited):
            entry.said, entry.text, entry.makes_note = said, text, False
            if entry.conversation:
                entry.stored = text
                self._revise(entry)

    def delete(self, deleted: Entry) -> None:
        for entry in self._twins(deleted):
            entry.is_deleted = True
            if entry.conversation:
                self._revise(entry)
                if entry.is_question:
                    self._end_turns(entry.conversation, {entry.turn})
                entry.leave()

    def _twins(self, entry: Entry) -> list[Entry]:
        return [each for each in self.entries if each.said.message_id == entry.said.message_id]

    def forget(self, who: PersonKey, place: PlaceKey, at: int, rows: Iterable[Row]) -> None:
        """`rows` are the conversations as they were."""
        here = [row for row in rows if row["place"] == str(place)]
        own = [row for row in here if row["owner"] == str(who)]
        if own or not here:
            self.said_before[place] = at
        self.said_before[(who, place)] = at
        self._take(who, here, is_everything=len(own) == len(here))

    def forget_me(self, who: PersonKey, at: int, rows: Iterable[Row]) -> None:
        self.said_before[who] = at
        self._take(who, rows)
        self.outlived = {word: whose for word, whose in self.outlived.items() if whose != who}

    def expire(self, rows: Iterable[Row], now: int) -> None:
        """`rows` are the conversations as they were."""
        for row in rows:
            if row["active_at"] < now - WINDOW:
                for entry in self._of(row["id"]):
                    self.outlived |= dict.fromkeys(entry.noted, entry.said.person)
                    entry.leave()

    def _take(self, who: PersonKey, rows: Iterable[Row], *, is_everything: bool = False) -> None:
        """What they began as a whole, of the rest their part."""
        for row in rows:
            if is_everything or row["owner"] == str(who):
                for entry in self._of(row["id"]):
                    entry.leave()
            else:
                self._take_part(who, row["id"])

    def _take_part(self, who: PersonKey, conversation: str) -> None:
        mine = [entry for entry in self._of(conversation) if entry.said.person == who]
        gone = frozenset[str]().union(*(entry.known for entry in mine))
        self._end_turns(conversation, {entry.turn for entry in mine if entry.is_question})
        for entry in mine:
            entry.leave()
        for entry in self._of(conversation):
            entry.lose(gone)

    def _end_turns(self, conversation: str, turns: set[int | None]) -> None:
        """With what others had said before the question."""
        for entry in self._of(conversation):
            if entry.turn in turns - {None}:
                entry.leave()

    def _revise(self, entry: Entry) -> None:
        """What was noted in the turn of a message goes when that is changed."""
        for other in self._of(entry.conversation):
            if entry.turn is not None and other.turn == entry.turn:
                other.noted = frozenset()

    def _of(self, conversation: str) -> list[Entry]:
        return [entry for entry in self.entries if entry.conversation == conversation]

    # What is seen

    def of_current(self, conversation: str) -> Iterator[Entry]:
        """What of a conversation belongs to a turn."""
        return (entry for entry in self._of(conversation) if entry.turn is not None)
