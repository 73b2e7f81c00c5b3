"""What is known about a person: shown where it may be, replaced, used, deleted, gone in time."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product

import pytest

from memory import notes
from memory.database import Transaction
from memory.errors import ConstraintError
from memory.keys import PersonKey, PlaceKey, shown_on
from memory.knowledge import Drawn
from tests.contracts.noted import DAY, NOW, SPOTS, add, known, may_see, shown
from tests.contracts.store import ANN, BOB, PLACE, Store, said
from tests.fakes import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOW)


async def test_what_was_said_somewhere_is_shown_where_those_who_read_there_may_know_it(
    store: Store,
) -> None:
    for number, ((surface, place), user) in enumerate(product(SPOTS, ["ann", "bob"]), 1):
        author = PersonKey(place.platform, place.workspace, user)
        arrival = replace(said(number, author, place=place), surface=surface)
        accepted = await store.accept(arrival)
        assert accepted is not None
        turn = await store.begin(accepted.conversation)
        await store.finish(turn)
        await store.deliver(turn)
        assert await add(store, turn, f"{user} {surface} {place}", subject=f"{number}")

    for asked_in, user in product(SPOTS, ["ann", "bob"]):
        surface, place = asked_in
        person = PersonKey(place.platform, place.workspace, user)
        expected = {
            f"{user} {spot[0]} {spot[1]}"
            for spot in SPOTS
            if (spot[1].platform, spot[1].workspace) == (place.platform, place.workspace)
            and may_see(spot, asked_in)
        }
        assert set(await shown(store, person, surface, place)) == expected


async def test_an_account_that_is_the_same_everywhere_is_known_in_each_guild_by_itself(
    store: Store,
) -> None:
    """A person on Discord has no workspace; what they said in one guild stays there."""
    eve = PersonKey("discord", "", "eve")
    for number, guild in enumerate(["G1", "G2"], 1):
        place = PlaceKey("discord", guild, "-", f"{number}")
        accepted = await store.accept(replace(said(number, eve, place=place), surface="public"))
        assert accepted is not None
        await add(store, await store.begin(accepted.conversation), f"works for {guild}", "role")

    assert await shown(store, eve, "public", PlaceKey("discord", "G1", "-", "9")) == [
        "works for G1"
    ]
    assert await shown(store, eve, "direct", PlaceKey("discord", "@me", "d", "")) == []
    assert await known(store, eve) == ["works for G1", "works for G2"]


async def test_a_newer_note_takes_the_place_of_one_that_it_contradicts(store: Store) -> None:
    first, second = await store.answer(1), await store.answer(2)
    await add(store, first, "lives in Bergen", "place")
    await add(store, second, "lives in Kaunas", "place")

    assert await known(store) == ["lives in Kaunas"]
    assert await add(store, first, "lives in Bergen near the market", "place") is None


async def test_a_call_that_is_made_again_notes_nothing_again(store: Store) -> None:
    turn = await store.answer(1)
    one = await add(store, turn, "has two cats", key="k")

    assert await add(store, turn, "has two cats", key="k") == one
    assert await known(store) == ["has two cats"]


async def test_what_the_after_work_draws_is_noted_in_the_order_in_which_it_was_said(
    store: Store,
) -> None:
    first, second = await store.answer(1), await store.answer(2)
    drawn = [
        Drawn(second.number, "Place", "moved to Kaunas"),
        Drawn(first.number, "place", "lives in Bergen"),
        Drawn(first.number, "weather", "likes rain"),
        Drawn(first.number, "fact", " "),
        Drawn(99, "fact", "has two cats"),
    ]

    for _ in range(2):
        await store.database.write(lambda tx: notes.add_drawn(tx, first.conversation, drawn))

    assert await known(store) == ["moved to Kaunas"]


async def test_of_a_turn_that_is_gone_nothing_is_noted(store: Store) -> None:
    turn = await store.answer(1)
    await add(store, turn, "has two cats")
    await store.forget(turn.conversation)

    assert await add(store, turn, "has two cats") is None
    assert await known(store) == []


async def test_a_note_that_comes_after_its_turn_went_fails(store: Store) -> None:
    turn = await store.answer(1)
    await add(store, turn, "has two cats")

    with pytest.raises(ConstraintError):
        await store.execute("UPDATE notes SET turn = 99")


async def test_the_asker_is_whose_turn_it_is(store: Store) -> None:
    first = await store.answer(1)
    await store.ask(2, BOB)

    async def asker(number: int) -> notes.Asker | None:
        return await store.database.read(
            lambda tx: notes.find_asker(tx, first.conversation, number)
        )

    found = [await asker(number) for number in (1, 2, 2**62)]
    assert [each and each.person for each in found] == [str(ANN), str(BOB), str(BOB)]
    assert found[0] == notes.Asker(str(ANN), shown_on("direct", PLACE), keeps_notes=True)
    assert await store.database.read(lambda tx: notes.find_asker(tx, "nowhere", 1)) is None


async def test_the_least_used_go_when_there_are_too_many(store: Store, clock: FakeClock) -> None:
    turn = await store.answer(1)
    for number in range(notes.MOST):
        await add(store, turn, f"knows word{number}", subject=f"{number}")
    kept = await store.database.read(lambda tx: notes.read_all(tx, str(ANN)))
    clock.advance(DAY)
    await store.database.write(lambda tx: notes.use(tx, [*kept[:7], *kept[8:]]))
    await add(store, turn, "has one more", subject="more")

    assert len(await known(store)) == notes.MOST
    assert "knows word7" not in await known(store)


async def test_one_use_a_day_counts(store: Store, clock: FakeClock) -> None:
    note = await add(store, await store.answer(1), "has two cats")
    assert note is not None
    clock.advance(DAY)
    for _ in range(3):
        await store.database.write(lambda tx: notes.use(tx, [note]))

    [used] = await store.database.read(lambda tx: notes.read_all(tx, str(ANN)))
    assert (used.uses, used.used_at) == (1, NOW + DAY)
    assert notes.stale([note, used], NOW + DAY) == [note]


async def test_notes_are_found_by_an_index(store: Store, database_url: str) -> None:
    is_sqlite = database_url.startswith("sqlite")
    explain = "EXPLAIN QUERY PLAN" if is_sqlite else "EXPLAIN"

    async def plan(tx: Transaction, sql: str) -> str:
        if not is_sqlite:  # it reads a table of one page as a whole
            await tx.execute("SET LOCAL enable_seqscan = off")
        return str([dict(row) for row in await tx.fetch(f"{explain} {sql}")])

    for index, sql in {
        "notes_person": "SELECT * FROM notes WHERE person = 'a' AND surface IN ('b', 'c')",
        "notes_source": "DELETE FROM notes WHERE conversation = 'a' AND turn = 1",
        "notes_used": "DELETE FROM notes WHERE used_at < 1 AND text <> ''",
    }.items():
        assert index in await store.database.read(partial(plan, sql=sql))
