"""What is left of somebody's words in what others say: every run of five words, every identifier,
and the name. Case, punctuation and how a letter is encoded make no difference. Pure."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memory.messages import Message, Text, ToolCall, ToolResult

REMOVED = "[removed]"
RUN = 5  # words

_MACHINES_SHORTEST = 4  # characters of an identifier; less is a quantity, in what a tool or we said
_NAMES_SHORTEST = 3  # letters of a word that is a name by itself

# Chinese, Japanese, and scripts that put no blank between words: each letter is a word.
_ALONE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_HIDDEN = "\u00ad\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff"  # in a word, and not seen
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff" + _HIDDEN
_WORDS = re.compile(
    rf"(?P<removed>{re.escape(REMOVED)})|[{_ALONE}]|(?:(?![{_ALONE}_])[\w{_MARKS}])+"
)
_UNSEEN = re.compile(f"[{_HIDDEN}]")
_DIGIT = re.compile(r"\d")
_JOINTS = frozenset("-._@:/+")  # an identifier may have them inside

_Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Word:
    """`key` is what it is compared by; empty where something was removed."""

    key: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Remains:
    """What is looked for in texts. `rows` are identifiers and names of several words, by their
    first word; `names` are single words of names, letter for letter."""

    runs: frozenset[_Words]
    words: frozenset[str]
    rows: dict[str, frozenset[_Words]]
    names: frozenset[str]

    def removed_from(self, text: str) -> str:
        """The text without them, and otherwise as it was."""
        words = _words(text)
        keys = [word.key for word in words]
        found = [False] * len(words)
        for at, word in enumerate(words):
            longest = self._longest_at(at, keys, text[word.start : word.end])
            found[at : at + longest] = [True] * longest
        return _replaced(text, words, found)

    def _longest_at(self, at: int, keys: Sequence[str], written: str) -> int:
        key, run = keys[at], tuple(keys[at : at + RUN])
        lengths = [len(row) for row in self.rows.get(key, ()) if run_at(keys, at, len(row)) == row]
        if run in self.runs:
            lengths.append(RUN)
        if key in self.words or written in self.names:
            lengths.append(1)
        return max(lengths, default=0)


def run_at(keys: Sequence[str], at: int, length: int) -> _Words:
    return tuple(keys[at : at + length])


@dataclass(slots=True)
class Gathering:
    """Takes in what is erased, and then knows what remains of it to look for."""

    _runs: set[_Words] = field(default_factory=set)
    _words: set[str] = field(default_factory=set)
    _rows: dict[str, set[_Words]] = field(default_factory=dict)
    _names: set[str] = field(default_factory=set)

    def say(self, message: Message) -> None:
        """A person's own words: every token with a digit counts."""
        for text in _texts(message):
            self._take(text, shortest=1)

    def answer(self, message: Message) -> None:
        """What we, or a tool, said to them. A number of three digits identifies nothing there."""
        for text in _texts(message):
            self._take(text, shortest=_MACHINES_SHORTEST)

    def call(self, name: str) -> None:
        """What the person is called: the whole name, and each word of it that can stand alone."""
        keys = tuple(word.key for word in _words(name) if word.key)
        if len(name) > 1 or not name.isascii():
            self._take_row(keys)
        if len(keys) > 1:
            words = (name[word.start : word.end] for word in _words(name))
            self._names |= {word for word in words if len(word) >= _NAMES_SHORTEST}

    def identify(self, user: str) -> None:
        """How a platform writes them, where their name is not known."""
        self._take(user, shortest=_MACHINES_SHORTEST)

    @property
    def remains(self) -> Remains:
        return Remains(
            frozenset(self._runs),
            frozenset(self._words),
            {first: frozenset(rows) for first, rows in self._rows.items()},
            frozenset(self._names),
        )

    def _take(self, text: str, *, shortest: int) -> None:
        words = _words(text)
        keys = [word.key for word in words]
        runs = (run_at(keys, at, RUN) for at in range(len(keys) - RUN + 1))
        self._runs |= {run for run in runs if all(run)}
        for token in _tokens(text, words):
            if len("".join(token)) < shortest or not _DIGIT.search("".join(token)):
                continue
            self._take_row(token)
            least = 1 if len(token) == 1 else _MACHINES_SHORTEST
            self._words |= {key for key in token if len(key) >= least and _DIGIT.search(key)}

    def _take_row(self, keys: _Words) -> None:
        if len(keys) == 1:
            self._words.add(keys[0])
        elif keys:
            self._rows.setdefault(keys[0], set()).add(keys)


