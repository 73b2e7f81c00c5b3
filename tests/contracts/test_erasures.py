"""A `forget me` until two looks, some seconds apart, found nothing."""

from __future__ import annotations

import pytest

from memory import erasures, people
from memory.erase_rules import RULES
from memory.erasures import Erasure
from memory.errors import SaidBeforeForgetError
from memory.keys import PersonKey
from tests.contracts.store import ANN, BOB, DIGESTS, Store
from tests.fakes import FakeClock

NOW = 1_000_000_000_000
APART = 5_000


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOW)


async def begin(store: Store, *, said_before: int = 9_000) -> Erasure:
    return await store.database.write(
        lambda tx: erasures.begin(tx, ANN, digests=DIGESTS, said_before=said_before, kept=5)
    )


async def look(store: Store, erasure: Erasure, *, began: int, found: bool = False) -> bool:
    return await store.database.write(
        lambda tx: erasures.note_look(tx, erasure, began=began, found=found, apart=APART)
    )


async def on_their_way(store: Store) -> list[Erasure]:
    return await store.database.read(erasures.find)


async def test_nothing_that_was_said_before_is_taken_again(store: Store) -> None:
    erasure = await begin(store)

    assert await on_their_way(store) == [erasure]
    with pytest.raises(SaidBeforeForgetError):
        await store.say(8)
    assert (await store.say(9)).how == "waiting"
    assert (await store.say(7, BOB)).how == "waiting"


async def test_it_is_done_when_two_looks_apart_found_nothing(store: Store) -> None:
    erasure = await begin(store)

    assert not await look(store, erasure, began=NOW)
    assert not await look(store, erasure, began=NOW + APART - 1)
    assert await on_their_way(store) == [erasure]
    assert await look(store, erasure, began=NOW + APART)
    assert await on_their_way(store) == []


async def test_what_was_found_late_begins_the_wait_anew(store: Store) -> None:
    erasure = await begin(store)
    await look(store, erasure, began=NOW)

    assert not await look(store, erasure, began=NOW + APART, found=True)
    assert not await look(store, erasure, began=NOW + APART + 1)
    assert await look(store, erasure, began=NOW + 2 * APART + 1)


async def test_a_clock_that_was_set_back_holds_it_up_for_no_longer(store: Store) -> None:
    erasure = await begin(store)
    await look(store, erasure, began=NOW)

    assert not await look(store, erasure, began=NOW - 99 * APART)
    assert await look(store, erasure, began=NOW - 98 * APART)


async def test_what_another_process_has_done_is_done(store: Store) -> None:
    erasure = await begin(store)
    await look(store, erasure, began=NOW)
    await look(store, erasure, began=NOW + APART)

    assert await look(store, erasure, began=NOW + APART)


async def test_a_later_command_takes_the_place_of_an_earlier_one(store: Store) -> None:
    first = await begin(store)
    await look(store, first, began=NOW)
    second = await begin(store, said_before=10_000)

    assert await on_their_way(store) == [second]
    assert not await look(store, first, began=NOW + APART)
    assert not await look(store, second, began=NOW + APART)


async def test_what_is_kept_of_a_person_by_itself_goes(store: Store) -> None:
    for person in (ANN, BOB):
        await store.database.write(lambda tx, p=person: people.link(tx, p, "c"))  # type: ignore[misc]
    for person, said_at in ((ANN, 8_000), (ANN, 9_000), (BOB, 8_000)):
        await _note(store, person, said_at)
    erasure = await begin(store)
    await store.database.write(lambda tx: erasures.delete_about(tx, erasure))

    assert await store.column("SELECT person FROM people") == [str(BOB)]
    left = await store.rows("SELECT person, said_at FROM notes ORDER BY person")
    assert left == [
        {"person": str(ANN), "said_at": 9_000},
        {"person": str(BOB), "said_at": 8_000},
    ]


async def _note(store: Store, person: PersonKey, said_at: int) -> None:
    await store.execute(
        """
        INSERT INTO notes (id, person, number, platform, workspace, surface, topic, subject, text,
          said_at, used_at)
        VALUES (:id, :person, 1, 'played', 'W', 'direct', 'name', '', 'A name.', :said_at, 0)
        """,
        id=f"{person} {said_at}",
        person=str(person),
        said_at=said_at,
    )


def test_every_table_about_a_person_names_whom_it_is_about() -> None:
    assert all(rule.person for rule in RULES.values() if rule.goes == "with its person")
