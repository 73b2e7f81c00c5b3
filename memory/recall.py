"""Queries on recall: the terms of the turns before the cut, and the turns that a question means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from memory import history
from memory.database import Row, Transaction
from memory.excerpts import Recalled, distinct
from memory.ranking import MOST_POSTINGS, Posting, Ranked, rank, weigh
from memory.terms import count_terms, is_identifier
from memory.window import StoredTurn

MOST_TERMS = 24
"""Terms of a question that are looked up."""

MOST_OF_A_TURN = 300
"""Terms of a turn that are kept: identifiers first, then those that stand there most."""

_TOGETHER = 50  # rows in one statement
_BEST = 2
_LEAST_SHARE = 0.11  # of what the question names; in Chinese and Japanese much of it is grammar
_LEAST_WORTH = 0.8  # of a word that one turn alone has
_NEARLY_AS_GOOD = 0.75  # of the best one's score


async def write_terms(tx: Transaction, conversation: str, turns: Iterable[StoredTurn]) -> None:
    """Keep by which terms the turns are found, in place of what was kept of them."""
    rows: list[tuple[str, int, int]] = []
    for turn in turns:
        await drop_terms(tx, conversation, turn.number)
        rows += [(term, turn.number, hits) for term, hits in terms_of(turn)]
    for start in range(0, len(rows), _TOGETHER):
        await _insert(tx, conversation, rows[start : start + _TOGETHER])


async def rewrite_terms(tx: Transaction, conversation: str, number: int) -> None:
    """The words of a turn have changed: of one before the cut its terms are made anew."""
    is_kept = await tx.fetch(
        "SELECT 1 FROM conversations WHERE id = :id AND window_from > :number",
        id=conversation,
        number=number,
    )
    if is_kept:
        await write_terms(tx, conversation, await history.read_turns(tx, conversation, [number]))


async def drop_terms(tx: Transaction, conversation: str, number: int) -> None:
    await tx.execute(
        "DELETE FROM recall WHERE conversation = :conversation AND turn = :turn",
        conversation=conversation,
        turn=number,
    )


async def find(
    tx: Transaction, conversation: str, question: str, beside: Sequence[StoredTurn] = ()
) -> list[Recalled]:
    """The few turns that the question means, the oldest first; none where nothing matches well.

    They are turns before the cut, and of those `beside`, which are in the window without them, the
    results of tools.
    """
    wanted = _wanted(question)
    chosen = await _choose(tx, conversation, wanted, beside)
    if not chosen:
        return []
    turns = await history.read_turns(tx, conversation, [each.text for each in chosen])
    in_window = {turn.number for turn in beside}
    return distinct([Recalled(turn, frozenset(wanted), turn.number in in_window) for turn in turns])


def terms_of(turn: StoredTurn) -> list[tuple[str, int]]:
    """With how often each stands in what was asked, answered and found by tools."""
    counted: Counter[str] = Counter()
    for message in turn.messages:
        counted += count_terms(message.text)
    counted += _terms_found(turn)
    ranked = sorted(counted.items(), key=lambda item: (not is_identifier(item[0]), -item[1]))
    return ranked[:MOST_OF_A_TURN]


def _wanted(question: str) -> list[str]:
    """Identifiers first; then in the order in which they were said."""
    terms = list(count_terms(question))
    return sorted(terms, key=lambda term: not is_identifier(term))[:MOST_TERMS]


def _terms_found(turn: StoredTurn) -> Counter[str]:
    """Of the results of its tools."""
    counted: Counter[str] = Counter()
    for message in turn.messages:
        for result in message.results:
            counted += count_terms(result.text)
    return counted


async def _choose(
    tx: Transaction, conversation: str, wanted: Sequence[str], beside: Sequence[StoredTurn]
) -> list[Ranked]:
    """Nearly as good as the best one, if that answers to enough of the question."""
    rows = await _read_postings(tx, conversation, wanted)
    postings = [Posting(row["term"], row["turn"], row["hits"]) for row in rows]
    for turn in beside:
        found = _terms_found(turn)
        postings += [Posting(term, turn.number, found[term]) for term in wanted if term in found]
    if not postings:
        return []
    texts = max((row["texts"] for row in rows), default=0) + len(beside)
    ranked = rank(wanted, postings, texts)
    least = max(ranked[0].score * _NEARLY_AS_GOOD, weigh(1, texts) * _LEAST_WORTH)
    good = [each for each in ranked if each.share >= _LEAST_SHARE and each.score >= least]
    return good[:_BEST]


async def _insert(tx: Transaction, conversation: str, rows: Sequence[tuple[str, int, int]]) -> None:
    values = ", ".join(f"(:conversation, :term{i}, :turn{i}, :hits{i})" for i in range(len(rows)))
    bound: dict[str, str | int] = {}
    for i, (term, turn, hits) in enumerate(rows):
        bound |= {f"term{i}": term, f"turn{i}": turn, f"hits{i}": hits}
    await tx.execute(
        f"INSERT INTO recall (conversation, term, turn, hits) VALUES {values}",  # noqa: S608 - ours
        conversation=conversation,
        **bound,
    )


async def _read_postings(tx: Transaction, conversation: str, wanted: Sequence[str]) -> list[Row]:
    """The newest of each term; `texts` is how many turns are before the cut."""
    padded = (*wanted, *[""] * MOST_TERMS)[:MOST_TERMS]
    terms = {f"term{i}": term for i, term in enumerate(padded)}
    return await tx.fetch(_POSTINGS, conversation=conversation, most=MOST_POSTINGS, **terms)


_OF_A_TERM = """
  SELECT * FROM (SELECT term, turn, hits FROM recall
    WHERE conversation = :conversation AND term = :{name}
    ORDER BY turn DESC LIMIT :most) AS {name}
"""
_OF_ALL = " UNION ALL ".join(_OF_A_TERM.format(name=f"term{i}") for i in range(MOST_TERMS))
_POSTINGS = f"""
  SELECT f.term, f.turn, f.hits, c.window_from - 1 AS texts
  FROM conversations c JOIN ({_OF_ALL}) AS f ON f.turn < c.window_from
  WHERE c.id = :conversation
"""  # noqa: S608 - texts of ours
