"""The texts of memory_texts.toml, and what their slots are filled with."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from pydantic import TypeAdapter

_FILE = Path(__file__).parent.parent / "memory_texts.toml"
_SLOT = re.compile(r"<([a-z_]+)(\d*)>")
_RANDOM = re.compile(r"[#?]")
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Fact:
    """Said once, in the question, the answer or a tool's result, and asked for much later."""

    id: str
    said: str
    answer: str
    ask: str
    value: str
    tool: str = ""


@dataclass(frozen=True, slots=True)
class Ordinary:
    """A turn that plants nothing, with a tool's result or without."""

    said: str
    answer: str
    tool_name: str = ""
    arguments: str = "{}"
    tool: str = ""


@dataclass(frozen=True, slots=True)
class Texts:
    """All there are, with their slots open."""

    pools: Mapping[str, Sequence[str]]
    patterns: Mapping[str, Sequence[str]]
    fact: Sequence[Fact]
    ordinary: Sequence[Ordinary]
    lookup: Sequence[Ordinary]


def read_texts() -> Texts:
    return TypeAdapter(Texts).validate_python(tomllib.loads(_FILE.read_text("utf-8")))


class Filler:
    """Fills slots from the pools and patterns, as a seed decides."""

    def __init__(self, texts: Texts, random: Random) -> None:
        self._pools = {name: list(values) for name, values in texts.pools.items()}
        self._patterns = texts.patterns
        self._random = random

    def fact(self, fact: Fact) -> Fact:
        """What is asked for stands nowhere else: its value leaves the pool."""
        values = self._choose(fact.said, fact.answer, fact.ask, fact.value, fact.tool)
        for name, value in values.items():
            pool = self._pools.get(_SLOT.sub(r"\1", name), [])
            if name in fact.value and value in pool:
                pool.remove(value)
        return Fact(
            id=fact.id,
            said=_fill(fact.said, values),
            answer=_fill(fact.answer, values),
            ask=_fill(fact.ask, values),
            value=_fill(fact.value, values),
            tool=_fill(fact.tool, values),
        )

    def ordinary(self, turn: Ordinary) -> Ordinary:
        values = self._choose(turn.said, turn.answer, turn.arguments, turn.tool)
        return replace(
            turn,
            said=_fill(turn.said, values),
            answer=_fill(turn.answer, values),
            arguments=_fill(turn.arguments, values),
            tool=_fill(turn.tool, values),
        )

    def _choose(self, *texts: str) -> dict[str, str]:
        """A value for each slot; two slots of one pool differ."""
        chosen: dict[str, str] = {}
        for text in texts:
            for slot in _SLOT.finditer(text):
                if slot[0] not in chosen:
                    chosen[slot[0]] = self._value(slot[1], taken=chosen.values())
        return chosen

    def _value(self, name: str, taken: Sequence[str] | object) -> str:
        while True:
            value = self._draw(name)
            if value not in taken:  # type: ignore[operator]
                return value

    def _draw(self, name: str) -> str:
        if name in self._pools:
            return self._random.choice(self._pools[name])
        pattern = _RANDOM.sub(self._sign, self._random.choice(self._patterns[name]))
        return _SLOT.sub(lambda slot: self._draw(slot[1]), pattern)

    def _sign(self, mark: re.Match[str]) -> str:
        return self._random.choice(_LETTERS) if mark[0] == "?" else str(self._random.randrange(10))


def _fill(text: str, values: Mapping[str, str]) -> str:
    return _SLOT.sub(lambda slot: values[slot[0]], text)
