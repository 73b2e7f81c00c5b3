"""Tight spots of somebody who takes back what they said, where others go on."""

from __future__ import annotations

import asyncio

from tests.faults.overheard import must_stand
from tests.faults.world import World


async def while_somebody_else_is_answered(world: World) -> None:
    """Who has loaded it begins anew, and says nothing of it."""
    await _talk(world)
    await world.say(world.here, world.bob, "k000003x")
    await asyncio.sleep(3)
    await world.orders.forget_mine(world.here, world.cas)
    await world.until_quiet()
    must_stand(world, "Answer to k000003x.")


async def while_a_letter_is_thought_over(world: World) -> None:
    """It cannot begin anew, since the letter was sent; what it wrote there is taken out."""
    await _talk(world)
    await world.say(world.here, world.bob, "k000003x letter")
    await asyncio.sleep(8)
    await world.orders.forget_me(world.here, world.cas)


async def before_it_is_told(world: World) -> None:
    """What Cas said before comes late, and is not taken."""
    await _talk(world)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(world.say(world.here, world.cas, "k000003x", after=9))
        await asyncio.sleep(1)
        tasks.create_task(world.orders.forget_mine(world.here, world.cas))


async def while_it_is_answered(world: World) -> None:
    """Their own answer ends, and whoever waited behind them has theirs."""
    await _talk(world)
    await world.say(world.here, world.cas, "k000003x long")
    await asyncio.sleep(6)
    await world.say(world.here, world.bob, "k000004x")
    await world.orders.forget_mine(world.here, world.cas)
    await world.until_quiet()
    must_stand(world, "Answer to k000004x.")


async def everywhere(world: World) -> None:
    """Also where they began it, and also what was said elsewhere."""
    _, there, *_ = world.venue.places
    await _talk(world)
    await world.say(there, world.cas, "k000005x")
    await world.say(there, world.bob, "k000006x")
    await asyncio.sleep(20)
    await world.orders.forget_me(there, world.cas)
    await asyncio.sleep(1)
    await world.say(there, world.cas, "k000007x")
    await world.until_quiet()
    must_stand(world, "Answer to k000007x.")


async def _talk(world: World) -> None:
    """Bob begins, and Cas takes part."""
    await world.say(world.here, world.bob, "k000001x")
    await asyncio.sleep(15)
    await world.say(world.here, world.cas, "k000002x")
    await asyncio.sleep(15)
