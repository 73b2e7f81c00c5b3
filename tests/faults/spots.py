"""Tight spots: short schedules, each with its fault at the moment that one rule is for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from tests.faults import absent, forgets, overheard, taken_back
from tests.faults.discord_venue import DISCORD
from tests.faults.echo import EchoModel
from tests.faults.plan import Plan
from tests.faults.played import PLAYED
from tests.faults.points import Fault, Point
from tests.faults.slack_venue import SLACK
from tests.faults.venue import Frame
from tests.faults.world import World

STATUS, POST = "assistant.threads.setStatus 1", "chat.postMessage 1"
UPDATE = "chat.update 1"
EDIT = "PATCH messages/{message_id} 1"


@dataclass(frozen=True, slots=True)
class Spot:
    """`faults`: each strikes the point of its name that comes so often: `Runs.begin 2`."""

    play: Callable[[World], Awaitable[None]]
    faults: Mapping[str, Fault] = field(default_factory=dict)
    workers: int = 2
    think: float = 0.5
    budget: int = 12_000
    catches_up: bool = False
    frame: Frame = PLAYED

    def plan(self) -> Plan:
        """A fresh plan: it counts."""
        seen: dict[str, int] = {}

        def strike(point: Point) -> Fault | None:
            seen[point.what] = number = seen.get(point.what, 0) + 1
            return self.faults.get(f"{point.what} {number}")

        return Plan(
            lambda: EchoModel(self.frame.filler),
            faults=strike,
            think=lambda: self.think,
            workers=self.workers,
            remembers=0,
            budget=self.budget,
            catches_up=self.catches_up,
            frame=self.frame,
        )


async def one_question(world: World) -> None:
    await world.say(world.here, world.ann, "k000001x look")


async def with_a_letter(world: World) -> None:
    await world.say(world.here, world.ann, "k000001x letter")


async def with_a_ticket(world: World) -> None:
    await world.say(world.here, world.ann, "k000001x ticket")


async def long_answer(world: World) -> None:
    await world.say(world.here, world.ann, "k000001x long")


async def three_in_a_row(world: World) -> None:
    """Somebody else comes between two questions of one person."""
    for person, text in (
        (world.ann, "k000001x"),
        (world.bob, "k000002x"),
        (world.ann, "k000003x"),
        (world.bob, "k000004x"),
    ):
        await world.say(world.here, person, text)
        await asyncio.sleep(1)


async def two_conversations(world: World) -> None:
    """The place begins anew while its old conversation is still being answered."""
    await world.say(world.here, world.ann, "k000001x")
    await asyncio.sleep(1)
    await world.orders.start_anew(world.here, world.ann)
    await world.say(world.here, world.ann, "k000002x")


async def overtaken(world: World) -> None:
    """A message comes late, and waits in a newer conversation between two of the old one."""
    async with asyncio.TaskGroup() as tasks:
        for person, number in ((world.bob, 1), (world.ann, 2), (world.ann, 3), (world.ann, 4)):
            tasks.create_task(world.say(world.here, person, f"k{number:06}x"))
            await asyncio.sleep(0.5)
        tasks.create_task(world.orders.start_anew(world.here, world.ann))


async def late_begin(world: World) -> None:
    """One worker is slow to begin; another one begins, and then there is more to do."""
    await world.say(world.here, world.ann, "k000001x")
    await asyncio.sleep(8)
    await world.say(world.here, world.bob, "k000002x")


async def stopped(world: World) -> None:
    await world.say(world.here, world.ann, "k000001x letter")
    await asyncio.sleep(2)
    await world.orders.stop(world.here, world.bob)


async def stopped_and_changed(world: World) -> None:
    """Who asked says more before the worker has heard of the stop."""
    await world.say(world.here, world.ann, "k000001x")
    await asyncio.sleep(0.1)
    await asyncio.gather(
        world.orders.stop(world.here, world.bob), world.say(world.here, world.ann, "k000002x")
    )


async def changed_and_stopped(world: World) -> None:
    await world.say(world.here, world.ann, "k000001x")
    await asyncio.sleep(0.5)
    await world.say(world.here, world.ann, "k000002x")
    await asyncio.sleep(3)
    await world.orders.stop(world.here, world.bob)


async def told_again_elsewhere(world: World) -> None:
    """A message is told again when its place has begun anew."""
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(world.say(world.here, world.ann, "k000001x"))
        await asyncio.sleep(1)
        tasks.create_task(world.orders.start_anew(world.here, world.ann))


async def asked_again_too_late(world: World) -> None:
    """A tool has acted, so the turn cannot begin anew; while that is noted, somebody stops it."""
    await world.say(world.here, world.ann, "k000001x letter")
    await asyncio.sleep(17)
    await world.say(world.here, world.ann, "k000002x")
    await asyncio.sleep(2)
    await world.orders.stop(world.here, world.bob)


async def two_in_a_row(world: World) -> None:
    await world.say(world.here, world.ann, "k000001x")
    await asyncio.sleep(1)
    await world.say(world.here, world.ann, "k000002x")


async def many_long_turns(world: World) -> None:
    """The cut has to move."""
    for number in range(8):
        await world.say(world.here, world.ann, f"k{number:06}x look long")
        await asyncio.sleep(4)


SPOTS = (
    Spot(one_question),
    Spot(one_question, {"Runs.begin 1": "freeze"}),
    Spot(one_question, {"request 1": "freeze"}),
    Spot(one_question, {"shop 1": "freeze"}, think=15),
    Spot(one_question, {"Hold._look 1": "freeze"}, think=15),
    Spot(one_question, {"post 1": "crash after"}),
    Spot(one_question, {"post 1": "crash, then it lands"}, workers=1),
    Spot(one_question, {"post 1": "response lost"}),
    Spot(one_question, {f"request {often}": "crash before" for often in (1, 2, 3)}, workers=1),
    Spot(with_a_letter, {"Turns._record 1": "freeze"}),
    Spot(with_a_letter, {"send_letter 1": "crash after"}),
    Spot(with_a_ticket, {"shop 2": "crash after"}),
    Spot(long_answer),
    Spot(three_in_a_row, think=5),
    Spot(two_conversations, think=9),
    Spot(overtaken, {"Intake._write_down 3": "late"}, think=20),
    Spot(late_begin, {"Runs.begin 1": "late"}, think=9),
    Spot(stopped, {"send_letter 1": "late"}),
    Spot(stopped_and_changed, think=9),
    Spot(changed_and_stopped, {"Turns._begin_anew 1": "late"}, workers=1, think=9),
    Spot(one_question, {"Remembering._call_in 1": "freeze before"}, think=15),
    Spot(one_question, {"Turns._commit.work 1": "freeze before"}, think=15),
    Spot(two_in_a_row, {"Turns._begin_anew 1": "freeze before"}, think=15),
    Spot(asked_again_too_late, {"Hold.answer_wish 1": "late"}, workers=1, think=15),
    Spot(forgets.forgotten_too_late, {"Erasure._forget_place 1": "crash before"}, think=20),
    Spot(forgets.forgotten_twice, {"Erasure._forget_place 1": "late"}, think=3),
    Spot(forgets.forgotten_in_work, think=3),
    Spot(forgets.forgotten_in_work, {"edit 1": "request lost"}, think=3),
    Spot(forgets.forgotten_in_work, {"request 1": "freeze", "find 1": "freeze"}, workers=1),
    Spot(forgets.forgotten_too_late, {"Erasure._forget 1": "late"}, think=20),
    Spot(forgets.overheard_after_a_late_forget, {"Erasure._forget 1": "late"}, think=20),
    Spot(forgets.told_again_too_late, {"Intake._write_down 1": "crash before"}),
    Spot(told_again_elsewhere, {"Intake._write_down 1": "crash after"}),
    Spot(many_long_turns, {"AfterWork._write.work 1": "late"}, budget=1_000),
    Spot(many_long_turns, budget=1_000),
    Spot(overheard.called_in_before_it_is_told, think=3),
    Spot(overheard.called_in_after_a_forget),
    Spot(overheard.edited_before_it_is_told, {"Intake._edit 1": "crash before"}),
    Spot(overheard.edited_before_it_is_told, workers=1),
    Spot(overheard.edited_between_call_in_and_telling, think=9),
    Spot(overheard.deleted_in_work, think=3),
    Spot(overheard.deleted_in_work, {"post 1": "crash after"}, think=3),
    Spot(overheard.deleted_in_work, {"Intake._delete 1": "crash after"}, think=3),
    Spot(overheard.deleted_at_work, {"Turns._commit.work 1": "freeze before"}, workers=1, think=3),
    Spot(overheard.deleted_before_it_is_told, workers=1),
    Spot(taken_back.while_somebody_else_is_answered, think=5),
    Spot(taken_back.while_a_letter_is_thought_over, think=5),
    Spot(taken_back.before_it_is_told),
    Spot(taken_back.while_it_is_answered, think=5),
    Spot(taken_back.everywhere),
    Spot(taken_back.everywhere, {"Forgetting._look 1": "crash before"}),
    Spot(taken_back.everywhere, {"Erasure._forget_part 1": "crash before"}, workers=1),
    Spot(absent.a_minute, workers=1, catches_up=True),
    Spot(absent.a_minute, {"Intake._write_down 2": "crash after"}, catches_up=True),
    Spot(absent.longer_than_a_question_waits, catches_up=True),
    Spot(one_question, {STATUS: "late"}, think=0.1, frame=SLACK),
    Spot(one_question, {STATUS: "crash, then it lands"}, frame=SLACK),
    Spot(one_question, {POST: "crash after"}, frame=SLACK),
    Spot(one_question, {POST: "crash, then it lands"}, workers=1, frame=SLACK),
    Spot(one_question, {POST: "response lost"}, frame=SLACK),
    Spot(one_question, {POST: "server error"}, frame=SLACK),
    Spot(one_question, {POST: "too many requests"}, frame=SLACK),
    Spot(one_question, {POST: "cut off"}, frame=SLACK),
    Spot(one_question, {"request 1": "freeze"}, frame=SLACK),
    Spot(long_answer, {UPDATE: "refused"}, frame=SLACK),
    Spot(long_answer, {UPDATE: "response lost"}, think=3, frame=SLACK),
    Spot(forgets.forgotten_in_work, think=3, frame=SLACK),
    Spot(forgets.forgotten_in_work, {UPDATE: "request lost"}, think=0.3, frame=SLACK),
    Spot(forgets.forgotten_in_work, {POST: "freeze"}, think=0.3, frame=SLACK),
    Spot(overheard.called_in_before_it_is_told, think=3, frame=SLACK),
    Spot(overheard.called_in_after_a_forget, frame=SLACK),
    Spot(overheard.edited_before_it_is_told, workers=1, frame=SLACK),
    Spot(overheard.deleted_in_work, {POST: "crash after"}, think=0.3, frame=SLACK),
    Spot(many_long_turns, budget=1_000, frame=SLACK),
    Spot(one_question, {"POST messages 1": "crash after"}, frame=DISCORD),
    Spot(one_question, {"POST messages 1": "crash, then it lands"}, workers=1, frame=DISCORD),
    Spot(one_question, {"POST messages 1": "response lost"}, frame=DISCORD),
    Spot(one_question, {"POST messages 1": "cut off"}, frame=DISCORD),
    Spot(one_question, {"request 1": "freeze"}, frame=DISCORD),
    Spot(long_answer, {EDIT: "refused"}, frame=DISCORD),
    Spot(long_answer, {EDIT: "response lost"}, think=3, frame=DISCORD),
    Spot(forgets.forgotten_in_work, think=3, frame=DISCORD),
    Spot(forgets.forgotten_in_work, {EDIT: "request lost"}, think=0.3, frame=DISCORD),
    Spot(overheard.called_in_after_a_forget, frame=DISCORD),
    Spot(overheard.edited_before_it_is_told, workers=1, frame=DISCORD),
    Spot(overheard.deleted_in_work, {"POST messages 1": "crash after"}, think=0.3, frame=DISCORD),
    Spot(many_long_turns, budget=1_000, frame=DISCORD),
)
