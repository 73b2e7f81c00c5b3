"""So many turns run at once, and a slow model leaves room for another."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.limits import Places


@dataclass
class Hall:
    """Turns by their name, and the model at which each has a place."""

    places: Places
    models: Sequence[str] = ("one", "two")
    inside: dict[str, str] = field(default_factory=dict)
    tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    doors: dict[str, asyncio.Event] = field(default_factory=dict)

    async def come(self, *names: str, models: Sequence[str] | None = None) -> None:
        for name in names:
            self.doors[name] = asyncio.Event()
            self.tasks[name] = asyncio.create_task(self._stay(name, models))
        await settled()

    async def go(self, *names: str) -> None:
        for name in names:
            self.doors[name].set()
        await settled()

    async def _stay(self, name: str, models: Sequence[str] | None) -> None:
        async with self.places.taken(lambda: models or self.models) as model:
            self.inside[name] = model
            await self.doors[name].wait()
        del self.inside[name]


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_who_comes_first_is_let_in_first() -> None:
    hall = Hall(Places(in_all=1, at_each=1))
    seen = []
    await hall.come("a", "b", "c")
    for name in "abc":
        seen.append(list(hall.inside))
        await hall.go(name)

    assert seen == [["a"], ["b"], ["c"]]


async def test_a_full_model_leaves_room_for_the_next_one() -> None:
    hall = Hall(Places(in_all=3, at_each=2))
    await hall.come("a", "b", "c", "d")

    assert hall.inside == {"a": "one", "b": "one", "c": "two"}
    await hall.go("b")
    assert hall.inside == {"a": "one", "c": "two", "d": "one"}
    await hall.go("a", "c", "d")


async def test_who_waits_for_a_full_model_holds_nobody_up() -> None:
    hall = Hall(Places(in_all=3, at_each=1))
    await hall.come("a", "b", models=["slow"])
    await hall.come("c", models=["quick"])

    assert hall.inside == {"a": "slow", "c": "quick"}
    await hall.go("a", "b", "c")
    assert hall.inside == {}


async def test_which_models_are_ready_is_asked_again_when_there_is_room() -> None:
    hall = Hall(Places(in_all=1, at_each=1))
    await hall.come("a", "b")
    hall.models = ("two", "one")
    await hall.go("a")

    assert hall.inside == {"b": "two"}
    await hall.go("b")


async def test_who_goes_away_while_waiting_takes_no_place() -> None:
    hall = Hall(Places(in_all=1, at_each=1))
    await hall.come("a", "b", "c")
    hall.tasks["b"].cancel()
    await settled()
    await hall.go("a")

    assert list(hall.inside) == ["c"]
    await hall.go("c")


async def test_a_place_is_not_given_to_who_is_going_away() -> None:
    places = Places(in_all=1, at_each=1)
    hall = Hall(places)
    async with places.taken(lambda: ["one"]):
        await hall.come("b", "c")
        hall.tasks["b"].cancel()  # it still stands in the line when we leave
    await settled()

    assert list(hall.inside) == ["c"]
    await hall.go("c")


async def test_a_place_that_was_given_in_the_same_moment_is_given_back() -> None:
    places = Places(in_all=1, at_each=1)
    hall = Hall(places)
    async with places.taken(lambda: ["one"]):
        await hall.come("b", "c")
    hall.tasks["b"].cancel()  # it was let in by our leaving, and has not run since
    await settled()

    assert list(hall.inside) == ["c"]
    await hall.go("c")
