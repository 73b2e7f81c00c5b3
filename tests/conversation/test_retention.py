"""What is past the retention window goes, and nothing that somebody still waits for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest

from bot.cli.place import choose_place
from bot.cli.tidy import tidy
from bot.main import open_erasure
from bot.retention import Retention
from bot.schedule import Schedule
from bot.settings import Settings
from memory import leases, reports, unanswered
from memory.database import Database
from memory.engines import open_database
from memory.errors import StorageError
from tests.fakes import FakeClock, says
from tests.seat import ROBIN, left_waiting, seated

NOW = 1_796_070_000_000
DAY = 24 * 3_600_000


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOW)


@pytest.fixture
async def file(sqlite_url: str, clock: FakeClock) -> AsyncIterator[Database]:
    opened = await open_database(sqlite_url, clock=clock)
    yield opened
    await opened.close()


async def retention(database: Database, days: int = 30) -> Retention:
    return Retention(database, await open_erasure(Settings(retention_days=days), database))


async def say(database: Database, text: str, clock: FakeClock) -> None:
    async with seated(database, says("Heard."), clock=clock) as seat:
        await seat.place.ask(text)


def all_bytes(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


async def remembered(database: Database) -> list[str]:
    found = await database.read(lambda tx: reports.list_conversations(tx, limit=1000))
    return [each.first for each in found]


async def test_what_is_past_the_window_goes_and_leaves_no_byte(
    file: Database, clock: FakeClock, sqlite_url: str
) -> None:
    await say(file, "xylophone", clock)
    clock.advance(DAY)
    await say(file, "clarinet", clock)
    clock.advance(30 * DAY - 1)

    gone = await (await retention(file)).purge()

    assert gone == 1
    assert await remembered(file) == ["clarinet"]
    path = Path(sqlite_url.removeprefix("sqlite:///"))
    kept = b"".join(
        await asyncio.gather(
            *(asyncio.to_thread(each.read_bytes) for each in path.parent.iterdir())
        )
    )
    assert b"clarinet" in kept
    assert b"xylophone" not in kept


async def test_what_waits_for_an_answer_stays(file: Database, clock: FakeClock) -> None:
    await left_waiting(file, "xylophone", clock=clock)
    clock.advance(60 * DAY)

    assert await (await retention(file)).purge() == 0
    assert await remembered(file) == ["xylophone"]


async def test_beside_a_chat_it_goes_too_and_what_waits_there_for_less_is_left_alone(
    file: Database, clock: FakeClock
) -> None:
    conversation = await left_waiting(file, "xylophone", clock=clock)
    settings = Settings(tools=())

    clock.advance(DAY)
    await tidy(settings, file, await open_erasure(settings, file))
    assert await file.read(lambda tx: unanswered.look(tx, conversation))

    clock.advance(30 * DAY)
    await tidy(settings, file, await open_erasure(settings, file))
    assert await remembered(file) == []


async def test_what_is_gone_is_not_due(file: Database) -> None:
    assert not await (await retention(file)).is_due("f" * 32)


@pytest.mark.slow
async def test_what_waits_stands_in_nobodys_way(file: Database, clock: FakeClock) -> None:
    for number in range(101):
        await left_waiting(file, f"question {number}", clock=clock)
    await say(file, "clarinet", clock)
    clock.advance(31 * DAY)

    assert await (await retention(file)).purge() == 1
    assert "clarinet" not in await remembered(file)


async def test_more_than_one_batch_goes(file: Database, clock: FakeClock) -> None:
    for _ in range(101):
        await file.write(lambda tx: choose_place(tx, None, ROBIN))
    clock.advance(31 * DAY)

    assert await (await retention(file)).purge() == 101


class Job:
    """Counts its runs, and says when it has run so often."""

    def __init__(self, act: Callable[[], None] = lambda: None) -> None:
        self.runs = 0
        self.ran = asyncio.Event()
        self._act = act

    async def __call__(self) -> None:
        self.runs += 1
        self.ran.set()
        self._act()

    async def until(self, runs: int) -> None:
        while self.runs < runs:
            self.ran.clear()
            await self.ran.wait()


async def test_a_job_runs_at_once_and_again(sqlite_url: str) -> None:
    minutes = count(NOW, 60_000)
    file = await open_database(sqlite_url, clock=lambda: next(minutes))
    job = Job()
    async with Schedule(file, "run:a") as schedule:
        schedule.add("job", job, every=timedelta(milliseconds=1))
        await job.until(2)
    await file.close()

    assert job.runs >= 2


async def test_a_job_that_another_worker_does_is_not_done_twice(file: Database) -> None:
    await file.write(lambda tx: leases.acquire(tx, "taken", "run:b", 3_600_000))
    taken, free = Job(), Job()

    async with Schedule(file, "run:a") as schedule:
        schedule.add("taken", taken)
        schedule.add("free", free)
        await free.until(1)

    assert taken.runs == 0


async def test_a_job_that_was_done_today_is_not_done_again_by_whoever_starts(
    file: Database, clock: FakeClock
) -> None:
    first, second, third, free = Job(), Job(), Job(), Job()
    for worker, job in (("cli:a", first), ("cli:b", second)):
        async with Schedule(file, worker, grace_seconds=9) as schedule:
            schedule.add("job", job)
            schedule.add(worker, free)
            await free.until(free.runs + 1)
        clock.advance(DAY // 2)
    async with Schedule(file, "cli:c") as schedule:
        schedule.add("job", third)
        await third.until(1)

    assert (first.runs, second.runs, third.runs) == (1, 0, 1)


async def test_a_job_that_was_cut_short_is_gone_on_with_by_the_next(file: Database) -> None:
    begun, again = asyncio.Event(), Job()

    async def job() -> None:
        begun.set()
        await asyncio.Event().wait()

    async with Schedule(file, "cli:a") as schedule:
        schedule.add("job", job)
        await begun.wait()
    async with Schedule(file, "cli:b") as schedule:
        schedule.add("job", again)
        await again.until(1)

    assert again.runs == 1


async def test_who_comes_back_keeps_the_conversation(file: Database, clock: FakeClock) -> None:
    async with seated(file, says("Heard."), clock=clock) as seat:
        await seat.place.ask("xylophone")
    [conversation] = await file.read(lambda tx: reports.list_conversations(tx, limit=9))
    clock.advance(40 * DAY)

    async with seated(file, says("Yes."), resume=conversation.id, clock=clock) as seat:
        assert await (await retention(file)).purge() == 0
        await seat.place.ask("Is it still there?")

    assert await remembered(file) == ["xylophone"]


def fail() -> None:
    raise ValueError("what somebody said")


async def test_a_job_that_fails_is_logged_without_content_and_runs_again(
    file: Database, caplog: pytest.LogCaptureFixture
) -> None:
    job = Job(fail)
    async with Schedule(file, "run:a") as schedule:
        schedule.add("job", job, every=timedelta(milliseconds=1))
        await job.until(2)

    assert "job job failed: ValueError" in caplog.messages
    assert "what somebody said" not in caplog.text


async def test_a_job_that_meets_no_database_runs_again_and_tells_nobody(
    file: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """Who watches the database tells it."""

    def meet_none() -> None:
        raise StorageError("The disk is full.")

    job = Job(meet_none)
    async with Schedule(file, "run:a") as schedule:
        schedule.add("job", job, every=timedelta(milliseconds=1))
        await job.until(2)

    assert not [record for record in caplog.records if record.name == "bot.schedule"]


async def test_a_job_that_still_runs_is_cancelled_at_the_end(file: Database) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def job() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with Schedule(file, "run:a") as schedule:
        schedule.add("job", job)
        await begun.wait()

    assert ended.is_set()
