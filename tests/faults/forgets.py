"""Tight spots of a forget of all that was said in a place."""

from __future__ import annotations

import asyncio

from tests.faults.world import World


async def forgotten_in_work(world: World) -> None:
    await world.say(world.here, world.ann, "k000001x long")
    await asyncio.sleep(1)
    await world.orders.forget(world.here, world.ann)


async def forgotten_too_late(world: World) -> None:
    """What is said after the command arrives before it."""
    await world.say(world.here, world.ann, "k000001x")
    await asyncio.sleep(5)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(world.orders.forget(world.here, world.ann))
        await asyncio.sleep(1)
        tasks.create_task(world.say(world.here, world.bob, "k000002x"))


async def overheard_after_a_late_forget(world: World) -> None:
    """What is only overheard moves along with a question, and is none."""
    await world.say(world.here, world.ann, "k000001x")
    await asyncio.sleep(5)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(world.orders.forget(world.here, world.ann))
        await asyncio.sleep(1)
        tasks.create_task(world.say(world.here, world.bob, "k000002x", calls=False))
        await asyncio.sleep(1)
        tasks.create_task(world.say(world.here, world.ann, "k000003x"))


async def told_again_too_late(world: World) -> None:
    """A message arrives again when its place was forgotten."""
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(world.say(world.here, world.ann, "k000001x"))
        await asyncio.sleep(1)
        tasks.create_task(world.orders.forget(world.here, world.ann))


async def forgotten_twice(world: World) -> None:
    """The earlier command is the later one to be carried out."""
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(world.say(world.here, world.ann, "k000001x"))
        await asyncio.sleep(5)
        tasks.create_task(world.orders.forget(world.here, world.ann))
        await asyncio.sleep(1)
        tasks.create_task(world.say(world.here, world.ann, "k000002x", after=20))
        await asyncio.sleep(1)
        tasks.create_task(world.orders.forget(world.here, world.ann))
