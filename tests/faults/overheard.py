"""Tight spots of what is overheard, called in, edited and deleted; each judges itself."""

from __future__ import annotations

import asyncio

from memory.keys import PlaceKey
from tests.faults.played import PEOPLE
from tests.faults.world import World

HERE = PlaceKey("played", "W", "C", "1")
ANN, BOB = PEOPLE


async def called_in_before_it_is_told(world: World) -> None:
    """What Bob asks is read as context first, and told of later."""
    late = await world.venue.say(HERE, BOB, "k000001x")
    await world.tell(await world.venue.say(HERE, ANN, "k000002x"))
    await asyncio.sleep(1)
    await world.tell(late)
    await world.until_quiet()
    _must_stand(world, "Answer to k000001x.", "Answer to k000002x.")


async def called_in_after_a_forget(world: World) -> None:
    """Nothing that was said before it is read back."""
    await world.venue.say(HERE, BOB, "k000001x")
    await world.tell(await world.venue.say(HERE, ANN, "k000002x"))
    await asyncio.sleep(5)
    await world.forget(HERE, ANN)
    await asyncio.sleep(1)
    await world.tell(await world.venue.say(HERE, ANN, "k000003x"))
    await world.until_quiet()
    _must_be_gone(world, "k000001x", "k000002x")


async def edited_before_it_is_told(world: World) -> None:
    """The edit stands for the message, which is its duplicate then."""
    said = await world.venue.say(HERE, ANN, "k000001x")
    await world.tell(await world.venue.edit(said[0], "k000002x"))
    await world.tell(said)
    await world.until_quiet()
    _must_stand(world, "Answer to k000002x.")
    _must_be_gone(world, "k000001x")


async def edited_between_call_in_and_telling(world: World) -> None:
    """What was read as context was changed since, and only then we are told of its first words."""
    late = await world.venue.say(HERE, BOB, "k000001x")
    await world.tell(await world.venue.say(HERE, ANN, "k000002x"))
    await asyncio.sleep(1)
    await world.tell(await world.venue.edit(late[0], "k000003x", calls=False))
    await world.tell(late)
    await world.until_quiet()
    _must_stand(world, "Answer to k000003x.")
    _must_be_gone(world, "k000001x")


async def deleted_in_work(world: World) -> None:
    """Its turn is ended, what it showed is closed, and nothing of it is kept."""
    said = await world.venue.say(HERE, ANN, "k000001x long")
    await world.tell(said)
    await asyncio.sleep(1)
    await world.tell(await world.venue.delete(said[0]))
    await world.until_quiet()
    _must_be_gone(world, "k000001x")
    for turn in world.records.rows("SELECT id FROM turns"):
        world.facts.object_to(f"turn {turn['id'][:6]} has outlived its question")


async def deleted_before_it_is_told(world: World) -> None:
    said = await world.venue.say(HERE, ANN, "k000001x")
    await world.tell(await world.venue.delete(said[0]))
    await world.tell(said)
    await world.until_quiet()
    _must_be_gone(world, "k000001x")


def _must_stand(world: World, *answers: str) -> None:
    for answer in answers:
        standing = [one for one in world.venue.posted() if answer in one.text and not one.removed]
        if len(standing) != 1:
            world.facts.object_to(f"{answer!r} stands there {len(standing)} times")


def _must_be_gone(world: World, *tokens: str) -> None:
    rows = world.records.rows("SELECT content FROM messages")
    for token in tokens:
        if any(token in row["content"] for row in rows):
            world.facts.object_to(f"{token} is stored")
