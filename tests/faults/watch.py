"""What is judged while it happens: who sends, who acts, in which order a transaction goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count

from bot.recovery import RUN_WORKERS
from bot.settings import Timing
from bot.wording import FORGOTTEN
from memory.usage import Allowance
from tests.faults.facts import Deletion, Facts, Forgetting, Records, Row, Said
from tests.faults.revisions import Revisions
from tests.faults.virtual import PROCESS
from tests.faults.withdrawn import Withdrawal

MINUTE = 60_000
APART = Timing().apart
_CHANGES = (
    "UPDATE messages SET edited_at",
    "DELETE FROM messages WHERE conversation = :conversation AND remote_id",
)
DOING: ContextVar[Said | Deletion | Forgetting | Withdrawal | None] = ContextVar(
    "doing", default=None
)
"""What a process was told, while it writes that down."""


@dataclass(slots=True)
class Watch:
    facts: Facts
    records: Records
    clock: Callable[[], int]
    allowance: Allowance
    revisions: Revisions = field(init=False)
    _commits: count[int] = field(default_factory=count)
    _paces: dict[str, tuple[int, int]] = field(default_factory=dict)  # since when, how many
    _cuts: dict[str, int] = field(default_factory=dict)
    _changed: set[str] = field(default_factory=set)
    _begun: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.revisions = Revisions(self.facts, self.records)

    def sending(self, what: str, turn: str, text: str = "", part: int = 0) -> None:
        """Whoever sends holds the turn, and has time left to send."""
        row = self.records.turn(turn) if turn else None
        if row is None or text == FORGOTTEN:
            return
        self._judge_holder(row, f"sent {what}")
        if part > 0 and row["state"] == "running":
            self.facts.object_to("an answer was sent before it was committed")

    def acting(self, conversation: str) -> None:
        """Whoever runs a tool that is not `read` holds the turn, too."""
        turns = self.records.rows(
            "SELECT * FROM turns WHERE conversation = ? ORDER BY number DESC LIMIT 1", conversation
        )
        for turn in turns:
            self._judge_holder(turn, "sent a letter")

    def _judge_holder(self, turn: Row, what: str) -> None:
        process = PROCESS.get()
        name = process.name if process else ""
        if turn["worker"] != f"{RUN_WORKERS}{name}" or turn["state"] == "done":
            self.facts.object_to(f"{name} {what} in a turn of {turn['worker']} ({turn['state']})")
        elif turn["lease_until"] < self.clock():
            self.facts.object_to(f"{name} {what} after its lease was over")

    def before_write(self) -> None:
        """Inside a transaction that is about to begin its work."""
        doing = DOING.get()
        for one in self.facts.withdrawals:
            if one is doing or one.is_on_its_way:
                one.meet(self.records, self.clock())
        match doing:
            case Forgetting():
                self.records.meet(doing)
            case Deletion():
                self.records.note_answered(doing.said)
                self.revisions.note()
            case Said():
                self.revisions.note()

    def committed(self, statements: Sequence[str], fenced: Sequence[Mapping[str, object]]) -> None:
        number, doing = next(self._commits), DOING.get()
        for values in fenced:
            self._judge_writer(values)
        for problem in order_problems(statements):
            self.facts.object_to(problem)
        if isinstance(doing, Forgetting | Withdrawal) and doing.committed is None:
            doing.committed = number if _has(statements, "INSERT INTO forgotten ") else None
        if isinstance(doing, Withdrawal) and doing.committed == number:
            doing.seen_at = self.clock()
        if isinstance(doing, Said):
            self._accepted(doing, statements, number)
        if _has(statements, *_CHANGES):
            self.revisions.judge()
        self._judge_turns(statements)

        if _has(statements, "DELETE FROM erasures"):
            self._judge_done()

    def _judge_done(self) -> None:
        """What was being written down when it was committed is there by the second look."""
        rows = self.records.rows("SELECT person FROM erasures")
        going_on, now = {row["person"] for row in rows}, self.clock()
        for one in self.facts.withdrawals:
            if one.is_on_its_way and one.person not in going_on:
                one.done_at = now
                if now - one.seen_at < APART:
                    self.facts.object_to("a `forget me` was done before two looks found nothing")

    def _judge_turns(self, statements: Sequence[str]) -> None:
        if _has(statements, "UPDATE turns SET stop = 'changed'"):
            self._changed = {row["id"] for row in self._find_changed("")}
        if _has(statements, "INSERT INTO turns "):
            self._judge_begin()
        if _has(statements, "UPDATE turns SET stop = 'stopped'"):
            rows = self.records.rows("SELECT id FROM turns WHERE stop = 'stopped'")
            self.facts.stopped.update(row["id"] for row in rows)
        if _has(statements, "UPDATE conversations SET window_from"):
            self._judge_cuts()

    def _accepted(self, said: Said, statements: Sequence[str], number: int) -> None:
        stores = _has(statements, "INSERT INTO messages ")
        if _has(statements, "INSERT INTO usage "):
            self._judge_admission(said, is_refused=not stores)
        if _has(statements, "UPDATE messages SET edited_at") and self._is_question(said):
            said.refused = False  # an edit that calls is not counted
        if stores:
            said.stored = number if said.stored is None else said.stored
            self._judge_wish(said)

    def _judge_admission(self, said: Said, *, is_refused: bool) -> None:
        """Whoever is over their limit is refused, and nobody else."""
        now, person = self.clock(), str(said.inbound.person)
        since, count = self._paces.get(person, (0, 0))
        since, count = (since, count + 1) if now - since < MINUTE else (now, 1)
        self._paces[person] = since, count
        said.refused = is_refused and not self._is_question(said)
        is_too_fast = 0 < self.allowance.messages_per_minute < count
        if is_refused != is_too_fast and not (is_refused and self._somebody_has_spent()):
            told = "refused" if is_refused else "admitted"
            self.facts.object_to(f"{said.name}, the {count}. in a minute, was {told}")

    def _is_question(self, said: Said) -> bool:
        """Its edit may have come first, when the message had been called in."""
        return bool(
            self.records.rows(
                "SELECT 1 FROM messages WHERE remote_id = ? AND state <> 'observed'", said.name
            )
        )

    def _somebody_has_spent(self) -> bool:
        """Whether a person's budget is used up."""
        limit = self.allowance.person_tokens_per_day
        return limit > 0 and bool(
            self.records.rows("SELECT 1 FROM usage WHERE subject <> 'total' AND tokens >= ?", limit)
        )

    def _judge_writer(self, values: Mapping[str, object]) -> None:
        """Who writes for a turn by its fence holds it."""
        process = PROCESS.get()
        name = f"{RUN_WORKERS}{process.name if process else ''}"
        named = {"id": "", "conversation": "", "number": 0, **values}
        for turn in self.records.rows(
            "SELECT worker FROM turns WHERE id = :id"
            " OR (conversation = :conversation AND number = :number)",
            **{key: named[key] for key in ("id", "conversation", "number")},
        ):
            if turn["worker"] != name:
                self.facts.object_to(f"{name} wrote for a turn of {turn['worker']}")

    def _judge_wish(self, said: Said) -> None:
        """Nobody who waits is passed over by a turn that begins anew."""
        changed = self._find_changed(said.inbound.sent_order)
        for turn in changed:
            if turn["id"] not in self._changed and turn["others"]:
                self.facts.object_to("a turn was to begin anew while somebody else waited")
        self._changed = {turn["id"] for turn in changed}

    def _find_changed(self, sent_order: str) -> list[Row]:
        """Turns that are to begin anew; `others` who wait since before then."""
        return self.records.rows(
            "SELECT t.id, (SELECT count(*) FROM messages m JOIN conversations c"
            " ON c.id = m.conversation WHERE c.place = t.place AND m.state = 'waiting'"
            " AND m.author <> t.asker AND m.sent_order < ?) AS others"
            " FROM turns t WHERE t.stop = 'changed'",
            sent_order,
        )

    def _judge_begin(self) -> None:
        """A turn that begins takes nothing from behind what waits in its place."""
        for turn in self.records.rows("SELECT id FROM turns"):
            if turn["id"] not in self._begun:
                self._begun.add(turn["id"])
                self._judge_taken(turn["id"])

    def _judge_taken(self, turn: str) -> None:
        passed_over = self.records.rows(
            "SELECT 1 FROM turns t JOIN messages mine"
            "  ON mine.conversation = t.conversation AND mine.turn = t.number"
            " JOIN conversations c ON c.place = t.place"
            " JOIN messages other ON other.conversation = c.id AND other.state = 'waiting'"
            " WHERE t.id = ? AND mine.role = 'user' AND other.sent_order < mine.sent_order",
            turn,
        )
        if passed_over:
            self.facts.object_to("a turn took a message from behind one that waits")

    def _judge_cuts(self) -> None:
        for row in self.records.rows("SELECT id, window_from FROM conversations"):
            if row["window_from"] < self._cuts.get(row["id"], 0):
                self.facts.object_to("the cut moved back")
            self._cuts[row["id"]] = row["window_from"]