def removed_from_message(message: Message, remains: Remains) -> Message:
    """The message without them; one that was changed, or whose provider's rendering repeats them,
    has no such rendering any more."""
    parts = tuple(_removed_from_part(part, remains.removed_from) for part in message.parts)
    data = _walked(message.provider_data, remains.removed_from)
    if parts == message.parts and data == message.provider_data:
        return message
    return replace(message, parts=parts, provider_data={})


def _removed_from_part(part: Any, removed_from: Callable[[str], str]) -> Any:
    match part:
        case Text():
            return replace(part, text=removed_from(part.text))
        case ToolCall():
            return replace(part, arguments=_in_json(part.arguments, removed_from))
        case ToolResult():
            return replace(part, text=_in_json(part.text, removed_from))
        case _:
            return part


def _in_json(text: str, removed_from: Callable[[str], str]) -> str:
    """Value by value, so that it stays JSON."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return removed_from(text)
    walked = _walked(told, removed_from)
    return text if walked == told else json.dumps(walked, ensure_ascii=False)


def _walked(told: Any, removed_from: Callable[[str], str]) -> Any:
    match told:
        case dict():
            return {removed_from(key): _walked(value, removed_from) for key, value in told.items()}
        case list():
            return [_walked(value, removed_from) for value in told]
        case str():
            return removed_from(told)
        case bool() | None:
            return told
        case _:  # a number
            written = json.dumps(told)
            return told if removed_from(written) == written else REMOVED


def _texts(message: Message) -> Iterator[str]:
    """Of JSON each value by itself: what stands around it is said of everybody."""
    for part in message.parts:
        match part:
            case Text():
                yield part.text
            case ToolCall():
                yield from _values(part.arguments)
            case ToolResult():
                yield from _values(part.text)
            case _:
                continue
    yield from _leaves(message.provider_data)  # a thought is told nowhere else


def _values(text: str) -> Iterator[str]:
    try:
        yield from _leaves(json.loads(text))
    except (ValueError, RecursionError):
        yield text


def _leaves(told: Any) -> Iterator[str]:
    match told:
        case dict():
            for value in told.values():
                yield from _leaves(value)
        case list():
            for value in told:
                yield from _leaves(value)
        case str():
            yield told
        case bool() | None:
            return
        case _:  # a number
            yield json.dumps(told)


def _words(text: str) -> list[_Word]:
    return [
        _Word("" if each["removed"] else _key(each[0]), each.start(), each.end())
        for each in _WORDS.finditer(text)
    ]


def _key(word: str) -> str:
    if word.isascii():
        return word.lower()
    folded = unicodedata.normalize("NFKC", _UNSEEN.sub("", word)).casefold()
    return unicodedata.normalize("NFKC", folded) or word


def _tokens(text: str, words: Iterable[_Word]) -> Iterator[_Words]:
    """What stands together without a blank: words with a single joint between them."""
    row: list[str] = []
    last: _Word | None = None
    for word in words:
        if last is not None and text[last.end : word.start] not in _JOINTS:
            yield tuple(row)
            row = []
        if word.key:
            row.append(word.key)
        last = word
    yield tuple(row)


def _replaced(text: str, words: Sequence[_Word], found: Sequence[bool]) -> str:
    """What was found side by side becomes one."""
    if not any(found):
        return text
    pieces, kept_to = [], 0
    for at, word in enumerate(words):
        if not found[at]:
            continue
        if at == 0 or not found[at - 1]:
            pieces += [text[kept_to : word.start], REMOVED]
        kept_to = word.end
    return "".join([*pieces, text[kept_to:]])
