"""What is asked, of the words alone: nothing is known here of the conversation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from adapters.offline.asks import Ask, Said
from adapters.offline.consent import in_earnest, is_negative, is_plain, is_request
from adapters.offline.manners import HEARD, HOW, LEADS, PADDING, YES_COMPANY
from adapters.offline.phrases import CUES, OTHER_MATTERS, Intent, compiled
from adapters.offline.references import Reference, reference
from adapters.offline.vocabulary import KNOWN, POINTING
from adapters.offline.words import mender, sentences

_mend = mender(KNOWN)
_CUES = tuple((cue, compiled(*cue.phrases)) for cue in CUES)
_LEADS = tuple((intent, compiled(*phrases)) for intent, phrases in LEADS)
_PADDING = compiled(*PADDING)
_HOW = compiled(*HOW)
_HEARD = compiled(*HEARD)
_YES_COMPANY = re.compile(rf"(?:(?:{'|'.join(YES_COMPANY)})(?!\w) ?)*")
_ITS_ORDER = re.compile(r"(?:for|the|my|order|#|\d|it)(?!\w)")
_OTHER_MATTERS = compiled(*OTHER_MATTERS)
_MONEY = compiled("refund(?:ed|s)?|return(?:ed|s)?|money")
_REQUEST = compiled("request|ticket|claim|case")
_TO_YOU = compiled("(?:can|could|would|will) you")
_CHOSEN = {"oldest", "newest", "dearest", "cheapest"}
_LONGEST_NAME = 3  # words


def understand(questions: Iterable[str]) -> tuple[Ask, ...]:
    """Everything that is asked in these messages, in their order; acts only if in earnest."""
    texts = tuple(questions)
    found = ((text, sentence) for text in texts for sentence in sentences(text, _mend))
    said = tuple(
        Said(number, clause, tuple(replace(ask, text=text) for ask in _asks(clause)))
        for number, (text, sentence) in enumerate(found)
        for clause in sentence
    )
    return in_earnest(said, texts)


def _asks(clause: str) -> Iterator[Ask]:
    leads, rest = _leads(clause)
    matter = _matter(rest)
    if "yes" in leads and _HEARD.search(clause):
        leads = ["unsure" if lead == "yes" else lead for lead in leads]
    elif "yes" in leads:
        matter, leads = _with_yes(rest, matter), [lead for lead in leads if lead != "yes"]
    yield from (Ask(lead, clause) for lead in leads)
    if matter:
        yield matter


def _with_yes(rest: str, matter: Ask | None) -> Ask:
    """A yes stays clear beside its own order or the act itself, not beside anything else."""
    if rest == "?":
        return Ask("unsure", rest)
    is_company = _YES_COMPANY.fullmatch(rest.rstrip(" ?"))
    if matter is None or (is_company and matter.intent != "open"):
        is_doubt = rest.endswith("?") and not _TO_YOU.match(rest)
        return Ask("unsure" if is_doubt else "yes", rest, reference(rest))
    intent = _beside_yes(rest, matter)
    strict = _strict(matter.reference) if intent in {"yes", "open"} else matter.reference
    return replace(matter, intent=intent, reference=strict)


def _beside_yes(rest: str, matter: Ask) -> Intent:
    if matter.intent == "other":
        return "unsure"
    if not is_plain(rest.rstrip(" ?")):
        return matter.intent
    if matter.intent == "about" and _ITS_ORDER.match(rest):
        return "yes"
    is_act = matter.intent == "refund" and _REQUEST.search(rest) and not _is_asking(rest)
    return "open" if is_act else matter.intent


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
    intent = _intent(clause, about)
    if intent == "open":
        about = _strict(about)
    if intent == "about" and about.names and not about.named:
        about = replace(about, bare=True)
    return Ask(intent, clause, about)


def _strict(about: Reference) -> Reference:
    """Where something is done, an unknown word is an item's name or a reason to ask."""
    return replace(about, named=bool(about.names))


def _intent(clause: str, about: Reference) -> Intent:
    words = clause.rstrip(" ?")
    scores: Counter[Intent] = Counter()
    for cue, pattern in _CUES:
        if pattern.search(words):
            scores[cue.intent] += cue.weight
    if not scores:
        return _without_cue(words, about)
    if scores["open"] and is_request(clause):
        return "cannot" if _is_other_matter(clause) else "open"
    best = max(scores, key=lambda intent: scores[intent])
    if best == "list" and about.pointer in _CHOSEN:
        return "details"
    if best == "about" and about.is_empty:
        return "other"
    return _no_request(clause) if best == "open" else best


def _no_request(clause: str) -> Intent:
    """Where a deed is spoken of but not asked for, and only refund requests can be opened here."""
    if _is_other_matter(clause):
        return "cannot"
    return "no" if is_negative(clause) and not clause.endswith("?") else "refund"


def _is_other_matter(clause: str) -> bool:
    return bool(_OTHER_MATTERS.search(clause)) and not _MONEY.search(clause)


def _without_cue(words: str, about: Reference) -> Intent:
    """Only an order is named, or nothing that this model understands."""
    rest = {word for word in words.split() if word.isalpha()} - {*about.names, *POINTING}
    is_sentence = len(about.names) > _LONGEST_NAME or (
        about.names and not about.named and about.pointer == "it"
    )
    if about.numbers and rest:
        return "details"
    return "other" if rest or is_sentence or about.is_empty else "about"
