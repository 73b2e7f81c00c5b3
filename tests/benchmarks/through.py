"""How many turns a second come through the real adapters, over real sockets."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.crowd import MODEL_SECONDS
from tests.benchmarks.soak import worker_in_towns
from tests.benchmarks.towns import Talk

_LOOK = 0.25  # seconds between two looks at a thread
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Through:
    """One platform's figures."""

    platform: str
    turns: int
    seconds: float


async def come_through(folder: Path, talks: int, messages: int) -> AsyncIterator[Through]:
    """Everybody asks at once, and goes on when the answer stands; all are answered, in order."""
    async with worker_in_towns(
        folder, thinking=MODEL_SECONDS, every=60, hears=lambda _pulse: None
    ) as towns:
        for town in towns:
            crowd = [town.talk() for _ in range(talks)]
            began = time.perf_counter()
            async with asyncio.timeout(_LONGEST), asyncio.TaskGroup() as group:
                for talk in crowd:
                    group.create_task(_ask_on(talk, messages))
            yield Through(town.name, talks * messages, time.perf_counter() - began)


async def _ask_on(talk: Talk, messages: int) -> None:
    """Until so many answers stand there, in order."""
    for number in range(1, messages + 1):
        await talk.says(f"is it number {number}?", other=number % 2 == 0)
        expected = [f"You asked: is it number {each}?" for each in range(1, number + 1)]
        while not _are(talk.answers(), expected):  # noqa: ASYNC110 - two servers, and neither tells
            await asyncio.sleep(_LOOK)


def _are(answers: list[str], expected: list[str]) -> bool:
    """Whole, each of them."""
    whole = [each for each in answers if each.endswith("That will be seen to.")]
    assert len(answers) <= len(expected), answers
    return len(whole) == len(expected) and all(
        answer.startswith(words) for answer, words in zip(whole, expected, strict=True)
    )
