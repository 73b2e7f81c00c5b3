"""A turn's life, fenced: begun, its steps, finished, delivered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Literal

from memory import contents, conversations, deliveries
from memory.database import Row, Transaction
from memory.deliveries import Part
from memory.errors import Superseded
from memory.keys import PlaceKey
from memory.messages import Message, encode
from memory.repair import missing_results, unsaid
from memory.voices import Talk
from memory.window import compact_size, full_size

Stop = Literal["stopped", "changed", "erased"]
"""A wish for a running turn: that it ends, or that it begins anew, because its asker said more or
because something that it loaded was erased."""

LONGEST_LEASE = 10 * 60_000  # ms; one that ends later was given by a clock that was set back since
LOADED_ERASED, QUESTION_DELETED = 1, 2  # a turn's `erased`
WISH = "CASE WHEN erased = 1 THEN 'erased' ELSE stop END"
"""The first of the wishes: words that are to be gone go before the turn may end as stopped."""

State = Literal["running", "sending", "done", "failed"]


@dataclass(frozen=True, slots=True)
class Turn:
    """An open turn in its worker's hands. Every write names its fence."""

    conversation: str
    number: int
    id: str
    place: str
    asker: str
    asked_at: int
    address: str
    state: State
    outcome: str | None
    fence: int
    attempts: int
    stop: Stop | None
    erased: int
    started_at: int
    input_tokens: int
    output_tokens: int

    @property
    def wish(self) -> Stop | None:
        return "erased" if self.erased == LOADED_ERASED else self.stop

    @property
    def tokens(self) -> int:
        """All that is noted as spent for it, by every worker and before every new beginning."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Spent:
    """What a turn cost: tokens that are not yet noted in its row, and milliseconds in all."""

    model: str = ""
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    model_ms: int = 0
    tool_ms: int = 0
    first_text_ms: int | None = None


NOTHING = Spent()

COUNTED = """
          input_tokens = input_tokens + :input_tokens,
          cached_tokens = cached_tokens + :cached_tokens,
          output_tokens = output_tokens + :output_tokens,
          reasoning_tokens = reasoning_tokens + :reasoning_tokens"""
"""Notes what was spent for a turn since it was noted last."""


async def record_step(
    tx: Transaction, turn: Turn, message: Message, spent: Spent = NOTHING
) -> Stop | None:
    """Store one step; the wish of somebody else, if there is one. What was `spent` is noted.

    A tool's result is stored whatever the wish; only that there was one, when something that the
    turn had loaded was erased. With a wish nothing else is: the caller stops, begins the turn
    anew, or clears the wish and stores the step again.
    """
    position = await lock(tx, turn)
    rows = await tx.fetch(
        f"""
        UPDATE turns SET steps = steps + CASE WHEN {WISH} IS NULL THEN :steps ELSE 0 END,{COUNTED}
        WHERE conversation = :conversation AND number = :number
          AND fence = :fence AND state = 'running'
        RETURNING {WISH} AS wish
        """,  # noqa: S608 - a text of ours
        steps=1 if message.role == "assistant" else 0,
        **tokens_of(spent),
        **_mine(turn),
    )
    if not rows:
        raise await superseded(tx, turn)
    wish: Stop | None = rows[0]["wish"]
    if wish is None or message.role == "tool":
        kept = unsaid(message) if wish == "erased" else message
        await _insert_step(tx, turn, position, kept, await tx.now())
    return wish


async def finish(
    tx: Transaction,
    turn: Turn,
    *,
    outcome: str,
    message: Message,
    spent: Spent,
    sent: Sequence[Part] = (),
    heeded: Stop | None = None,
) -> Turn | Stop:
    """Commit the answer, before it is delivered; the turn as it is now. A wish that is not
    `heeded` is returned instead, and nothing is stored."""
    position = await lock(tx, turn)
    talk = (await contents.read(tx, turn.conversation, turn.number)).talk
    added = [*missing_results(talk.messages), message]
    if len(added) > 1:
        await lock(tx, turn, positions=len(added) - 1)
    now = await tx.now()
    written = await _write_ending(
        tx, turn, now, outcome, talk=talk.and_then(added), spent=spent, heeded=heeded
    )
    if written is None:
        return await _unheeded(tx, turn)
    for offset, step in enumerate(added):
        await _insert_step(tx, turn, position + offset, step, now)
    await deliveries.record(tx, turn.conversation, turn.number, sent, state="open")
    return written


async def deliver(tx: Transaction, turn: Turn, parts: Sequence[Part]) -> None:
    """The answer stands on the platform: the turn is done, the place is free."""
    await _close(tx, turn, "done")
    await deliveries.record(tx, turn.conversation, turn.number, parts, state="sent")
    await deliveries.drop_after(tx, turn.conversation, turn.number, len(parts))


async def fail(tx: Transaction, turn: Turn) -> None:
    """The platform never took the answer: it stays in the history, the place is free."""
    await _close(tx, turn, "failed")


async def drop(tx: Transaction, turn: Turn) -> None:
    """Its question was deleted, and what it showed is closed."""
    await lock(tx, turn)
    await tx.execute(
        """
        DELETE FROM turns WHERE conversation = :conversation AND number = :number
          AND fence = :fence AND state = 'sending' AND erased = 2
        """,
        **_mine(turn),
    )


async def is_any_closing(tx: Transaction) -> bool:
    """Whether a turn whose question was deleted is still to be dropped."""
    return bool(
        await tx.fetch(
            "SELECT 1 FROM turns WHERE state IN ('running', 'sending') AND erased = 2 LIMIT 1"
        )
    )


async def exists(tx: Transaction, turn: str) -> bool:
    return bool(await tx.fetch("SELECT 1 FROM turns WHERE id = :id", id=turn))


async def find_place(tx: Transaction, turn: str) -> PlaceKey | None:
    """Where a turn is that has not ended."""
    rows = await tx.fetch(
        "SELECT place FROM turns WHERE id = :turn AND state IN ('running', 'sending')", turn=turn
    )
    return PlaceKey.parse(rows[0]["place"]) if rows else None


async def superseded(tx: Transaction, turn: Turn) -> Superseded:
    """Why the turn is not ours: it is gone, alone or with its conversation, nobody asks any more,
    or another fence owns it."""
    rows = await tx.fetch("SELECT fence, erased FROM turns WHERE id = :id", id=turn.id)
    if rows and rows[0]["fence"] == turn.fence and rows[0]["erased"] == QUESTION_DELETED:
        return Superseded("deleted")
    if rows:
        return Superseded("taken")
    conversation = turn.conversation
    kept = await tx.fetch("SELECT 1 FROM conversations WHERE id = :id", id=conversation)
    return Superseded("withdrawn" if kept else "erased")


def turn_of(row: Row) -> Turn:
    """The turn of a whole row."""
    return Turn(**{field.name: row[field.name] for field in fields(Turn)})


def tokens_of(spent: Spent) -> dict[str, int]:
    """The values of `COUNTED`."""
    return {
        "input_tokens": spent.input_tokens,
        "cached_tokens": spent.cached_tokens,
        "output_tokens": spent.output_tokens,
        "reasoning_tokens": spent.reasoning_tokens,
    }


async def _write_ending(
    tx: Transaction,
    turn: Turn,
    now: int,
    outcome: str,
    *,
    talk: Talk,
    spent: Spent,
    heeded: Stop | None,
) -> Turn | None:
    rows = await tx.fetch(
        f"""
        UPDATE turns SET state = 'sending', stop = NULL, outcome = :outcome, ended_at = :now,
          erased = CASE WHEN erased = 1 THEN 0 ELSE erased END, model = :model,{COUNTED},
          model_ms = :model_ms, tool_ms = :tool_ms, first_text_ms = :first_text_ms,
          full_size = :full_size, compact_size = :compact_size
        WHERE conversation = :conversation AND number = :number
          AND fence = :fence AND state = 'running' AND COALESCE({WISH}, :heeded) = :heeded
        RETURNING *
        """,  # noqa: S608 - a text of ours
        outcome=outcome,
        now=now,
        full_size=full_size(talk.whole),
        compact_size=compact_size(talk.messages),
        heeded=heeded or "",
        **asdict(spent),
        **_mine(turn),
    )
    return turn_of(rows[0]) if rows else None


async def _insert_step(
    tx: Transaction, turn: Turn, position: int, message: Message, now: int
) -> None:
    await tx.execute(
        """
        INSERT INTO messages (conversation, position, turn, role, state, said_at, content)
        VALUES (:conversation, :position, :number, :role, 'taken', :now, :content)
        """,
        conversation=turn.conversation,
        position=position,
        number=turn.number,
        role=message.role,
        now=now,
        content=encode(message),
    )


async def lock(tx: Transaction, turn: Turn, *, positions: int = 1) -> int:
    position = await conversations.lock(tx, turn.conversation, positions=positions)
    if position is None:
        raise await superseded(tx, turn)
    return position


async def _unheeded(tx: Transaction, turn: Turn) -> Stop:
    rows = await tx.fetch(
        f"SELECT fence, state, {WISH} AS wish FROM turns WHERE id = :id",  # noqa: S608 - of ours
        id=turn.id,
    )
    if rows and rows[0]["fence"] == turn.fence and rows[0]["state"] == "running":
        wish: Stop = rows[0]["wish"]
        return wish
    raise Superseded("taken" if rows else "erased")


async def _close(tx: Transaction, turn: Turn, state: Literal["done", "failed"]) -> None:
    await lock(tx, turn)
    closed = await tx.execute(
        """
        UPDATE turns SET state = :state WHERE conversation = :conversation AND number = :number
          AND fence = :fence AND state = 'sending' AND erased <> 2
        """,
        state=state,
        **_mine(turn),
    )
    if not closed:
        raise await superseded(tx, turn)


def _mine(turn: Turn) -> dict[str, str | int]:
    return {"conversation": turn.conversation, "number": turn.number, "fence": turn.fence}
