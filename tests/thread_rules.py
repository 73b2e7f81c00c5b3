"""The thread rules as cases, for every adapter: a scene plays the lines, and its words are judged.

An adapter writes a `Scene` on its own wire and hands it to `play` with each of `cases()`.
"""

from __future__ import annotations

import asyncio
import re
import tomllib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from bot.model import ModelRequest, ModelResponse
from bot.platform import Accepted
from memory.database import Database, Row, Transaction
from tests.fakes import ScriptedModel, says

FILE = Path(__file__).with_name("conversation") / "thread_rules.toml"

Kind = Literal["thread", "private", "direct", "channel"]
Verdict = Literal["answered", "observed", "ignored", "refused"]

_LINE = re.compile(r"(?P<who>\w+): ?(?P<words>.*?)(?: -> (?P<to>\w+))?")
_MENTION = re.compile(r"@(\w+)")


@dataclass(frozen=True, slots=True)
class Line:
    """`words` hold mentions as `@ann`, `@Nimbus`; `to` is who wrote the message it replies to."""

    who: str
    words: str
    to: str | None = None

    @classmethod
    def parse(cls, text: str) -> Line:
        found = _LINE.fullmatch(text)
        assert found, text
        return cls(**found.groupdict())

    @property
    def mentions(self) -> list[str]:
        return _MENTION.findall(self.words)

    @property
    def is_answer(self) -> bool:
        return self.who == "Nimbus"


@dataclass(frozen=True, slots=True)
class Case:
    """`settings` as in `Settings`; people and channels in its lists are the names of the scene:
    `here` is the channel of the lines."""

    claim: str
    place: Kind
    settings: Mapping[str, Any]
    before: Sequence[Line]
    said: Line
    expected: Verdict
    needs: str

    def __str__(self) -> str:
        return self.claim


_VERDICTS: Mapping[str, Verdict] = {
    "waiting": "answered",
    "done": "answered",
    "observed": "observed",
    "refused": "refused",
}


class Patient(ScriptedModel):
    """Always answers, but not before it may."""

    def __init__(self) -> None:
        super().__init__(*[says("Well.")] * 9)
        self.may = asyncio.Event()

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        await self.may.wait()
        async for piece in super().stream(request):
            yield piece

    async def lets_all_be_answered(self, database: Database) -> None:
        """Return when nothing waits for an answer."""
        self.may.set()
        while await database.read(_open):  # noqa: ASYNC110 - a row tells nobody
            await asyncio.sleep(0.005)
        self.may.clear()


def verdict(accepted: Accepted) -> Verdict:
    return _VERDICTS.get(accepted.how, "ignored")


async def _open(tx: Transaction) -> list[Row]:
    return await tx.fetch(
        """
        SELECT place FROM turns WHERE state IN ('running', 'sending')
        UNION ALL SELECT conversation FROM messages WHERE state = 'waiting'
        """
    )


class Scene(Protocol):
    """One place on a platform, of the case's kind, in a process with the case's settings."""

    async def say(self, line: Line) -> Verdict:
        """Write the line there; what became of it, before any answer is waited for."""
        ...

    async def answered(self) -> None:
        """Wait until all that was said to Nimbus is answered."""
        ...


def cases(*, without: str = "") -> list[Case]:
    """All of them, but for those that need what a platform does not have."""
    read = tomllib.loads(FILE.read_text("utf-8"))["case"]
    return [case for case in map(_case, read) if not case.needs or case.needs != without]


async def play(case: Case, scene: Scene) -> Verdict:
    for line in case.before:
        if line.is_answer:
            await scene.answered()
        else:
            await scene.say(line)
    return await scene.say(case.said)


def _case(read: Mapping[str, Any]) -> Case:
    return Case(
        claim=read["claim"],
        place=read.get("place", "thread"),
        settings=read.get("settings", {}),
        before=[Line.parse(text) for text in read.get("before", ())],
        said=Line.parse(read["said"]),
        expected=read["expected"],
        needs=read.get("needs", ""),
    )
