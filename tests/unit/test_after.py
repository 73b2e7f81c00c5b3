"""The after-work's tasks end with the process, and look once more when a turn ends meanwhile."""

from __future__ import annotations

import asyncio
import logging
from typing import TypeVar

import pytest

from bot.after import AfterWork
from memory.database import Work

T = TypeVar("T")


class Slow:
    """A database that answers when it is let; nothing is in it."""

    def __init__(self) -> None:
        self.reads = 0
        self.goes_on = asyncio.Event()

    async def read(self, work: Work[T]) -> T:
        del work
        self.reads += 1
        await self.goes_on.wait()
        raise ValueError

    async def write(self, work: Work[T]) -> T:
        return await self.read(work)

    async def truncate_log(self) -> bool:
        return True

    async def close(self) -> None: ...


def after_work(database: Slow, rest_ms: int = 0) -> AfterWork:
    return AfterWork(database, budget=1_000, recent_turns=2, rest_ms=rest_ms)


async def test_a_turn_that_ends_meanwhile_is_looked_at_afterwards(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.CRITICAL + 1)
    database = Slow()
    async with after_work(database) as after:
        for _ in range(3):
            after.begin("c")
        database.goes_on.set()
        await after.settled()

    assert database.reads == 2


async def test_what_is_not_done_at_the_end_is_ended(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL + 1)
    database = Slow()
    async with after_work(database) as after:
        after.begin("c")
        after.begin("c")
        await asyncio.sleep(0)

    assert database.reads == 1


async def test_after_work_that_breaks_is_logged_with_its_conversation(
    caplog: pytest.LogCaptureFixture,
) -> None:
    database = Slow()
    database.goes_on.set()
    async with after_work(database, 1_000) as after:
        after.begin("c")

    assert [record.message for record in caplog.records] == ["After-work broke."]