def order_problems(statements: Sequence[str]) -> list[str]:
    """Judge one transaction: the conversation's row lock before turns, `forgotten` after it."""
    heads = [statement.upper() for statement in statements]
    lock = _first(heads, "UPDATE CONVERSATIONS", "DELETE FROM CONVERSATIONS")
    turns = _first(heads, "UPDATE TURNS", "INSERT INTO TURNS", "DELETE FROM TURNS")
    problems = []
    if turns is not None and (lock is None or lock > turns) and _touches_more(heads, turns):
        problems.append(f"turns were touched before the row lock: {statements[turns]}")
    forgotten = _first(heads, "SELECT 1 FROM FORGOTTEN")
    inserts = _first(heads, "INSERT INTO MESSAGES")
    if inserts is not None and _first(heads, "INSERT INTO SEEN") is not None:
        if forgotten is None or forgotten > inserts:
            problems.append("a message was accepted without a look at `forgotten`")
        elif lock is None or forgotten < lock:
            problems.append("`forgotten` was looked up before the row lock")
    return problems


def _has(statements: Sequence[str], *beginnings: str) -> bool:
    return any(statement.startswith(beginnings) for statement in statements)


def _first(heads: Sequence[str], *beginnings: str) -> int | None:
    return next((i for i, head in enumerate(heads) if head.startswith(beginnings)), None)


def _touches_more(heads: Sequence[str], turns: int) -> bool:
    """A heart-beat or a take-over is one statement on turns, and needs no row lock."""
    writes = [i for i, head in enumerate(heads) if not head.startswith("SELECT")]
    return writes != [turns]
