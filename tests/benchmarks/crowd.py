"""Many conversations at once, through intake and turns, on a platform that takes all at once."""

from __future__ import annotations

import asyncio
import re
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count

from bot.main import Parts, Replaced, assemble
from bot.model import ModelRequest, ModelResponse, Usage
from bot.platform import Delivery, Inbound, Reply, SentPart
from bot.recovery import Recovery
from bot.settings import Settings
from memory.database import Database, wall_clock
from memory.keys import PersonKey, PlaceKey
from memory.messages import assistant
from tests.benchmarks.house import SilentOutlet, SilentReply
from tests.benchmarks.recording import LANE, Recorded, RecordedDatabase

MODEL_SECONDS = 0.05
QUESTION = "Question {} of talk {}: where is my order, and can I still send it back?"
ANSWER = "To {}: it is on its way, and you may send it back within 14 days of its arrival."
UNLIMITED = {"messages_per_minute": 0, "person_tokens_per_day": 0, "total_tokens_per_day": 0}
LONGEST_SECONDS = 600
_ASKED = re.compile(r"Question \d+ of talk \d+")


@dataclass(frozen=True, slots=True)
class Size:
    talks: int
    messages: int  # in each of them
    running_turns: int

    @property
    def turns(self) -> int:
        return self.talks * self.messages


class PausingModel:
    """Thinks for a while, and then says what it was asked."""

    name = "pausing"

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        await asyncio.sleep(MODEL_SECONDS)
        answer = answer_to(request.messages[-1].text)
        yield answer
        yield ModelResponse(assistant(answer), "stop", Usage(100, 80, 50))

    async def close(self) -> None: ...


def answer_to(question: str) -> str:
    return ANSWER.format(_ASKED.findall(question)[-1])


class NotingOutlet(SilentOutlet):
    """Notes the answers of each talk, in the order in which they are sent; `done` when so many
    are sent and recorded."""

    def __init__(self, turns: int) -> None:
        self.answers: dict[str, list[str]] = defaultdict(list)
        self.done = asyncio.Event()
        self._left = turns

    def reply(self, delivery: Delivery) -> Reply:
        return _NotingReply(delivery, self)

    def recorded(self) -> None:
        self._left -= 1
        if not self._left:
            self.done.set()


class _NotingReply(SilentReply):
    def __init__(self, delivery: Delivery, outlet: NotingOutlet) -> None:
        super().__init__(delivery)
        self._answers = outlet.answers[delivery.address["talk"]]
        self._outlet = outlet

    async def finish(self, answer: str) -> Sequence[SentPart]:
        self._answers.append(answer)
        return await super().finish(answer)

    async def recorded(self) -> None:
        self._outlet.recorded()


@dataclass(frozen=True, slots=True)
class Crowd:
    """What became of it. `said_again`: how often a message was not written down in time, so that
    a platform would have sent it once more."""

    seconds: float
    said_again: int
    transactions: Sequence[Recorded]


async def answer_crowd(database: Database, asks_time: str, size: Size) -> Crowd:
    """Everybody speaks at once, two in each talk, who wait for nobody; all are answered in order,
    or this raises AssertionError."""
    settings = Settings.model_validate(
        {"tools": (), "running_turns": size.running_turns, **UNLIMITED}
    )
    outlet = NotingOutlet(size.turns)
    recorded = RecordedDatabase(database, asks_time)
    async with assemble(
        settings,
        recorded,
        worker="bench",
        outlets=[outlet],
        replaced=Replaced(model=PausingModel()),
    ) as parts:
        recorded.take()
        began = time.perf_counter()
        async with asyncio.timeout(LONGEST_SECONDS):
            said_again = await _hold_talks(parts, outlet, size)
        seconds = time.perf_counter() - began
    _check_answers(outlet, size)
    talks = await _talks(database)
    transactions = [replace(each, lane=talks.get(each.lane, each.lane)) for each in recorded.take()]
    return Crowd(seconds, said_again, transactions)


async def _talks(database: Database) -> Mapping[str, str]:
    """The talk of each conversation."""
    rows = await database.read(lambda tx: tx.fetch("SELECT id, place FROM conversations"))
    return {row["id"]: PlaceKey.parse(row["place"]).thread for row in rows}


async def _hold_talks(parts: Parts, outlet: NotingOutlet, size: Size) -> int:
    """How often something was said again."""

    async def answer(conversation: str) -> None:
        LANE.set(conversation)
        await parts.turns.answer(conversation)

    async def talk(number: int) -> int:
        LANE.set(str(number))
        again = 0
        for message in range(1, size.messages + 1):
            again += await _say(parts, _inbound(number, message))
        return again

    async with asyncio.TaskGroup() as group:
        group.create_task(parts.queue.work(answer, parts.turns.interrupted))
        sweeping = group.create_task(_sweep(parts))
        talks = [group.create_task(talk(number)) for number in range(size.talks)]
        await outlet.done.wait()
        sweeping.cancel()
        parts.queue.stop()
    return sum(each.result() for each in talks)


async def _sweep(parts: Parts) -> None:
    """Who was not told in time that a message is written down rings for nobody; this does."""
    platforms = [SilentOutlet.platform]
    await Recovery(parts.database, parts.queue, parts.timing, platforms=platforms).keep_sweeping()


async def _say(parts: Parts, inbound: Inbound) -> int:
    """As a platform does, at once and then ever later, until it is taken; how often again."""
    for again in count():
        await asyncio.sleep(max(0, again - 1))
        with suppress(TimeoutError):
            accepted = await parts.intake.accept(inbound)
            assert accepted.how == "waiting" or (again and accepted.how == "repeated"), accepted
            return again
    raise AssertionError  # the count has no end


def _inbound(talk: int, message: int) -> Inbound:
    """Neighbouring messages are of different people, or they would be one turn."""
    person = f"{'ann' if message % 2 else 'bob'}-{talk}"
    return Inbound(
        PlaceKey(SilentOutlet.platform, "here", "channel", str(talk)),
        "public",
        PersonKey(SilentOutlet.platform, "here", person),
        person,
        message_id=f"{talk}-{message}",
        sent_order=f"{message:012}",
        said_at=wall_clock(),
        text=QUESTION.format(message, talk),
        address={"talk": str(talk)},
        mentions_us=True,
    )


def _check_answers(outlet: NotingOutlet, size: Size) -> None:
    questions = range(1, size.messages + 1)
    for talk in range(size.talks):
        expected = [answer_to(QUESTION.format(number, talk)) for number in questions]
        assert outlet.answers[str(talk)] == expected, f"talk {talk}: {outlet.answers[str(talk)]}"
