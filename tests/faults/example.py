"""The example conversation with the model that needs no key, and what must come of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

from adapters.offline.model import OfflineModel
from tests.faults.plan import Plan
from tests.faults.points import Fault, Point
from tests.faults.venue import Frame
from tests.faults.world import World

QUESTIONS = (
    "Can I get a refund for order #1043?",
    "OK. What about my other order, 1042?",
    "Yes please.",
)
ANSWERS = (("20 days", "14"), ("1042", "11 days"), ("T-0001", "1042"))


def plan(frame: Frame, workers: int, strike: tuple[int, Fault] | None = None) -> Plan:
    """Something goes wrong at one point, or nothing does."""

    def faults(point: Point) -> Fault | None:
        return strike[1] if strike is not None and strike[0] == point.number else None

    return Plan(
        OfflineModel,
        faults=faults,
        workers=workers,
        remembers=0,
        characters=90,
        throttle=3_000,
        echoes=False,
        frame=frame,
    )


async def play(world: World) -> None:
    """Ask the next question when the answer is there."""
    place, ann = world.venue.beginning, world.ann
    for question in QUESTIONS:
        said = await world.say(place, ann, question)
        place = said.inbound.place
        await world.until_quiet(1)
    await world.until_quiet()
    for problem in _judge(world):
        world.facts.object_to(problem)


def _judge(world: World) -> Iterator[str]:
    with closing(sqlite3.connect(world.folder / "shop.db")) as shop:
        tickets = [row[0] for row in shop.execute("SELECT order_id FROM tickets")]
    lost = any(
        (fault.endswith("lost") and point.kind in ("model", "tool")) or fault == "refused"
        for point, fault in world.facts.struck
    )
    if tickets != [1042] and not (lost and tickets == []):
        yield f"there are tickets for {tickets}"
    answers = [
        "".join(part.text for part in world.venue.posted() if part.mark == turn["id"])
        for turn in world.records.rows("SELECT id FROM turns ORDER BY number")
    ]
    for words, answer in zip(ANSWERS, answers, strict=True):
        if not lost and not all(word in answer for word in words):
            yield f"{answer!r} does not say {', '.join(words)}"
