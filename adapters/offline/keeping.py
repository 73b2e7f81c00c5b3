"""Notes: what is to be noted or deleted of what was said, and what is known of the person."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from adapters.offline import retold
from adapters.offline.asks import Ask
from adapters.offline.desk import Call, found
from adapters.offline.facts import Facts, Json, Known
from adapters.offline.phrases import compiled
from adapters.offline.statements import Statement, stated
from adapters.offline.vocabulary import KNOWN
from adapters.offline.words import mender, sentences

REMEMBER, FORGET_FACT = "remember", "forget_fact"
_mend = mender(KNOWN)
_DELETE = re.compile(
    r"\b(?:forget|delete|remove|drop) (?:the )?note (?:number )?(?P<number>\d+)\b", re.IGNORECASE
)
_FORGET = re.compile(
    r"\b(?:forget|delete|remove|erase) (?:about |that |the note that )?"
    r"(?P<what>(?:my|where i|i|i'm|i am) [^.!?]+)",
    re.IGNORECASE,
)
_ABOUT: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("name", compiled("(?:what is|know|remember) my name|who am i|my name")),
    (
        "place",
        compiled("where (?:do i live|i live|am i (?:based|from))|my (?:home|city|town|address)"),
    ),
    ("role", compiled("what (?:do i do|is my (?:job|role))|my (?:job|role|profession)")),
    ("plan", compiled("my plans?|what .. i (?:planning|plan)|what am i doing")),
    ("preference", compiled("(?:what|which) .. i (?:like|prefer)|my (?:preferences?|favou?rite)")),
    ("", compiled("(?:you|do you|what you) know (?:all )?about me|about myself|note .. about me")),
)


def to_note(facts: Facts) -> tuple[Call, ...]:
    """The calls that are still to be made, of what can be called."""
    known = {(each.topic, each.text) for each in facts.notes}
    news = (each for each in _statements(facts) if (each.topic, each.text) not in known)
    calls = (*map(_noting, news), *_deleting(facts))
    return tuple(call for call in calls if call.tool in facts.tools and not found(facts, call))


def beside(asks: Sequence[Ask], facts: Facts) -> list[Ask]:
    """What is asked beside what is only told, which needs no other answer."""
    if not (REMEMBER in facts.tools or FORGET_FACT in facts.tools):
        return list(asks)
    told = [each.sentence for each in _statements(facts)]
    told += [call.group() for call in _wishes(facts)] if list(_deleting(facts)) else []
    clauses = {
        clause for text in told for sentence in sentences(text, _mend) for clause in sentence
    }
    rest = [ask for ask in asks if not _is_told(ask, clauses)]
    return [ask for ask in rest if not (told and _is_chatter(ask))]


def confirmed(facts: Facts) -> str:
    """What came of the calls of this turn; empty without any."""
    lines = []
    for lookup in facts.now.lookups:
        if lookup.tool == REMEMBER:
            is_noted = lookup.error is None
            lines.append(_noted(lookup.arguments) if is_noted else "")
        if lookup.tool == FORGET_FACT:
            lines.append(retold.deleted(str(lookup.arguments.get("note")), lookup.error))
    if not lines and _statements(facts) and REMEMBER in facts.tools:
        lines.append(retold.known_already())
    return " ".join(line for line in lines if line)


def _noted(arguments: Json) -> str:
    text = str(arguments.get("text"))
    return retold.noted(f"your name is {text}" if arguments.get("topic") == "name" else text)


def known_of(clause: str, facts: Facts) -> str | None:
    """What is known of the person in answer to this; None: it asks for nothing of the kind, or
    nothing is known."""
    for topic, words in _ABOUT:
        if words.search(clause):
            notes = [each for each in _all_known(facts) if topic in {"", each.topic}]
            return _told(topic, notes) if notes else None
    return None


def _told(topic: str, notes: Sequence[Known]) -> str:
    if topic == "name":
        return retold.told("name", notes[-1].text)
    return retold.known([(each.number, each.text) for each in notes])


def _all_known(facts: Facts) -> list[Known]:
    """The notes, and what was noted since they were read, which is in this turn. Of earlier turns
    they are all there is: the rest was replaced, deleted, or said by somebody else."""
    fresh = (
        Known(0, str(each.arguments.get("topic")), str(each.arguments.get("text")))
        for each in facts.now.lookups
        if each.tool == REMEMBER and each.error is None
    )
    seen = {each.text for each in facts.notes}
    return [*facts.notes, *(each for each in fresh if each.text not in seen)]


def _statements(facts: Facts) -> list[Statement]:
    return [each for text in facts.now.questions for each in stated(text)]


def _noting(said: Statement) -> Call:
    about = (("subject", said.subject),) if said.subject else ()
    return Call(REMEMBER, (("topic", said.topic), ("text", said.text), *about))


def _deleting(facts: Facts) -> Iterator[Call]:
    for wish in _wishes(facts):
        for number in _meant(wish, facts):
            yield Call(FORGET_FACT, (("note", number),))


def _wishes(facts: Facts) -> Iterator[re.Match[str]]:
    for text in facts.now.questions:
        yield from (*_DELETE.finditer(text), *_FORGET.finditer(text))


def _meant(wish: re.Match[str], facts: Facts) -> list[int]:
    """The numbers of the notes that "forget note 3", "forget my name" speak of. When the tool was
    called they may be gone from the notes."""
    if wish.re is _DELETE:
        return [int(wish["number"])]
    words = wish["what"].lower()
    said: set[str] = {each.topic for each in stated(wish["what"])}
    said |= {topic for topic, pattern in _ABOUT if topic and pattern.search(words)}
    return [each.number for each in facts.notes if each.topic in said]


def _is_chatter(ask: Ask) -> bool:
    """What stands beside a statement, asks nothing, and is not understood."""
    is_odd = ask.intent in {"other", "about"} or ask.reference.bare
    return is_odd and not ask.is_question


def _is_told(ask: Ask, clauses: set[str]) -> bool:
    """An act keeps its doubts: it is weighed with all that was said beside it."""
    is_told = bool(ask.clause) and any(each.endswith(ask.clause) for each in clauses)
    return is_told and ask.intent not in {"yes", "open", "unsure"}
