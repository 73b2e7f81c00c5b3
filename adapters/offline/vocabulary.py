"""All words that mean something here: others may be an item's name, or a known word mistyped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from adapters.offline.framing import ASKING, BESIDE, DEEDS, FRAMES, REASONS
from adapters.offline.manners import HOW, LEADS, PADDING, YES_COMPANY
from adapters.offline.phrases import CUES, OTHER_MATTERS
from adapters.offline.pointers import POINTERS

FUNCTION_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
a able about after ago all already also am amazon an and any anything are as ask asking at back
be because been before being better big bit bring but buy by came can check checking come
company could curious customer day days desk did do does doing done else eur euro euros even
ever far fast feel find first for friend from get getting give go going gone good got great had
happen happened has have having he hear her here him his hope how i idea if in instead into is
it item items its just keep kind know last later least let like little long look lot made make
many may maybe me mean mine month months more most much must my need never new next no not
nothing now number of off on once one ones only or order ordered ordering orders other our out over
own part per person please possible post product put question quick quickly quite real really
right said same saw say see seem service shall she shop should since so some something soon spot
stay still store stuff such support take talk tell than that the their them then there these
they thing things think this those though thought through time times to today told tomorrow too
try turn two under until up us use very via want wanted was way we week weeks went were what
whats when where whether which while who whole whom whose why will wish with within without
wondering word words work works would yes yesterday yet you your yours
""",
    )
)


_WORD = re.compile(r"(?P<stem>[a-z]{2,})(?P<last>\?|)(?:\(\?:(?P<endings>[a-z|]+)\))?")


def _words(phrases: Iterable[str]) -> Iterator[str]:
    for phrase in phrases:
        for word in _WORD.finditer(re.sub(r"\\\w", " ", phrase)):
            yield from _forms(*word.group("stem", "last", "endings"))


def _forms(stem: str, last: str, endings: str | None) -> Iterator[str]:
    """ "orders?" stands for "orders" and "order", "refund(?:s|ed)" for three words."""
    yield stem
    if last:
        yield stem[:-1]
    yield from (stem + ending for ending in (endings or "").split("|") if ending)


def _all_phrases() -> Iterator[str]:
    framing = (ASKING, DEEDS, BESIDE, REASONS, FRAMES)
    manners = (OTHER_MATTERS, PADDING, YES_COMPANY, HOW)
    for table in (*(cue.phrases for cue in CUES), *framing, *manners):
        yield from table
    for _, phrases in (*LEADS, *POINTERS):
        yield from phrases


KNOWN = frozenset(_words(_all_phrases())) | FUNCTION_WORDS
# What may stand in a clause that only names an order: "and my other one", "for order number 1042".
POINTING = frozenset(_words(phrase for _, phrases in POINTERS for phrase in phrases)) | frozenset(
    re.findall(
        r"\w+",
        "a an about and but for in is it my mine not number of on or order rather regarding the to "
        "with your then please now instead again its only just two was were",
    )
)
