"""What was used, by whom and in all, and whether somebody may go on: stored, so that a restart
changes nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self

from memory.database import Transaction

TOTAL_KEPT = 400
"""Days for which the sums of all together are kept; those of a person go with their day."""

Why = Literal["pace", "person", "total"]
"""Too many messages in a minute; the person's budget is used up, or that of all together."""

_TOTAL = "total"
_DAY = 24 * 3_600_000  # ms
_MINUTE = 60_000  # ms


@dataclass(frozen=True, slots=True)
class Used:
    """Tokens of today (UTC), of one person and of all together."""

    tokens: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Allowance:
    """What may be used at most; 0 is no limit."""

    messages_per_minute: int = 0
    person_tokens_per_day: int = 0
    total_tokens_per_day: int = 0

    def on(self, platform: str) -> Self:
        """Whoever sits at the terminal runs Nimbus: only what all may use together counts there."""
        if platform != "terminal":
            return self
        return replace(self, messages_per_minute=0, person_tokens_per_day=0)

    def exhausted(self, used: Used) -> Why | None:
        """Which budget is used up."""
        if 0 < self.person_tokens_per_day <= used.tokens:
            return "person"
        return "total" if 0 < self.total_tokens_per_day <= used.total else None

    def left(self, used: Used) -> int | None:
        """Tokens that a person may still use today; None: there is no limit."""
        lefts = [
            max(0, limit - so_far)
            for limit, so_far in (
                (self.person_tokens_per_day, used.tokens),
                (self.total_tokens_per_day, used.total),
            )
            if limit
        ]
        return min(lefts, default=None)


UNLIMITED = Allowance()


@dataclass(frozen=True, slots=True)
class Refused:
    """`is_news`: the person has not heard of it in this minute, or on this day."""

    why: Why
    is_news: bool


async def admit(tx: Transaction, subject: str, allowance: Allowance) -> Refused | None:
    """Count a message of the person; a refusal, or None: it may wait for an answer."""
    messages, used = await _count_message(tx, subject)
    why = allowance.exhausted(used)
    if why is not None:
        return Refused(why, is_news=await _tell(tx, subject))
    if 0 < allowance.messages_per_minute < messages:
        return Refused("pace", is_news=messages == allowance.messages_per_minute + 1)
    return None


async def read(tx: Transaction, subject: str) -> Used:
    rows = await tx.fetch(
        "SELECT subject, tokens FROM usage WHERE day = :day AND subject IN (:subject, 'total')",
        day=await _today(tx),
        subject=subject,
    )
    tokens = {row["subject"]: row["tokens"] for row in rows}
    return Used(tokens.get(subject, 0), tokens.get(_TOTAL, 0))


async def add(
    tx: Transaction, subject: str, tokens: int, *, turns: int = 1, tells: bool = False
) -> None:
    """Note what was spent for the person; `tells`: they hear that a budget is used up.

    The last statement of its transaction, for every other one waits for the row of all together.
    """
    await tx.execute(
        """
        INSERT INTO usage (day, subject, turns, tokens, told_at)
        VALUES (:day, :subject, :turns, :tokens, :told_at), (:day, 'total', :turns, :tokens, NULL)
        ON CONFLICT (day, subject) DO UPDATE SET
          turns = usage.turns + excluded.turns, tokens = usage.tokens + excluded.tokens,
          told_at = COALESCE(usage.told_at, excluded.told_at)
        """,
        day=await _today(tx),
        subject=subject,
        turns=turns,
        tokens=tokens,
        told_at=await tx.now() if tells else None,
    )


async def add_to_total(tx: Transaction, tokens: int) -> None:
    """Note what nobody asked for, and what is spent all the same. The last statement, too."""
    await tx.execute(
        """
        INSERT INTO usage (day, subject, turns, tokens) VALUES (:day, 'total', 0, :tokens)
        ON CONFLICT (day, subject) DO UPDATE SET tokens = usage.tokens + excluded.tokens
        """,
        day=await _today(tx),
        tokens=tokens,
    )


async def sweep(tx: Transaction) -> None:
    """Delete a person's sums when their day is over, those of all together much later."""
    today = await _today(tx)
    await tx.execute(
        "DELETE FROM usage WHERE day < :today AND (subject <> 'total' OR day < :kept_from)",
        today=today,
        kept_from=today - TOTAL_KEPT,
    )


async def _count_message(tx: Transaction, subject: str) -> tuple[int, Used]:
    """How many messages the person has written in this minute, which began with its first one.

    A minute that begins in the future is one of a clock that was set back.
    """
    now = await tx.now()
    rows = await tx.fetch(
        """
        INSERT INTO usage (day, subject, minute_from, messages) VALUES (:day, :subject, :now, 1)
        ON CONFLICT (day, subject) DO UPDATE SET
          messages = CASE WHEN usage.minute_from BETWEEN :minute_ago AND :now
            THEN usage.messages + 1 ELSE 1 END,
          minute_from = CASE WHEN usage.minute_from BETWEEN :minute_ago AND :now
            THEN usage.minute_from ELSE :now END
        RETURNING messages, tokens, COALESCE((SELECT all_of.tokens FROM usage all_of
          WHERE all_of.day = :day AND all_of.subject = 'total'), 0) AS total
        """,
        day=now // _DAY,
        subject=subject,
        now=now,
        minute_ago=now - _MINUTE + 1,
    )
    return rows[0]["messages"], Used(rows[0]["tokens"], rows[0]["total"])


async def _tell(tx: Transaction, subject: str) -> bool:
    told = await tx.execute(
        """
        UPDATE usage SET told_at = :now
        WHERE day = :day AND subject = :subject AND told_at IS NULL
        """,
        now=await tx.now(),
        day=await _today(tx),
        subject=subject,
    )
    return told > 0


async def _today(tx: Transaction) -> int:
    return await tx.now() // _DAY
