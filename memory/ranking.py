"""Which of many texts a question means: BM25, and how much of the question they answer. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log

_SATURATION = 1.2  # BM25's k1; lengths do not count, since a long result is no worse place

MOST_POSTINGS = 64
"""Newest texts that are read of a term. One with so many tells little."""


@dataclass(frozen=True, slots=True)
class Posting:
    """A term stands so often in a text, which is known by its number."""

    term: str
    text: int
    hits: int


@dataclass(frozen=True, slots=True)
class Ranked:
    """`share` is how much of what the question names stands in the text, from 0 to 1."""

    text: int
    score: float
    share: float


def rank(wanted: Iterable[str], postings: Iterable[Posting], texts: int) -> list[Ranked]:
    """The texts that have any of the wanted terms, of so many in all; the best first, of equals
    the newest."""
    found: Mapping[str, list[Posting]] = _by_term(postings)
    weights = {term: weigh(len(found.get(term, ())), texts) for term in wanted}
    whole = sum(weights.values())
    scores: dict[int, float] = defaultdict(float)
    shares: dict[int, float] = defaultdict(float)
    for term, weight in weights.items():
        for each in found.get(term, ()):
            scores[each.text] += weight * each.hits * (_SATURATION + 1) / (each.hits + _SATURATION)
            shares[each.text] += weight
    ranked = (Ranked(text, score, shares[text] / whole) for text, score in scores.items())
    return sorted(ranked, key=lambda one: (one.score, one.text), reverse=True)


def weigh(having: int, texts: int) -> float:
    """BM25's: what few texts have tells more. Of a term that was cut off it is unknown how many
    have it, and it is taken for one that many have."""
    if having >= MOST_POSTINGS:
        having = max(having, texts // 2)
    return log(1 + (texts - having + 0.5) / (having + 0.5)) if texts >= having else 0.0


def _by_term(postings: Iterable[Posting]) -> dict[str, list[Posting]]:
    found: dict[str, list[Posting]] = defaultdict(list)
    for posting in postings:
        found[posting.term].append(posting)
    return found
