"""Notes as their suites use them: each verb is one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from memory import notes, unnoted
from memory.keys import PersonKey, PlaceKey, Surface, shown_on
from memory.knowledge import Note, Told, Topic
from memory.turns import Turn
from tests.contracts.store import ANN, Store

NOW = 1_000_000_000_000
DAY = 24 * 3_600_000


async def add(
    store: Store, turn: Turn, text: str, topic: Topic = "fact", *, key: str = "", subject: str = ""
) -> Note | None:
    told = Told.of(key or f"{turn.id}{topic}{text}", topic, text, subject)
    return await store.database.write(
        lambda tx: notes.add(tx, turn.conversation, turn.number, told)
    )


async def known(store: Store, person: PersonKey = ANN) -> list[str]:
    return [
        each.text for each in await store.database.read(lambda tx: notes.read_all(tx, str(person)))
    ]


async def shown(
    store: Store, person: PersonKey, surface: Surface, place: PlaceKey
) -> Sequence[str]:
    found = await store.database.read(
        lambda tx: notes.read(tx, str(person), shown_on(surface, place))
    )
    return [each.text for each in found]


async def switch(store: Store, *, on: bool) -> None:
    await store.database.write(lambda tx: unnoted.switch(tx, ANN, on=on))


async def delete(store: Store, number: int, *surfaces: str) -> Note | None:
    return await store.database.write(lambda tx: unnoted.delete(tx, str(ANN), number, surfaces))


SURFACES: list[tuple[Surface, str]] = [
    ("direct", "D"),
    ("private", "P"),
    ("private", "Q"),
    ("public", "C"),
]
SPOTS = [
    (surface, PlaceKey(platform, workspace, channel, "1"))
    for platform, workspace in product(["slack", "discord"], ["W1", "W2"])
    for surface, channel in SURFACES
]


def may_see(said_in: tuple[Surface, PlaceKey], asked_in: tuple[Surface, PlaceKey]) -> bool:
    """The rule in other words than the code's."""
    (surface, place), (other, there) = said_in, asked_in
    if surface == "direct":
        return other == "direct"
    if surface == "private":
        return other == "private" and (place.workspace, place.channel) == (
            there.workspace,
            there.channel,
        )
    return place.workspace == there.workspace
