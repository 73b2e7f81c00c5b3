"""A conversation as a seed writes it: facts are said, many turns go by, then they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tests.benchmarks.memory.texts import Fact, Filler, Ordinary, Texts

FACTS = 40
APART = 10  # turns that lie at least between a fact and the question for it
LEAST_TURNS = 3 * FACTS  # or there is no room for them
LOOK_UPS = 8  # every so many ordinary turns use a tool


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn. `wanted` is what must be in the prompt when this is asked, or nothing."""

    said: str
    answer: str
    tool_name: str = ""
    arguments: str = "{}"
    result: str = ""
    wanted: str = ""
    fact: str = ""


def write_script(texts: Texts, seed: int, turns: int, facts: int = FACTS) -> list[Exchange]:
    """The same for the same seed."""
    random = Random(seed)  # noqa: S311 - a benchmark's dice
    filler = Filler(texts, random)
    chosen = [filler.fact(fact) for fact in random.sample(list(texts.fact), facts)]
    script: list[Exchange | None] = [None] * turns
    for fact in chosen:
        said, asked = _places(script, random)
        script[said] = _plant(fact)
        script[asked] = Exchange(fact.ask, f"It is {fact.value}.", wanted=fact.value, fact=fact.id)
    ordinary = _ordinary(texts, filler, random)
    return [each or next(ordinary) for each in script]


def _places(script: list[Exchange | None], random: Random) -> tuple[int, int]:
    """Two free places, the first for the fact, the other so much later for its question."""
    while True:
        said, asked = sorted(random.sample(range(len(script)), 2))
        if asked - said >= APART and script[said] is None and script[asked] is None:
            return said, asked


def _plant(fact: Fact) -> Exchange:
    tool = "look_up" if fact.tool else ""
    return Exchange(fact.said, fact.answer, tool_name=tool, result=fact.tool)


def _ordinary(texts: Texts, filler: Filler, random: Random) -> Iterator[Exchange]:
    """All of them in an order of chance, and again with other values."""
    while True:
        talks = random.sample(list(texts.ordinary), len(texts.ordinary))
        for number, talk in enumerate(talks):
            if number % LOOK_UPS == 0:
                yield _exchange(filler.ordinary(random.choice(list(texts.lookup))))
            yield _exchange(filler.ordinary(talk))


def _exchange(turn: Ordinary) -> Exchange:
    return Exchange(turn.said, turn.answer, turn.tool_name, turn.arguments, turn.tool)
