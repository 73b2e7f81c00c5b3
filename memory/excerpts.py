"""What a model reads of turns that are recalled: question, answer and what a tool had found, each
around the words that matched. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memory.terms import Found, find_terms
from memory.window import StoredTurn

HEADING = "[Recalled from earlier in this conversation, for the words of the question:]"
_LOOKED_AT = 400  # places in a text where a term stands; the first ones


@dataclass(frozen=True, slots=True)
class Recalled:
    """A turn that a question means, and the terms that were looked for. What was said in it may
    stand in the window; then only what a tool had found is missing there."""

    turn: StoredTurn
    terms: frozenset[str]
    is_in_window: bool = False

    @property
    def asked(self) -> frozenset[str]:
        """The terms of its own question."""
        return frozenset(
            found.term
            for message in self.turn.messages
            if message.role == "user"
            for found in find_terms(message.text)
        )


def is_recalled(text: str) -> bool:
    """Whether it is what `render` made."""
    return text.startswith(HEADING)


def distinct(recalled: Sequence[Recalled]) -> list[Recalled]:
    """Of those that ask the same the last one: it was answered anew."""
    asked = [one.asked for one in recalled]
    return [
        one
        for at, one in enumerate(recalled)
        if not any(_is_the_same(one.asked, later) for later in asked[at + 1 :])
    ]


def render(recalled: Sequence[Recalled], room: int) -> str:
    """All of them in so many characters; empty without any. No line can pass for anything else."""
    if not recalled:
        return ""
    recalled = recalled[-max(room // _LEAST_ROOM, 1) :]
    each = max((room - len(HEADING)) // len(recalled), 0)
    lines = [line for one in recalled for line in _lines(one, each)]
    return "\n".join([HEADING, *lines])[:room]


def excerpt(text: str, terms: Collection[str], room: int) -> str:
    """The text, or so many characters of it, where the most of the terms stand together."""
    if len(text) <= room:
        return text
    found = [each for each in find_terms(text) if each.term in terms][:_LOOKED_AT]
    best = max(found, key=lambda first: _together(found, first, room), default=None)
    width = max(room - 2 * len(_CUT), 0)
    start = 0 if best is None else max(0, min(_beginning(found, best, width), len(text) - width))
    cut = text[start : start + width]
    return f"{_CUT if start else ''}{cut}{_CUT if start + width < len(text) else ''}"


_CUT = "…"
_BEFORE = 4  # so much of the rest stands before them: one part of so many
_ALIKE = 0.8  # so much of their terms two questions share that ask the same
_LEAST_ROOM = 300  # of a turn, or fewer are shown: the later ones
_SHARE = 3  # of a turn's room, for each of question and answer at most


def _lines(one: Recalled, room: int) -> Iterator[str]:
    if one.is_in_window:
        yield f"> found: {_indent(_found(one, room - len('> found: ')))}"
        return
    asked = datetime.fromtimestamp(one.turn.asked_at / 1000, UTC)
    head = f"> {asked.day} {asked:%B %Y}, asked: "
    is_the_same = _is_the_same(one.asked, one.terms)
    question = "the same" if is_the_same else _spoken(one, "user", room // _SHARE)
    answer = _spoken(one, "assistant", room // _SHARE)
    yield head + _indent(question)
    if found := _found(one, room - len(head) - len(question) - len(answer) - len(_MARKS)):
        yield f"> found: {_indent(found)}"
    if answer:
        yield f"> answered: {_indent(answer)}"


_MARKS = "\n> found: \n> answered: "


def _spoken(one: Recalled, role: str, room: int) -> str:
    """What the person said, or the last that was answered."""
    texts = [message.text for message in one.turn.messages if message.role == role]
    spoken = [text for text in texts if text]
    kept = spoken if role == "user" else spoken[-1:]
    return excerpt("\n".join(kept), one.terms, room)


def _found(one: Recalled, room: int) -> str:
    """Of the tools' results the one with most of the terms, if it has any."""
    results = [result.text for message in one.turn.messages for result in message.results]
    best = max(results, key=lambda text: _having(text, one.terms), default="")
    return excerpt(best, one.terms, room) if _having(best, one.terms) else ""


def _is_the_same(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _ALIKE * len(one | other)


def _having(text: str, terms: Collection[str]) -> int:
    return len({found.term for found in find_terms(text)}.intersection(terms))


def _together(found: Sequence[Found], first: Found, room: int) -> int:
    """How many different terms stand within the room from here on."""
    return len({each.term for each in found if 0 <= each.start - first.start <= room})


def _beginning(found: Sequence[Found], first: Found, width: int) -> int:
    """Where to begin, so that most of what is shown besides stands behind the terms: what is told
    of a thing mostly follows its name."""
    ends = [each.end for each in found if 0 <= each.start - first.start <= width]
    rest = max(width - (max(ends, default=first.end) - first.start), 0)
    return first.start - rest // _BEFORE


def _indent(text: str) -> str:
    return "\n>   ".join(text.splitlines())
