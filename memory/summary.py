"""The summary of what left the window: what of a model's text may stand, and the one made by code.

Pure. Identifiers (what has a digit, and codes) are checked letter for letter: one that is lost is
appended, a sentence with one that nobody said is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from memory.text import cut_middle
from memory.voices import defused
from memory.window import StoredTurn, compact

LONGEST = 2_000
"""Characters of a summary; of a smaller budget a fifth."""

_SHORTEST_IDENTIFIER = 3  # "2 orders" counts, and names nothing
_AROUND = 64  # its heading; and a sign before each of the few lines that look like one of ours
_LINE = 240  # characters of a turn in the summary by code
_OF_TURN = 2_000  # characters of a turn that a model is shown
_HEADING = "Also named:"
_SIGN = "[A-Za-z0-9\u00c0-\u024f]"
_TOKEN = re.compile(rf"(?<!{_SIGN}){_SIGN}(?:[\w./:@#+-]*{_SIGN})?(?!{_SIGN})", re.ASCII)
_CUT = re.compile(r"\S*\s*\[… [\d,]+ characters left out …\]\s*\S*|\S*…")
"""Where an earlier summary was cut: what touches it may be half of an identifier."""
_CODE = re.compile(r"[A-Z]{2,}(?:[-_][A-Z]+)+")
_SENTENCES = re.compile(r"(?<=[.!?\u2026])\s+|(?<=[\u3002\uff01\uff1f])\s*|\n+")


def limit_of(budget: int) -> int:
    return min(LONGEST, budget // 5)


def room_of(budget: int) -> int:
    """Characters of the budget that the summary needs as it is sent, with what stands around it."""
    return limit_of(budget) + _AROUND


def render(summary: str) -> str:
    """What a model reads of it; empty without. No line of it can pass for another of ours."""
    return f"[Earlier in this conversation: {defused(summary)}]" if summary else ""


def lines(turns: Iterable[StoredTurn], room: int) -> list[str]:
    """The turns in their compact form with their numbers, the newest that there is room for."""
    kept: list[str] = []
    for turn in reversed(list(turns)):
        line = cut_middle(f"Turn {turn.number}\n{_told(turn)}", _OF_TURN)
        room -= len(line)
        if kept and room < 0:
            break
        kept.append(line)
    return kept[::-1]


def repaired(text: str, old: str, turns: Sequence[StoredTurn], limit: int) -> str:
    """A model's summary with what it lost and without what it invented; empty: nothing is left."""
    sources = _sources(old, turns)
    told = "\n".join(sources)
    sentences = [each.strip() for each in _SENTENCES.split(text) if each.strip()]
    kept = [each for each in sentences if all(_stands_in(told, i) for i in identifiers(each))]
    return _with_identifiers(" ".join(kept), sources, limit) if kept else ""


def extracted(old: str, turns: Sequence[StoredTurn], limit: int) -> str:
    """A summary without a model: how each turn began, the newest, after what was known before."""
    before = _clip(old.partition(f"\n{_HEADING}")[0], limit // 3)
    room = limit - len(before)
    kept: list[str] = []
    for turn in reversed(turns):
        line = " → ".join(" ".join(text.split()) for text in _texts(turn))
        line = cut_middle(f"{turn.number}. {line}", _LINE)
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    body = "\n".join(part for part in (before, *reversed(kept)) if part)
    return _with_identifiers(body, _sources(old, turns), limit)


def identifiers(text: str) -> Iterator[str]:
    """What names one thing and no other, in order."""
    for found in _TOKEN.finditer(text):
        has_digit = any(sign.isdigit() for sign in found[0])
        if (has_digit and len(found[0]) >= _SHORTEST_IDENTIFIER) or _CODE.fullmatch(found[0]):
            yield found[0]


def _with_identifiers(text: str, sources: Sequence[str], limit: int) -> str:
    """The lost ones at the end, those of the newest source first, as far as there is room."""
    wanted = list(dict.fromkeys(name for source in sources for name in identifiers(source)))
    text = _clip(text, limit)
    line = _line(_lost(text, wanted), limit - len(text) - 1)
    if len(line) < limit // 3 and _lost(f"{text}\n{line}", wanted):
        text = _clip(text, limit - limit // 3 - 1)
        line = _line(_lost(text, wanted), limit // 3)
    return f"{text}\n{line}" if line else text


def _lost(text: str, wanted: Iterable[str]) -> list[str]:
    return [name for name in wanted if not _stands_in(text, name)]


def _line(names: Iterable[str], room: int) -> str:
    line = _HEADING
    for name in names:
        longer = f"{line} {name}" if line == _HEADING else f"{line}, {name}"
        if len(longer) > room:
            break
        line = longer
    return "" if line == _HEADING else line


def _clip(text: str, limit: int) -> str:
    """Whole sentences, as far as there is room; of one that is too long its beginning."""
    if len(text) <= limit:
        return text
    ends = [found.start() for found in _SENTENCES.finditer(text) if found.start() <= limit]
    return text[: ends[-1]] if ends else text[: max(limit - 1, 0)] + "…"


def _stands_in(text: str, name: str) -> bool:
    return re.search(rf"(?<!{_SIGN}){re.escape(name)}(?!{_SIGN})", text) is not None


def _sources(old: str, turns: Sequence[StoredTurn]) -> list[str]:
    """The newest first."""
    return [*("\n".join(_texts(turn)) for turn in reversed(turns)), _CUT.sub(" ", old)]


def _texts(turn: StoredTurn) -> list[str]:
    return [message.text for message in compact(turn.messages) if message.text]


def _told(turn: StoredTurn) -> str:
    spoken = ((message.role, message.text) for message in compact(turn.messages))
    return "\n".join(f"{role}: {text}" for role, text in spoken if text)
