"""Tight spots of what is overheard, called in, edited and deleted."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from tests.faults.facts import Said
from tests.faults.world import World


async def called_in_before_it_is_told(world: World) -> None:
    """What Bob asks is read as context first, and told of later."""
    await _together(
        world.say(world.here, world.bob, "k000001x", after=2),
        world.say(world.here, world.ann, "k000002x"),
    )
    await world.until_quiet()
    must_stand(world, "Answer to k000001x.", "Answer to k000002x. Heard: k000001x.")


async def called_in_after_a_forget(world: World) -> None:
    """Nothing that was said before it is read back."""
    await world.say(world.here, world.bob, "k000001x", calls=False)
    await world.say(world.here, world.ann, "k000002x")
    await asyncio.sleep(5)
    await world.orders.forget(world.here, world.ann)
    await asyncio.sleep(1)
    await world.say(world.here, world.ann, "k000003x")
    await world.until_quiet()
    must_stand(world, "Answer to k000003x.")


async def edited_before_it_is_told(world: World) -> None:
    """The edit stands for the message, which is its duplicate then."""
    await _together(
        world.say(world.here, world.ann, "k000001x", after=8),
        _edited(world, "k000002x", calls=True),
    )
    await world.until_quiet()
    must_stand(world, "Answer to k000002x.")


async def edited_between_call_in_and_telling(world: World) -> None:
    """What was read as context was changed since, and only then we are told of its first words,
    which follow up what is asked meanwhile."""
    await _together(
        world.say(world.here, world.ann, "k000001x", calls=False, after=2),
        world.say(world.here, world.ann, "k000002x"),
        _edited(world, "k000003x", calls=False),
    )
    await world.until_quiet()
    must_stand(world, "Answer to k000003x k000002x.")


async def deleted_in_work(world: World) -> None:
    """Its turn is ended, what it showed is closed, and nothing of it is kept."""
    said = await world.say(world.here, world.ann, "k000001x long")
    await asyncio.sleep(1)
    await world.delete(said)


async def deleted_at_work(world: World) -> None:
    """While a tool's result is thought over, and something of it was shown."""
    said = await world.say(world.here, world.ann, "k000001x look")
    await asyncio.sleep(4)
    await world.delete(said)


async def deleted_before_it_is_told(world: World) -> None:
    await _together(
        world.say(world.here, world.ann, "k000001x", after=2),
        _deleted(world),
    )


async def _together(*works: Coroutine[Any, Any, object]) -> None:
    """Begun one after the other."""
    async with asyncio.TaskGroup() as tasks:
        for work in works:
            tasks.create_task(work)
            await asyncio.sleep(0.1)


async def _edited(world: World, text: str, *, calls: bool) -> None:
    await world.edit(_first(world), text, calls=calls)


async def _deleted(world: World) -> None:
    await world.delete(_first(world))


def _first(world: World) -> Said:
    return world.facts.said[0]


def must_stand(world: World, *answers: str) -> None:
    for answer in answers:
        standing = [
            one for one in world.venue.posted() if one.text.startswith(answer) and not one.removed
        ]
        if len(standing) != 1:
            world.facts.object_to(f"{answer!r} stands there {len(standing)} times")
