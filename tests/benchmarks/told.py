"""A talk that remembers what was answered in it: each answer must stand there once in the end."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.benchmarks.towns import Talk


@dataclass
class Told(Talk):
    talk: Talk
    answered_with: list[tuple[str, ...]] = field(default_factory=list)

    async def says(self, text: str, *, other: bool = False) -> None:
        await self.talk.says(text, other=other)

    async def edits_last(self, text: str) -> None:
        await self.talk.edits_last(text)

    async def deletes_last(self) -> None:
        await self.talk.deletes_last()

    def answers(self) -> list[str]:
        return self.talk.answers()

    async def answered(self, *words: str) -> None:
        """Until the last answer has these words and is whole."""

        def happened() -> bool:
            answers = self.answers()
            return bool(answers) and all(word in answers[-1] for word in words)

        await until(happened)
        self.answered_with.append(words)

    def wrong(self) -> Iterator[str]:
        """What is missing there, or stands there twice."""
        answers = self.answers()
        for words in self.answered_with:
            if not any(all(word in each for word in words) for each in answers):
                yield f"missing: {words}"
        yield from (f"twice: {text}" for text, times in Counter(answers).items() if times > 1)


async def until(happened: Callable[[], bool]) -> None:
    while not happened():  # noqa: ASYNC110 - two servers, and neither tells
        await asyncio.sleep(0.1)
