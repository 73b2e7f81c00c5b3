"""What people state of themselves: name, role, place, preferences, plans, facts. Pure.

Only what is said outright, of oneself and at the beginning of a clause: a note too few is asked for
again, a wrong one is believed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from adapters.offline.traits import (
    COUNTS,
    DAYS,
    FRAMES,
    HAVES,
    LEADS,
    NATIONS,
    NO_NAMES,
    NO_PLANS,
    NO_ROLES,
    OF_A_SHOP,
    OF_THE_MOMENT,
    ROLES,
    STATES,
    SYNONYMS,
    WHEN,
)
from memory.knowledge import Topic

_LONGEST = 100  # characters of what is noted


@dataclass(frozen=True, slots=True)
class Statement:
    """`sentence`: where it stands, as it was typed."""

    topic: Topic
    text: str
    subject: str
    sentence: str


def stated(text: str) -> Iterator[Statement]:
    """At most one of each sentence's clauses, in their order."""
    for sentence in _sentences(text):
        for topic, said, subject in _read(sentence):
            yield Statement(topic, said, subject, sentence)


_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|«[^»]*»|(?<!\w)'[^']*\s[^']*'(?!\w)")
_SENTENCE = re.compile(r"[^.!?\n;]+(?:\.(?=\S)[^.!?\n;]+)*(?P<end>[.!?\n;]*)")
_TITLE = re.compile(r"\b(Dr|Mr|Mrs|Ms|Prof|St)\. ")
_CLAUSE = re.compile(
    r"\s*(?:[:–—…(]|\s-\s|,(?!\s*(?:long|short|detailed|brief|[a-z]+ed|[a-z]+ly)\b)"
    r"|\b(?:but|so|because|since then|although)\b|\band (?=(?:i|my|we|our|please|call)\b))\s*",
    re.IGNORECASE,
)
_LEAD = re.compile(rf"(?:(?:{'|'.join(LEADS)})(?!\w)[\s,]*)+", re.IGNORECASE)
_PASSING = re.compile(rf"(?:{OF_THE_MOMENT})\b", re.IGNORECASE)
_OF_A_SHOP = re.compile(rf"\b(?:{OF_A_SHOP})\b", re.IGNORECASE)
_FRAMED = re.compile(rf"\b(?:{'|'.join(FRAMES)})\b", re.IGNORECASE)


def _sentences(text: str) -> Iterator[str]:
    """Those that tell and do not ask; what stands in quotation marks is somebody else's."""
    plain = _TITLE.sub(r"\1 ", _QUOTED.sub('"', text.replace("’", "'")))
    for found in _SENTENCE.finditer(plain):
        sentence = found.group().strip()
        if "?" not in found["end"] and '"' not in sentence:
            yield sentence.rstrip(".!;")


def _read(sentence: str) -> Iterator[tuple[Topic, str, str]]:
    clauses = [clause for clause in _CLAUSE.split(sentence) if clause]
    for place, clause in enumerate(clauses):
        after = " ".join(clauses[place + 1 : place + 2])
        if _FRAMED.search(clause) or _FRAMED.match(after):
            continue
        if found := _statement(_LEAD.sub("", clause, count=1) if _LEAD.match(clause) else clause):
            yield found


def _statement(clause: str) -> tuple[Topic, str, str] | None:
    for topic, pattern, told in _PATTERNS:
        if match := pattern.match(clause):
            groups = {name: value or "" for name, value in match.groupdict().items()}
            if _PASSING.match(groups["what"]) or _OF_A_SHOP.search(groups["what"]):
                return None
            text = _shortened(told.format(**groups))
            return topic, text, _subject(topic, groups)
    return None


def _shortened(text: str) -> str:
    return " ".join(text.split())[:_LONGEST].strip(" ,")


def _subject(topic: Topic, groups: dict[str, str]) -> str:
    """What a newer preference replaces: what is preferred, whatever it is like."""
    about = groups.get("about", "").lower()
    if topic != "preference":
        return ""
    words = about or groups.get("what", "").lower()
    return next((subject for word, subject in SYNONYMS.items() if word in words.split()), about)


_BIG = r"[^\W\d_a-zß-ÿ][\w'-]*"  # a word that begins with a capital
_PROPER = rf"{_BIG}(?: (?:(?:van|von|de|der|den|la|el|bin|al) )*{_BIG})*"
_NAME = rf"(?P<what>{_PROPER})"
_PLACE = rf"(?P<what>(?:the )?{_BIG}(?:,? (?:(?:de|la|del|of|the|am|an|der) )*{_BIG})*)"
_LOW = rf"(?!(?:{NO_NAMES})\b)(?P<what>[^\W\d_][\w'-]*)"
_I_AM = r"(?:i'm|i am|im|we're|we are)"
_ROLE = rf"(?P<what>(?:[\w'-]+ ){{0,3}}?(?:{ROLES}))"


def _any(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _proper(pattern: str) -> re.Pattern[str]:
    """What is named begins with a capital; the words around it may be typed in any case."""
    return re.compile(pattern)


_PATTERNS: tuple[tuple[Topic, re.Pattern[str], str], ...] = (
    (
        "name",
        _proper(rf"(?i:my (?:full |real |first |last )?name(?:'s| is)|name's) {_NAME}"),
        "{what}",
    ),
    ("name", _any(rf"my (?:full |first )?name(?:'s| is) {_LOW}(?= now|$)"), "{what}"),
    (
        "name",
        _proper(
            rf"(?i:(?:you (?:can|may) |they |people )?(?:just )?call me|i(?: am|'m) called) "
            rf"(?!{DAYS}){_NAME}"
        ),
        "{what}",
    ),
    ("name", _proper(rf"(?i:{_I_AM}) (?P<what>(?:Dr|Mr|Mrs|Ms|Prof) {_PROPER})"), "{what}"),
    (
        "name",
        _proper(rf"(?i:{_I_AM}) (?!(?:{NATIONS})\b){_NAME}(?i: by the way| btw| here)?$"),
        "{what}",
    ),
    (
        "place",
        _proper(rf"(?i:(?:i|we) live (?P<where>in|near|at)) {_PLACE}"),
        "lives {where} {what}",
    ),
    (
        "place",
        _proper(rf"(?i:(?:i|we)(?:'ve| have)?(?: just)? moved to) {_PLACE}"),
        "moved to {what}",
    ),
    ("place", _proper(rf"(?i:{_I_AM} (?:based|living|at home) in) {_PLACE}"), "is based in {what}"),
    ("place", _proper(rf"(?i:(?:my )?home is) {_PLACE}"), "home is {what}"),
    ("place", _proper(rf"(?i:{_I_AM} in) {_PLACE}"), "is in {what}"),
    ("place", _any(rf"i (?P<where>live in|moved to) {_LOW}$"), "{where} {what}"),
    ("fact", _proper(rf"(?i:{_I_AM} from) {_PLACE}"), "is from {what}"),
    ("fact", _any(rf"{_I_AM} (?P<what>allergic to .+|\d+ years old)"), "is {what}"),
    ("fact", _any(rf"{_I_AM}(?: an?)? (?P<what>{STATES})\b"), "is {what}"),
    ("fact", _any(rf"(?:i've|i have) been(?: an?)? (?P<what>(?:{STATES})\b.*)"), "has been {what}"),
    (
        "fact",
        _any(
            rf"(?:i|we)(?: have|'ve got) (?P<what>(?:{COUNTS}) (?:\w+ ){{0,2}}(?:{HAVES})\b"
            r"(?: (?:named|called) \w+)?)"
        ),
        "has {what}",
    ),
    (
        "fact",
        _any(rf"my (?P<what>(?:{HAVES}) (?:just )?(?:turned|turns|is|are) .+|birthday is .+)"),
        "{what}",
    ),
    ("fact", _any(r"i speak (?P<what>.+)"), "speaks {what}"),
    ("role", _any(r"i work as (?:an? |the )?(?P<what>.+)"), "works as {what}"),
    (
        "role",
        _any(rf"(?:(?:i've |i have )?been|{_I_AM}) an? (?!(?:{NO_ROLES})\b){_ROLE}\b"),
        "{what}",
    ),
    (
        "role",
        _any(rf"{_I_AM} the (?!(?:{NO_ROLES})\b)(?P<what>(?:[\w-]+ ){{1,3}}(?:of|for|at) .+)"),
        "{what}",
    ),
    ("role", _any(r"i teach (?P<what>.+)"), "teaches {what}"),
    ("role", _any(r"i (?:run|lead|manage) (?P<what>(?:the|our|a) .+)"), "leads {what}"),
    (
        "plan",
        _any(rf"{_I_AM} (?P<what>(?!(?:{NO_PLANS})\b)\w+ing\b.*\b(?:{WHEN})\b.*)"),
        "is {what}",
    ),
    (
        "plan",
        _any(rf"(?:i|we)(?:'ll| will) (?P<what>(?!(?:{NO_PLANS})\b).*\b(?:{WHEN})\b.*)"),
        "will {what}",
    ),
    (
        "plan",
        _any(rf"(?:i|we)(?: have|'ve got) (?:an?|my|our|the) (?P<what>.*\b(?:{WHEN})\b.*)"),
        "{what}",
    ),
    (
        "plan",
        _any(rf"(?P<when>{WHEN}),? {_I_AM} (?P<what>(?!(?:{NO_PLANS})\b)\w+ing\b.*)"),
        "is {what} {when}",
    ),
    (
        "plan",
        _any(rf"(?P<when>{WHEN}),? (?:i|we)(?: have|'ve got) (?P<what>(?:an?|my|our|the) .*)"),
        "has {what} {when}",
    ),
    (
        "plan",
        _any(r"(?:i|we)(?:'ve| have)? (?P<what>(?:signed up|registered|booked) .*)"),
        "{what}",
    ),
    (
        "preference",
        _any(r"my (?P<about>favou?rite [\w ]+?) (?:is|are) (?P<what>.+?)(?: these days| now)?$"),
        "{about} is {what}",
    ),
    (
        "preference",
        _any(r"i(?: do| much| really| always)? prefer (?:to )?(?P<what>.+)"),
        "prefers {what}",
    ),
    (
        "preference",
        _any(r"i(?:'d| would) rather (?P<what>(?:have )?(?P<about>\w+(?: \w+)?) in .+)"),
        "would rather {what}",
    ),
    ("preference", _any(r"i(?:'d| would) rather (?P<what>.+)"), "would rather {what}"),
    (
        "preference",
        _any(r"i (?:like|love|want) my (?P<about>[\w ]+?) (?P<what>(?:in|with|without|as) .+)"),
        "likes {about} {what}",
    ),
    ("preference", _any(r"i (?:always use) (?P<what>.+)"), "always uses {what}"),
    ("preference", _any(r"i (?P<verb>like|love|hate) (?P<what>.+)"), "{verb}s {what}"),
    (
        "preference",
        _any(r"i (?:don't|do not) (?P<verb>like|eat|drink|use) (?P<what>.+)"),
        "does not {verb} {what}",
    ),
    (
        "preference",
        _any(r"(?P<verb>always|never) (?P<what>(?:write|use|answer|speak|call) .+)"),
        "wants: {verb} {what}",
    ),
    (
        "preference",
        _any(
            r"from now on,? (?:please )?"
            r"(?P<what>(?:give|write|use|answer|send|show|keep|speak|call) .+)"
        ),
        "wants: {what}",
    ),
)
