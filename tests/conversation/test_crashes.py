"""What simulate found, one by one: crashes, freezes and commands that are told twice."""

import asyncio

import pytest

from memory.keys import PersonKey, PlaceKey
from tests.faults.echo import EchoModel
from tests.faults.plan import Plan
from tests.faults.points import Fault, Point
from tests.faults.simulate import Result, Scenario, simulate
from tests.faults.world import World

pytestmark = pytest.mark.inline

PLACE = PlaceKey("played", "W", "C", "1")
ANN = PersonKey("played", "W", "ann")
BOB = PersonKey("played", "W", "bob")


def run(
    scenario: Scenario, faults: dict[str, Fault], *, workers: int = 2, think: float = 0.5
) -> Result:
    """Run it; each fault strikes the first point of its name."""
    left = dict(faults)

    def strike(point: Point) -> Fault | None:
        return left.pop(point.what, None)

    plan = Plan(EchoModel, strike, lambda: think, workers, remembers=0)
    result = simulate(scenario, plan)
    assert not left, "the run never came to this point"
    return result


async def ask(world: World) -> None:
    await world.say(PLACE, ANN, "k000001x look")


async def ask_and_stop(world: World) -> None:
    await ask(world)
    await asyncio.sleep(2)
    await world.orders.stop(PLACE, ANN)


async def ask_forget_ask(world: World) -> None:
    await ask(world)
    await asyncio.sleep(0.7)
    await world.orders.forget(PLACE, ANN)
    await world.say(PLACE, BOB, "k000002x")


async def ask_and_forget(world: World) -> None:
    await ask(world)
    await asyncio.sleep(0.6)
    await world.orders.forget(PLACE, ANN)


async def forget_at_once(world: World) -> None:
    asking = asyncio.create_task(ask(world))
    await asyncio.sleep(1)
    await world.orders.forget(PLACE, ANN)
    await asking


def test_a_worker_that_froze_since_it_began_shows_and_asks_nothing() -> None:
    assert run(ask, {"Runs.begin": "freeze"}).problems == []


def test_a_turn_stopped_before_it_was_remembered_shows_what_is_stored() -> None:
    assert run(ask_and_stop, {"Turns._record": "crash after"}).problems == []


def test_a_worker_that_froze_while_it_looked_shows_no_status() -> None:
    faults: dict[str, Fault] = {"Turns._deliver": "crash before", "find": "freeze"}

    assert run(ask, faults).problems == []


def test_a_forget_told_twice_leaves_what_was_said_after_it() -> None:
    async def scenario(world: World) -> None:
        await ask(world)
        await asyncio.sleep(5)
        forgetting = asyncio.create_task(world.orders.forget(PLACE, ANN))
        await asyncio.sleep(0.1)
        await world.say(PLACE, BOB, "k000002x")
        await forgetting

    assert run(scenario, {"Erasure._forget": "crash after"}).problems == []


def test_what_is_said_after_a_forget_that_comes_late_is_answered() -> None:
    async def scenario(world: World) -> None:
        await ask(world)
        await asyncio.sleep(5)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(world.orders.forget(PLACE, ANN))
            await asyncio.sleep(1)
            tasks.create_task(world.say(PLACE, BOB, "k000002x"))

    assert run(scenario, {"Erasure._forget": "late"}, workers=1, think=20).problems == []


def test_two_forgets_at_once_are_as_one() -> None:
    async def scenario(world: World) -> None:
        await ask(world)
        await asyncio.sleep(5)
        await asyncio.gather(world.orders.forget(PLACE, ANN), world.orders.forget(PLACE, BOB))

    assert run(scenario, {"Erasure._forget": "late"}).problems == []


def test_a_forget_holds_for_a_message_that_is_on_its_way() -> None:
    assert run(forget_at_once, {"Intake._write_down": "crash before"}).problems == []


def test_what_a_forgotten_turn_showed_is_removed_by_whoever_comes_next() -> None:
    faults: dict[str, Fault] = {"post": "crash after", "remove": "crash before"}

    assert run(ask_forget_ask, faults).problems == []


def test_what_a_forgotten_turn_showed_is_looked_for_twice() -> None:
    faults: dict[str, Fault] = {"post": "crash after", "find": "response lost"}

    assert run(ask_forget_ask, faults).problems == []


def test_what_is_forgotten_is_closed_though_the_platform_fails_at_first() -> None:
    assert run(ask_and_forget, {"edit": "request lost"}).problems == []


def test_a_forget_is_told_though_closing_took_too_long() -> None:
    faults: dict[str, Fault] = {"request": "freeze", "find": "freeze"}

    assert run(ask_and_forget, faults, workers=1).problems == []


def test_what_a_deleted_question_showed_is_closed_by_whoever_still_may() -> None:
    async def scenario(world: World) -> None:
        said = await world.say(PLACE, ANN, "k000001x look")
        await asyncio.sleep(4)
        await world.delete(said)

    faults: dict[str, Fault] = {"Turns._commit.work": "freeze before"}

    assert run(scenario, faults, workers=1, think=3).problems == []
