"""What people do in a run: the example conversation, and anything at random."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any, Literal, get_args

from memory.keys import PersonKey, PlaceKey
from memory.usage import UNLIMITED, Allowance
from tests.faults.echo import EchoModel
from tests.faults.plan import Plan
from tests.faults.points import FAULTS, Fault, Point
from tests.faults.venue import Frame
from tests.faults.world import World

Saying = Literal["say", "say twice", "burst", "overhear"]
Ordering = Literal["stop", "forget", "forget mine", "forget me", "new"]
Deed = Literal[Saying, "edit", "delete", Ordering]

PLACES = 3  # of a venue; one more is begun at the top of a channel
WORDS = ("", "", "look", "ticket", "letter", "long", "look ticket", "ticket letter long")
ORDERS: frozenset[Deed] = frozenset(get_args(Ordering))
SAYING: frozenset[Deed] = frozenset(get_args(Saying))
LAGS = (0.0, 0.0, 0.0, 0.0, 1.0, 8.0, 25.0)  # seconds until we are told
ANEW = 0.5  # how often something new is begun there, once something was
LATELY = 4  # messages, of which one is changed or deleted
ALLOWANCES = (
    UNLIMITED,
    UNLIMITED,
    Allowance(messages_per_minute=2),
    Allowance(person_tokens_per_day=500),
)
ABSENCES = (0.0, 0.0, 0.0, 40.0, 150.0, 950.0)  # seconds; once
PAUSES = (0.05, 0.3, 1.5, 1.5, 6.0, 6.0, 30.0)
DEEDS: Mapping[Deed, int] = {
    "say": 10,
    "burst": 3,
    "say twice": 1,
    "overhear": 4,
    "edit": 4,
    "delete": 2,
    "stop": 2,
    "forget": 2,
    "forget mine": 2,
    "forget me": 2,
    "new": 1,
}


@dataclass(frozen=True, slots=True)
class Act:
    pause: float
    deed: Deed
    place: int
    person: int  # of those who can speak there
    texts: tuple[str, ...] = ()
    lag: float = 0.0
    chance: float = 0.0


class Schedule:
    """Everything in a run that is left to chance, by one seed."""

    def __init__(self, frame: Frame, seed: int) -> None:
        random = Random(seed)  # noqa: S311 - a schedule, not a secret
        self.frame = frame
        self.seed = seed
        self.workers = random.choice((1, 2))
        self.remembers = random.choice((0, 5 * 60_000))
        self.budget = random.choice((1_000, 12_000))
        self.allowance = random.choice(ALLOWANCES)
        self._numbers = count(1)
        self.acts = [self._act(random) for _ in range(random.randint(3, 14))]
        self.faults = {random.randint(0, 90): random.random() for _ in range(random.randint(0, 4))}
        self._thoughts = Random(seed)  # noqa: S311 - a schedule, not a secret
        self.absence = random.choice(ABSENCES) if self.allowance is UNLIMITED else 0.0
        self.leaves_after = random.randint(len(self.acts) // 3, len(self.acts) - 1)

    def plan(self) -> Plan:
        return Plan(
            lambda: EchoModel(self.frame.filler),
            faults=self._fault,
            think=lambda: self._thoughts.choice((0.1, 1.0, 3.0, 9.0)),
            workers=self.workers,
            remembers=self.remembers,
            budget=self.budget,
            allowance=self.allowance,
            catches_up=self.absence > 0,
            frame=self.frame,
        )

    async def play(self, world: World) -> None:
        async with asyncio.TaskGroup() as tasks:
            for number, act in enumerate(self.acts):
                await asyncio.sleep(act.pause)
                if self.absence and number == self.leaves_after:
                    world.be_away(self.absence)
                for work in _works(world, act):
                    tasks.create_task(work)
                    await asyncio.sleep(0.2)

    def _act(self, random: Random) -> Act:
        [deed] = random.choices(list(DEEDS), list(DEEDS.values()))
        many = random.randint(2, 3) if deed == "burst" else int(deed not in ORDERS)
        texts = tuple(f"k{next(self._numbers):06}x {random.choice(WORDS)}" for _ in range(many))
        place, person = random.randrange(PLACES + 1), random.randrange(6)
        pause, lag = random.choice(PAUSES), random.choice(LAGS)
        return Act(pause, deed, place, person, texts, lag, random.random())

    def _fault(self, point: Point) -> Fault | None:
        chance = self.faults.get(point.number)
        if chance is None:
            return None
        there_are = FAULTS[point.kind]
        return there_are[int(chance * len(there_are))]


def _works(world: World, act: Act) -> list[Coroutine[Any, Any, object]]:
    place = _place(world, act)
    if place is None or (world.absence.seconds_left and act.deed not in SAYING):
        return []
    people = world.venue.places.get(place, world.plan.frame.people)
    person = people[act.person % len(people)]
    match act.deed:
        case "stop" | "forget" | "forget mine" | "forget me" | "new":
            return _orders(world, act.deed, place, person)
        case "edit" | "delete":
            return _changes(world, act)
        case deed:
            how = {"twice": deed == "say twice", "calls": deed != "overhear"}
            return [world.say(place, person, text, **how, after=act.lag) for text in act.texts]


def _orders(
    world: World, deed: Ordering, place: PlaceKey, person: PersonKey
) -> list[Coroutine[Any, Any, object]]:
    orders = world.orders
    match deed:
        case "stop":
            return [orders.stop(place, person)]
        case "forget":
            return [orders.forget(place, world.ann if person == world.cas else person)]
        case "forget mine":
            return [orders.forget_mine(place, world.cas)] if place.thread else []
        case "forget me":
            return [orders.forget_me(place, person)]
        case _:
            return [orders.start_anew(place, person)]


def _place(world: World, act: Act) -> PlaceKey | None:
    """None: nothing has begun at the top of a channel, or nobody can go on there yet."""
    places = list(world.venue.places)
    if act.place < PLACES:
        return places[act.place]
    begun = [one for said in world.facts.said if (one := said.inbound.place) not in places]
    if act.texts and (not begun or act.chance < ANEW):
        return world.venue.beginning
    return begun[-1] if begun and world.venue.is_open(begun[-1]) else None


def _changes(world: World, act: Act) -> list[Coroutine[Any, Any, object]]:
    """To one of the newest messages, wherever it stands, also before we are told of it."""
    stands = [said for said in world.facts.said if not said.deleted]
    if not stands:
        return []
    said = stands[-LATELY:][int(act.chance * min(LATELY, len(stands)))]
    if act.deed == "delete":
        return [world.delete(said, after=act.lag)]
    [text] = act.texts
    return [world.edit(said, text, calls=act.person % 2 == 0, after=act.lag)]
