"""What is asked, of the words alone: nothing is known here of the conversation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from adapters.offline.manners import HOW, LEADS, PADDING, YES_COMPANY
from adapters.offline.phrases import CUES, OTHER_MATTERS, Intent, compiled
from adapters.offline.references import NOWHERE, Reference, reference
from adapters.offline.vocabulary import KNOWN, POINTING
from adapters.offline.words import clauses, mender

_mend = mender(KNOWN)
_CUES = tuple((cue, compiled(*cue.phrases)) for cue in CUES)
_LEADS = tuple((intent, compiled(*phrases)) for intent, phrases in LEADS)
_PADDING = compiled(*PADDING)
_HOW = compiled(*HOW)
_YES_COMPANY = re.compile(rf"(?:(?:{'|'.join(YES_COMPANY)})(?!\w) ?)*")
_ITS_ORDER = re.compile(r"(?:for|the|my|order|#|\d|it)(?!\w)")
_OTHER_MATTERS = compiled(*OTHER_MATTERS)
_MONEY = compiled("refund(?:ed|s)?|return(?:ed|s)?|money")
_REQUEST = compiled("request|ticket|claim|case")
_CHOSEN = {"oldest", "newest", "dearest", "cheapest"}
_LONGEST_NAME = 3  # words


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing that somebody wants. `text`: the message in which it stands."""

    intent: Intent
    clause: str = ""
    reference: Reference = NOWHERE
    text: str = ""

    @property
    def is_question(self) -> bool:
        return self.clause.endswith("?")


def understand(questions: Iterable[str]) -> tuple[Ask, ...]:
    """Everything that is asked in these messages, in their order."""
    return tuple(
        replace(ask, text=text)
        for text in questions
        for clause in clauses(text, _mend)
        for ask in _asks(clause)
    )


def _asks(clause: str) -> Iterator[Ask]:
    leads, rest = _leads(clause)
    matter = _matter(rest)
    if "yes" in leads:
        matter, leads = _with_yes(rest, matter), [lead for lead in leads if lead != "yes"]
    yield from (Ask(lead, clause) for lead in leads)
    if matter:
        yield matter


def _with_yes(rest: str, matter: Ask | None) -> Ask:
    """A yes stays clear beside its own order or the act itself, not beside anything else."""
    if rest == "?":
        return Ask("unsure", rest)
    plain = _YES_COMPANY.fullmatch(rest.rstrip(" ?"))
    if matter is None or (plain and matter.intent != "open"):
        return Ask("yes", rest, reference(rest))
    if matter.intent == "about" and _ITS_ORDER.match(rest):
        return replace(matter, intent="yes")
    if matter.intent == "refund" and _REQUEST.search(rest) and not _is_asking(rest):
        return replace(matter, intent="open")
    return replace(matter, intent="unsure") if matter.intent == "other" else matter


def _is_asking(words: str) -> bool:
    return words.endswith("?") or bool(_HOW.search(words))


def _leads(clause: str) -> tuple[list[Intent], str]:
    """Take off what people say before the matter; the rest is the matter."""
    found: list[Intent] = []
    while True:
        for intent, words in _LEADS:
            if match := words.match(clause):
                found.append(intent)
                break
        else:
            match = _PADDING.match(clause)
        if not match:
            return found, clause
        clause = clause[match.end() :].lstrip()


def _matter(clause: str) -> Ask | None:
    words = clause.rstrip(" ?")
    if not words:
        return None
    about = reference(words)
    intent = _intent(words, about)
    if intent == "about" and about.names and not about.named:
        about = replace(about, bare=True)
    return Ask(intent, clause, about)


def _intent(words: str, about: Reference) -> Intent:
    scores: Counter[Intent] = Counter()
    for cue, pattern in _CUES:
        if pattern.search(words):
            scores[cue.intent] += cue.weight
    if not scores:
        return _without_cue(words, about)
    best = max(scores, key=lambda intent: scores[intent])
    if best == "list" and about.pointer in _CHOSEN:
        return "details"
    if best == "about" and about.is_empty:
        return "other"
    return _kind_of_opening(words) if best == "open" else best


def _kind_of_opening(words: str) -> Intent:
    """To ask how or whether is no order to act, and only refund requests can be opened here."""
    if _HOW.search(words):
        return "refund"
    is_other = _OTHER_MATTERS.search(words) and not _MONEY.search(words)
    return "cannot" if is_other else "open"


def _without_cue(words: str, about: Reference) -> Intent:
    """Only an order is named, or nothing that this model understands."""
    rest = {word for word in words.split() if word.isalpha()} - {*about.names, *POINTING}
    is_sentence = len(about.names) > _LONGEST_NAME or (
        about.names and not about.named and about.pointer == "it"
    )
    if about.numbers and rest:
        return "details"
    return "other" if rest or is_sentence or about.is_empty else "about"
