"""Somebody takes back what they said: in one place, or wherever it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tests.faults.echo import TOKEN


class Reading(Protocol):
    def rows(self, sql: str, *values: object, **named: object) -> Sequence[Mapping[str, Any]]: ...


@dataclass(slots=True)
class Withdrawal:
    """A person's forget in a thread of others, or a `forget me`, for which `place` is empty; and
    what it met.

    `words` are tokens of theirs that were stored. `beside` are messages that go along or move,
    whoever said them: of turns that they asked, and of conversations that they began. `ended` are
    turns whose answer had been delivered.
    """

    person: str
    place: str
    said_before: int
    acknowledged: bool = False
    committed: int | None = None  # the number of its first commit
    done_at: int | None = None
    seen_at: int = 0  # when something of it was last there, or it was committed
    words: frozenset[str] = frozenset()
    beside: frozenset[str] = frozenset()
    ended: frozenset[str] = frozenset()

    def is_about(self, place: str) -> bool:
        return self.place in ("", place)

    @property
    def is_on_its_way(self) -> bool:
        """Whoever goes on with it."""
        return not self.place and self.committed is not None and self.done_at is None

    def meet(self, records: Reading, now: int) -> None:
        """Note what stands there, directly before a commit."""
        rows = records.rows(
            "SELECT m.role, m.remote_id, m.author, m.said_at, m.content, c.owner,"
            " t.id AS turn, t.state AS turn_state, t.asker"
            " FROM messages m JOIN conversations c ON c.id = m.conversation"
            " LEFT JOIN turns t ON t.conversation = m.conversation AND t.number = m.turn"
            " WHERE c.place LIKE :place"
            " AND (c.owner = :person OR t.asker = :person OR m.author = :person)",
            place=self.place or "%",
            person=self.person,
        )
        mine = [
            row
            for row in rows
            if row["author"] == self.person and row["said_at"] < self.said_before
        ]
        along = [row for row in rows if self.person in (row["owner"], row["asker"])]
        self.words |= {token for row in mine for token in TOKEN.findall(row["content"])}
        self.beside |= {row["remote_id"] for row in along if row["role"] == "user"}
        self.ended |= {row["turn"] for row in along if row["turn_state"] == "done"}
        self.seen_at = now if mine else self.seen_at


REMOVED = "[removed]"


def is_what_is_left(stored: str, said: str) -> bool:
    """Whether `stored` is what was said but for what was removed; blanks make no difference."""
    said, at = "".join(said.split()), 0
    first, *others = ("".join(piece.split()) for piece in stored.split(REMOVED))
    if not others:
        return first == said
    if not said.startswith(first):
        return False
    at = len(first)
    for piece in others[:-1]:
        found = said.find(piece, at + 1)
        if found < 0:
            return False
        at = found + len(piece)
    return said.endswith(others[-1]) and len(said) - len(others[-1]) > at


def is_part_of(some: Sequence[str], whole: Sequence[str]) -> bool:
    """Whether all of some stand in the whole, in that order."""
    rest = iter(whole)
    return all(one in rest for one in some)
