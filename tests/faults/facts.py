"""What really happened in a run, as people and the platform saw it: the invariants' evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.model import ModelRequest, Usage
from bot.platform import Inbound
from tests.faults.points import Fault, Point
from tests.faults.withdrawn import Withdrawal

Row = Mapping[str, Any]
Values = tuple[object, ...] | dict[str, object]


@dataclass(slots=True)
class Said:
    """A message of a person; `accepted` when the platform was told so, also of all its changes.

    `texts` are all that it ever said, the last as it stands. `calls`: it is to be answered, which
    may become so by an edit. `stored` is the number of the commit that wrote it down; `answered`
    are the turns that had answered it when it was deleted.
    """

    inbound: Inbound
    texts: list[str]
    calls: bool
    overheard: bool  # when it was written
    stored: int | None = None
    untold: int = 0  # how much of it the platform has not told us yet
    accepted: bool = False
    dropped: bool = False  # it was said before a forget, and not written down
    deleted: bool = False
    refused: bool = False  # its author had used up what they may
    missed: Missed | None = None  # nobody was there to be told
    may_be_stale: bool = False  # its edit was none of our business, and left no trace
    answered: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        return self.inbound.message_id

    @property
    def place(self) -> str:
        return str(self.inbound.place)


@dataclass(frozen=True, slots=True)
class Missed:
    """`is_known`: something had been said to us in its place; `came_back` is when (UTC ms);
    `is_told`: it was on its way when all went away, and we are told of it in the end."""

    is_known: bool
    came_back: int
    is_told: bool = False


@dataclass(frozen=True, slots=True)
class Deletion:
    said: Said


@dataclass(slots=True)
class Forgetting:
    """A forget, and what it met: messages by their platform's id, turns by theirs."""

    place: str
    said_before: int
    acknowledged: bool = False
    committed: int | None = None  # the number of its first commit
    present: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()  # were to move to a fresh conversation
    spared: frozenset[str] = frozenset()  # were overheard after it: they move only with others
    ended: frozenset[str] = frozenset()  # turns whose answer had been delivered


@dataclass(slots=True)
class Letter:
    """What the tool did that is not idempotent."""

    call_key: str
    text: str


@dataclass(slots=True)
class Facts:
    said: list[Said] = field(default_factory=list)
    forgettings: list[Forgetting] = field(default_factory=list)
    withdrawals: list[Withdrawal] = field(default_factory=list)
    anew: list[str] = field(default_factory=list)  # places where `new` was said
    stops: list[tuple[str, int]] = field(default_factory=list)
    stopped: set[str] = field(default_factory=set)  # turns that somebody wished to end
    away: list[int] = field(default_factory=list)  # since when no process ran
    letters: list[Letter] = field(default_factory=list)
    requests: list[ModelRequest] = field(default_factory=list)
    spent: int = 0  # tokens of all calls
    struck: list[tuple[Point, Fault]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # what was seen on the way

    @property
    def takings(self) -> Sequence[Forgetting | Withdrawal]:
        """All that took words back."""
        return [*self.forgettings, *self.withdrawals]

    def spend(self, usage: Usage) -> None:
        self.spent += usage.tokens

    @property
    def fates(self) -> Sequence[str]:
        """What befell messages and workers beside faults, one by one."""
        return [
            *("limit" for said in self.said if said.refused),
            *("said while away" for said in self.said if said.missed is not None),
            *("away" for _ in self.away),
        ]

    def object_to(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)


class Records:
    """Reads the database beside everybody: it sees what is committed."""

    def __init__(self, query: Callable[[str, Values], Iterable[Row]]) -> None:
        self._query = query

    def rows(self, sql: str, *values: object, **named: object) -> list[Row]:
        """`?` stands for the values in their order, `:name` for the named ones."""
        return list(self._query(sql, named or values))

    def turn(self, turn: str) -> Row | None:
        found = self.rows("SELECT * FROM turns WHERE id = ?", turn)
        return found[0] if found else None

    def is_quiet(self) -> bool:
        """Whether nothing waits and nobody works."""
        return not self.rows(
            "SELECT 1 FROM messages WHERE state = 'waiting'"
            " UNION ALL SELECT 1 FROM turns WHERE state IN ('running', 'sending')"
            " UNION ALL SELECT 1 FROM erasures"
        )

    def meet(self, forgetting: Forgetting) -> None:
        """Note what a forget meets, directly before each of its commits."""
        place = forgetting.place
        present = self.rows(
            "SELECT m.remote_id FROM messages m JOIN conversations c ON c.id = m.conversation"
            " WHERE c.place = ? AND m.role = 'user'",
            place,
        )
        kept = self.rows(
            "SELECT m.remote_id FROM messages m JOIN conversations c ON c.id = m.conversation"
            " LEFT JOIN turns t ON t.conversation = m.conversation AND t.number = m.turn"
            " WHERE c.place = :place AND m.role = 'user' AND m.said_at >= :said_before"
            " AND (m.state = 'waiting' OR (t.state = 'running' AND NOT EXISTS (SELECT 1"
            "   FROM messages s WHERE s.conversation = t.conversation AND s.turn = t.number"
            "   AND s.role <> 'user'))"
            "  OR NOT EXISTS (SELECT 1 FROM messages e WHERE e.conversation = c.id"
            "   AND e.role = 'user' AND e.said_at < :said_before))",
            place=place,
            said_before=forgetting.said_before,
        )
        spared = self.rows(
            "SELECT m.remote_id FROM messages m JOIN conversations c ON c.id = m.conversation"
            " WHERE c.place = ? AND m.state = 'observed' AND m.said_at >= ?",
            *(place, forgetting.said_before),
        )
        ended = self.rows("SELECT id FROM turns WHERE place = ? AND state = 'done'", place)
        now, staying = _ids(present), _ids(kept)
        forgetting.kept = forgetting.kept - (now - staying) | staying
        forgetting.present |= now
        forgetting.spared |= _ids(spared)
        forgetting.ended |= frozenset(row["id"] for row in ended)

    def note_answered(self, said: Said) -> None:
        """Directly before the message is deleted."""
        rows = self.rows(
            "SELECT t.id FROM turns t JOIN messages m"
            " ON m.conversation = t.conversation AND m.turn = t.number"
            " WHERE m.remote_id = ? AND m.state = 'taken' AND t.state IN ('done', 'failed')",
            said.name,
        )
        said.answered |= frozenset(row["id"] for row in rows)


def _ids(rows: Sequence[Row]) -> frozenset[str]:
    return frozenset(row["remote_id"] for row in rows)
