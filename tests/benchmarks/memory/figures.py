"""What a conversation's requests came to: characters, those that no cache knew, facts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from adapters.openai.outgoing import wire_messages, wire_tool
from bot.model import ModelRequest, ToolSpec
from memory.excerpts import is_recalled
from memory.messages import Text
from tests.benchmarks.memory.script import Exchange
from tests.validity import problems

CACHED_COSTS = 0.1  # of what is not cached
SHORTEST_PREFIX = 4_096  # characters: providers cache from about 1,024 tokens on
LOOKED_BACK = 4  # requests whose beginning may still be cached

Kind = Literal["turn", "after"]


@dataclass(frozen=True, slots=True)
class Sent:
    """One request in characters: all, and of these what an earlier request began with, too."""

    kind: Kind
    characters: int
    cached: int

    @property
    def cost(self) -> float:
        return self.characters - self.cached + self.cached * CACHED_COSTS


@dataclass(slots=True)
class Figures:
    """One strategy's, turn by turn."""

    sent: list[list[Sent]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    asked: int = 0
    invalid: list[str] = field(default_factory=list)
    recalled: list[int] = field(default_factory=list)  # characters, of turns that ask for nothing
    statements: list[int] = field(default_factory=list)
    megabytes: float = 0
    system: str = ""
    tools: tuple[ToolSpec, ...] = ()
    _earlier: list[str] = field(default_factory=list)

    def begin(self) -> None:
        self.sent.append([])

    def note(self, request: ModelRequest, kind: Kind = "turn") -> str:
        """Take down a request, and return it as the provider reads it."""
        text = written(request)
        shared = max((shared_prefix(text, earlier) for earlier in self._earlier), default=0)
        cached = shared if shared >= SHORTEST_PREFIX else 0
        self._earlier = [text, *self._earlier][:LOOKED_BACK]
        self.sent[-1].append(Sent(kind, len(text), cached))
        self.invalid += problems(request)
        return text

    def judge(self, exchange: Exchange, request: ModelRequest, text: str) -> None:
        """Whether the fact that is asked for stands in the request; else what was recalled."""
        if not exchange.wanted:
            texts = (part.text for part in request.messages[-1].parts if isinstance(part, Text))
            self.recalled.append(sum(len(text) for text in texts if is_recalled(text)))
        else:
            self.asked += 1
            if in_json(exchange.wanted) not in text and twice(exchange.wanted) not in text:
                self.missing.append(exchange.fact)

    @property
    def found(self) -> int:
        return self.asked - len(self.missing)

    def cost(self, turns: int | None = None) -> float:
        return sum(sent.cost for turn in self.sent[:turns] for sent in turn)

    def uncached(self, turns: int | None = None) -> int:
        return sum(sent.characters - sent.cached for turn in self.sent[:turns] for sent in turn)

    def characters(self, turns: int | None = None) -> int:
        return sum(sent.characters for turn in self.sent[:turns] for sent in turn)

    def calls(self, exchanges: Sequence[Exchange]) -> float:
        """Model calls a turn, those after a tool's result aside."""
        tools = sum(bool(exchange.result) for exchange in exchanges)
        return (sum(map(len, self.sent)) - tools) / len(self.sent)


def written(request: ModelRequest) -> str:
    """The request as it goes over the wire, in the order in which a provider caches it."""
    tools = json.dumps([wire_tool(tool) for tool in request.tools], ensure_ascii=False)
    messages = (json.dumps(each, ensure_ascii=False) for each in wire_messages(request, {}))
    return "\n".join([tools, *messages])


def in_json(text: str) -> str:
    """As it stands in a message."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def twice(text: str) -> str:
    """As it stands in a result that is JSON itself."""
    return in_json(in_json(text))


def shared_prefix(one: str, other: str) -> int:
    """How many characters both begin with, found by halves."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
