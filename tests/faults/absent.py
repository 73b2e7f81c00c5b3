"""Tight spots of what is said while no process runs, and nobody keeps it for us."""

from __future__ import annotations

import asyncio

from tests.faults.overheard import must_stand
from tests.faults.world import World

MINUTE = 60
EXPIRED = "This waited too long"


async def a_minute(world: World) -> None:
    """All of it is answered, in order."""
    await _begin(world)
    world.be_away(MINUTE)
    await world.say(world.here, world.ann, "k000002x")
    await asyncio.sleep(10)
    await world.say(world.here, world.bob, "k000003x")
    await world.until_quiet()
    must_stand(world, "Answer to k000002x.", "Answer to k000003x.")


async def longer_than_a_question_waits(world: World) -> None:
    """The newest of those that waited too long is told so, and what is asked last is answered."""
    await _begin(world)
    world.be_away(17 * MINUTE)
    await world.say(world.here, world.ann, "k000002x")
    await asyncio.sleep(10)
    await world.say(world.here, world.bob, "k000003x")
    await asyncio.sleep(15 * MINUTE)
    await world.say(world.here, world.ann, "k000004x")
    await world.until_quiet()
    must_stand(world, EXPIRED, "Answer to k000004x.")


async def _begin(world: World) -> None:
    await world.say(world.here, world.ann, "k000001x")
    await asyncio.sleep(5)
