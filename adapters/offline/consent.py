"""What makes a request a request: its own words, said in earnest, and not taken back.

Whatever leaves a doubt is asked about. To ask once more harms nobody; an unwanted act does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from adapters.offline import framing
from adapters.offline.asks import Ask, Said
from adapters.offline.framing import any_of
from adapters.offline.phrases import Intent, compiled
from adapters.offline.vocabulary import KNOWN

_LONGEST_REQUEST = 160  # characters
_LONGEST_MESSAGE = 1_000
_SHORTEST_NAME = 3
_ASKING = re.compile(rf"{any_of(*framing.ASKING)} (?={any_of(*framing.DEEDS)}\b)")
_DEED = re.compile(rf"(?:{any_of(*framing.DEEDS)}|{framing.ASKED_TO_MIND})(?!\w)")
_TO_YOU = re.compile(r"(?:can|could|would|will) you\b")
_BECAUSE = re.compile(rf" {any_of(framing.BECAUSE)} ")
_AT_ONCE = compiled("(?:right|straight) (?:away|now)")
_BESIDE = re.compile(any_of(*framing.BESIDE))
_REASON = re.compile(any_of(*framing.BESIDE, *framing.REASONS))
_REQUESTS, _STAND_INS = compiled(framing.REQUESTS), compiled(framing.STAND_INS)
_ORDERS, _BEFORE_AN_ORDER = compiled(framing.ORDERS), compiled(framing.BEFORE_AN_ORDER)
_PLURAL, _SEVERAL = compiled(framing.PLURAL), compiled(framing.SEVERAL)
_NEGATIVE = compiled(framing.NEGATIVE)
_COMPLAINT = re.compile(framing.COMPLAINT)
_FRAMES = compiled(*framing.FRAMES)
_LAUGHTER = compiled(framing.LAUGHTER)
# Quotation marks, brackets, colons, code and laughing faces are not for plain requests.
_PLAIN_TEXT = re.compile(
    r"(?:[^\W_]|(?<=\w)['\u2019]|(?<=\s)\((?=\w)|(?<=[\w.!?])\)|(?<=\s):-?\)|;(?=\s)"
    r"|[\s.,!?#@&+%€$\-\u2013\u2014…👍🙏😊🙂❤\ufe0f])*"
)
_DOUBTED: dict[Intent, Intent] = {"yes": "unsure", "open": "refund"}
# What may be said after a request and leave it one; the first are weighed in the dialogue.
_WEIGHED: tuple[Intent, ...] = ("correct", "hold", "no", "reversal", "unsure")
_SMALL: tuple[Intent, ...] = ("bye", "greet", "help", "mood", "okay", "thanks", "yes")
_MATTERS: tuple[Intent, ...] = ("about", "details", "list", "open", "policy", "recall", "refund")
_HARMLESS = frozenset((*_WEIGHED, *_SMALL, *_MATTERS))


def is_request(clause: str) -> bool:
    """Somebody asks for the deed, of us, now: "open …", "can you open …", "I want you to …"."""
    words = clause.rstrip(" ?")
    asking = _ASKING.match(words)
    deed = _DEED.match(words, asking.end() if asking else 0)
    if deed is None or len(words) > _LONGEST_REQUEST:
        return False
    if clause.endswith("?") and not (_TO_YOU.match(words) or deed.group().startswith("would")):
        return False
    if _PLURAL.search(words) and not _SEVERAL.search(words):
        return False
    return _is_of_a_request(words[deed.end() :]) and is_plain(words[deed.end() :])


def _is_of_a_request(words: str) -> bool:
    """ "The refund request", "it"; not "the headphones" or "one more order"."""
    subject = _BEFORE_AN_ORDER.split(words)[0]
    if _REQUESTS.search(subject):
        return True
    return bool(_STAND_INS.search(subject)) and not _ORDERS.search(subject)


def is_plain(words: str) -> bool:
    """Nothing is said but what a request needs, and why it is made."""
    deed, *reasons = _BECAUSE.split(_AT_ONCE.sub("now", words))
    return _all(_BESIDE, deed) and all(_all(_REASON, reason) for reason in reasons)


def is_negative(words: str) -> bool:
    return bool(_NEGATIVE.search(words))


def _all(allowed: re.Pattern[str], words: str) -> bool:
    return all(allowed.fullmatch(word) or _may_be_a_name(word) for word in words.split())


def _may_be_a_name(word: str) -> bool:
    return len(word) >= _SHORTEST_NAME and word.isalpha() and word not in KNOWN


def in_earnest(said: Sequence[Said], texts: Sequence[str]) -> tuple[Ask, ...]:
    """What is asked, with a question in the place of each act that leaves a doubt."""
    is_framed = not all(map(_is_plain_text, texts)) or any(
        _FRAMES.search(each.words) for each in said
    )
    return tuple(
        _doubted(ask) if is_framed or _is_doubtful(place, ask, said) else ask
        for place, each in enumerate(said)
        for ask in each.asks
    )


def _is_plain_text(text: str) -> bool:
    return len(text) <= _LONGEST_MESSAGE and _PLAIN_TEXT.fullmatch(text) is not None


def _doubted(ask: Ask) -> Ask:
    return replace(ask, intent=_DOUBTED.get(ask.intent, ask.intent))


def _is_doubtful(place: int, ask: Ask, said: Sequence[Said]) -> bool:
    if ask.intent not in _DOUBTED:
        return False
    if any(other.intent == "forget" for each in said for other in each.asks):
        return True  # who wants to be forgotten did not mean that with "please"
    beside = [each for each in said[:place] if each.sentence == said[place].sentence]
    return any(map(_denies, beside)) or any(_takes_back(ask, each) for each in said[place + 1 :])


def _denies(said: Said) -> bool:
    """ "I never want to see you go | and open one", but not "no thanks" and "I do not like it"."""
    if any(ask.intent in _WEIGHED for ask in said.asks):
        return False
    return is_negative(said.words) and not _COMPLAINT.fullmatch(said.words)


def _takes_back(act: Ask, said: Said) -> bool:
    """Whatever is not understood may mean "just kidding"."""
    if _LAUGHTER.search(said.words) or _denies(said):
        return True
    return any(ask.intent not in _HARMLESS or _is_odd(act, ask) for ask in said.asks)


def _is_odd(act: Ask, ask: Ask) -> bool:
    """ "Open one for 1042. Psych!" names no item; "Open one. The headphones." does."""
    if ask.intent != "about" or not ask.reference.names:
        return False
    return ask.reference.bare or not act.reference.looks_back
