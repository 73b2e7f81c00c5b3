"""The bell: a ring too many or too few does no harm, and one failure is nobody else's."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from bot.queue import LocalQueue


@dataclass
class Answers:
    """What was answered; an answer ends when it may."""

    begun: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    interrupted: list[str] = field(default_factory=list)
    may_end: asyncio.Event = field(default_factory=asyncio.Event)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, conversation: str) -> None:
        self._note(self.begun, conversation)
        await self.may_end.wait()
        if conversation == "broken":
            raise LookupError
        self._note(self.ended, conversation)

    async def until(self, noted: list[str], *expected: str) -> None:
        async with asyncio.timeout(5):
            while noted != list(expected):
                self.changed.clear()
                await self.changed.wait()

    def interrupt(self, conversation: str) -> None:
        self._note(self.interrupted, conversation)

    def _note(self, noted: list[str], conversation: str) -> None:
        noted.append(conversation)
        self.changed.set()


@asynccontextmanager
async def working(queue: LocalQueue, answers: Answers) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(queue.work(answers.answer, answers.interrupt))
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait([task])


async def test_a_ring_is_answered() -> None:
    queue, answers = LocalQueue(), Answers()
    async with working(queue, answers):
        await queue.wake("one")
        await answers.until(answers.begun, "one")


async def test_a_ring_before_anybody_works_is_not_lost() -> None:
    queue, answers = LocalQueue(), Answers()
    await queue.wake("one")
    async with working(queue, answers):
        await answers.until(answers.begun, "one")


async def test_conversations_are_answered_side_by_side() -> None:
    queue, answers = LocalQueue(), Answers()
    async with working(queue, answers):
        await queue.wake("one")
        await queue.wake("two")
        await answers.until(answers.begun, "one", "two")


async def test_a_ring_while_the_conversation_is_answered_is_answered_after_that() -> None:
    queue, answers = LocalQueue(), Answers()
    async with working(queue, answers):
        await queue.wake("one")
        await answers.until(answers.begun, "one")
        await queue.wake("one")
        await queue.wake("one")
        await queue.wake("two")
        await answers.until(answers.begun, "one", "two")
        answers.may_end.set()
        await answers.until(answers.begun, "one", "two", "one")


async def test_a_failure_is_reported_and_nobody_elses() -> None:
    failed: list[str] = []
    queue = LocalQueue(failed=lambda conversation, _error: failed.append(conversation))
    answers = Answers()
    answers.may_end.set()
    async with working(queue, answers):
        await queue.wake("broken")
        await queue.wake("one")
        await answers.until(answers.ended, "one")

    assert failed == ["broken"]


async def test_a_conversation_that_failed_can_be_rung_for_again() -> None:
    queue, answers = LocalQueue(), Answers()
    answers.may_end.set()
    async with working(queue, answers):
        await queue.wake("broken")
        await answers.until(answers.begun, "broken")
        await queue.wake("broken")
        await answers.until(answers.begun, "broken", "broken")


async def test_after_a_stop_what_runs_ends_and_nothing_begins() -> None:
    queue, answers = LocalQueue(), Answers()
    async with working(queue, answers) as work:
        await queue.wake("one")
        await answers.until(answers.begun, "one")
        queue.stop()
        await queue.wake("two")
        answers.may_end.set()
        await work

    assert (answers.begun, answers.ended) == (["one"], ["one"])


async def test_a_ring_and_a_stop_at_once_begin_nothing() -> None:
    queue, answers = LocalQueue(), Answers()
    async with working(queue, answers) as work:
        await asyncio.sleep(0)
        await queue.wake("one")
        queue.stop()
        await work

    assert answers.begun == []


async def test_who_is_stopped_before_it_works_does_not_work() -> None:
    queue, answers = LocalQueue(), Answers()
    await queue.wake("one")
    queue.stop()
    await queue.work(answers.answer, answers.interrupt)

    assert answers.begun == []


async def test_when_cancelled_what_runs_is_cancelled_too() -> None:
    queue, answers = LocalQueue(), Answers()
    async with working(queue, answers) as work:
        await queue.wake("one")
        await answers.until(answers.begun, "one")
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    assert answers.ended == []


async def test_an_interrupt_reaches_who_works() -> None:
    queue, answers = LocalQueue(), Answers()
    await queue.interrupt("nobody works yet")
    async with working(queue, answers):
        await asyncio.sleep(0)
        await queue.interrupt("one")

    assert answers.interrupted == ["one"]
