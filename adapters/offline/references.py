"""Which order is spoken of: a number, a word of its name, or something that points at it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from adapters.offline.phrases import compiled
from adapters.offline.pointers import POINTERS, Pointer
from adapters.offline.vocabulary import KNOWN


@dataclass(frozen=True, slots=True)
class Reference:
    """`names` are words that might be part of an item's name; `named`: one stood after "the";
    `bare`: nothing else was said."""

    numbers: tuple[int, ...] = ()
    pointer: Pointer = "none"
    names: tuple[str, ...] = ()
    named: bool = False
    bare: bool = False

    @property
    def is_empty(self) -> bool:
        return not (self.numbers or self.names) and self.pointer == "none"

    @property
    def looks_back(self) -> bool:
        """It says nothing of its own about which order."""
        return not (self.numbers or self.named) and self.pointer in {"none", "it", "them"}


NOWHERE = Reference()
_POINTERS = tuple((pointer, compiled(*phrases)) for pointer, phrases in POINTERS)
_NUMBER = re.compile(
    r"(?:(?<=\border )|(?<=\bnumber )|(?<=#))\d{1,9}\b(?![.,]\d)"
    r"|(?<![\d.,-])\b\d{3,9}\b(?![.,]\d)"
    r"(?! (?:days?|weeks?|months?|years?|hours?|minutes?|eur|euros?|dollars?|usd|percent)\b)"
)
_NO_NUMBER = re.compile(
    r"(?:(?<=\border )|(?<=\bnumber )|(?<=#))\d+(?:[.,]\d+)+|(?<!\S)-#?\d{3,}(?:[.,]\d+)*"
)
_DENIED = re.compile(
    r"\b(?:not|instead of|rather than|except|without) (?:for |the |order |number )*#?\d+"
)
_BEFORE_A_NAME = re.compile(r"\b(?:the|my|that|this|those|these|about|an?) (?:\w+ )?$")
_NO_NAME = re.compile(
    r" (?:refunds?|returns?|requests?|tickets?|claims?|orders?|money|questions?)\b"
)
STATES = frozenset({"delivered", "shipped", "paid", "unpaid"})
_STATUS = re.compile(rf"\b({'|'.join(sorted(STATES))})(?= (?:one|order|item)\b)")


def reference(clause: str) -> Reference:
    """What a clause says about which order; a word that is not known may name an item."""
    numbers = _NUMBER.findall(_DENIED.sub("", clause))
    words = [word for word in re.finditer(r"[^\W\d_]{3,}", clause) if word.group() not in KNOWN]
    odd = _NO_NUMBER.findall(clause)
    names = [*odd, *_STATUS.findall(clause), *(word.group() for word in words)]
    return Reference(
        numbers=tuple(dict.fromkeys(int(number) for number in numbers)),
        pointer=_pointer(clause),
        names=tuple(names),
        named=bool(odd) or any(_is_named(word, clause) for word in words),
    )


def _is_named(word: re.Match[str], clause: str) -> bool:
    """ "My toaster" names something; "a damn refund" does not."""
    before, after = clause[: word.start()], clause[word.end() :]
    return bool(_BEFORE_A_NAME.search(before)) and not _NO_NAME.match(after)


def _pointer(clause: str) -> Pointer:
    return next((pointer for pointer, words in _POINTERS if words.search(clause)), "none")
