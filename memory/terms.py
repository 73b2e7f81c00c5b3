"""The terms by which a text is found again: words without their endings, identifiers, and pairs of
signs where a language sets no blanks. Pure, and the same for a text and for who searches it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_STEM = 6
"""Letters of a word that count: endings differ behind them, in whatever language it is."""

_SHORTEST_NUMBER = 3  # digits; shorter ones are everywhere
_LONGEST = 64  # characters of a term

# A run of one kind: CJK signs; letters and digits, joined where identifiers are.
_TOKENS = re.compile(
    r"(?P<signs>[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]+)"
    r"|(?P<word>[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"
    r"(?:[-_./:@'’#][^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+)*)"
)
_PARTS = re.compile(r"[^\W_]+")
_HIRAGANA = re.compile(r"[\u3040-\u309f]+")
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Found:
    """A term where it stands in the text, from and to (characters)."""

    term: str
    start: int
    end: int


def find_terms(text: str) -> Iterator[Found]:
    """Every term, in order; identifiers whole, and their parts beside them."""
    for token in _TOKENS.finditer(text):
        if token["signs"]:
            yield from _pairs(token["signs"], token.start())
        else:
            yield from _words(token["word"], token.start())


def count_terms(text: str) -> Counter[str]:
    return Counter(found.term for found in find_terms(text))


def is_identifier(term: str) -> bool:
    """Whether it names one thing and no other, letter for letter."""
    return bool(_DIGIT.search(term))


def _pairs(signs: str, start: int) -> Iterator[Found]:
    """Each two neighbours, as no blank tells where a word ends; one that stands alone as it is.

    Hiragana beside other signs is grammar.
    """
    if len(signs) == 1:
        yield Found(signs, start, start + 1)
    is_mixed = not _HIRAGANA.fullmatch(signs)
    for index in range(len(signs) - 1):
        pair = signs[index : index + 2]
        if not (is_mixed and _HIRAGANA.fullmatch(pair)):
            yield Found(pair, start + index, start + index + 2)


def _words(token: str, start: int) -> Iterator[Found]:
    parts = list(_PARTS.finditer(token))
    if len(parts) > 1 and _DIGIT.search(token):
        yield Found(_fold(token)[:_LONGEST], start, start + len(token))
    for part in parts:
        if term := _term(_fold(part[0])):
            yield Found(term, start + part.start(), start + part.end())


def _term(word: str) -> str:
    """Its stem, or nothing where the word says nothing by itself."""
    if _DIGIT.search(word):
        is_small = word.isdigit() and len(word) < _SHORTEST_NUMBER
        return "" if is_small else word[:_LONGEST]
    if word in _STOP or len(word) == 1:
        return ""
    return _stem(word)


def _stem(word: str) -> str:
    """The first letters; of a shorter word all but the usual endings of a plural or a case."""
    if len(word) > _STEM:
        return word[:_STEM]
    for ending in _ENDINGS:
        if len(word) - len(ending) >= 3 and word.endswith(ending):  # noqa: PLR2004 - letters
            return word[: -len(ending)]
    return word


_ENDINGS = ("es", "en", "s", "e", "a", "\u0430")  # the last one is Cyrillic


def _fold(word: str) -> str:
    """Small letters without accents."""
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


_STOP = frozenset(Path(__file__).with_name("stop_words.txt").read_text("utf-8").split())
