"""What is noted of what nobody listened to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory import conversations, missed
from memory.missed import Behind
from tests.contracts.store import PLACE, Store, said
from tests.fakes import FakeClock

DAY = 24 * 3_600_000
NOW = 100 * DAY


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOW)


async def note(store: Store, *, since: int | None = None) -> None:
    await store.database.write(lambda tx: missed.note(tx, "played", since=since))


async def find(store: Store) -> list[Behind]:
    return await store.database.read(lambda tx: missed.find(tx, "played"))


async def caught_up(store: Store, behind: Behind) -> None:
    await store.database.write(
        lambda tx: missed.caught_up(tx, behind.id, said_after=behind.said_after)
    )


async def ask(store: Store, thread: int, *, at: int = NOW) -> str:
    """A message said then begins a place, and its turn."""
    accepted = await store.accept(
        said(thread, place=replace(PLACE, thread=str(thread)), at=at + thread)
    )
    assert accepted is not None
    await store.begin(accepted.conversation)
    return accepted.conversation


async def test_a_place_is_read_from_its_newest_known_message_on(store: Store) -> None:
    conversation = await ask(store, 1)
    await store.accept(said(2, at=NOW + 20))
    await store.accept(said(3, at=NOW + 10))

    await note(store)
    await store.accept(said(4, at=NOW + 30))  # told before anybody has read

    [behind] = await find(store)
    place = replace(PLACE, thread="1")
    assert behind == Behind(conversation, place, NOW + 20, '{"to": "1"}')


async def test_what_is_noted_outlives_a_worker_that_has_not_read(store: Store) -> None:
    await ask(store, 1)
    await note(store)
    await store.accept(said(2, at=NOW + 20))
    await note(store)
    await note(store, since=NOW + 30)

    [behind] = await find(store)
    assert behind.said_after == NOW + 1


async def test_a_lost_connection_is_noted_with_its_time(store: Store) -> None:
    await ask(store, 1)
    await note(store, since=NOW + 30)
    await note(store, since=NOW + 40)

    [behind] = await find(store)
    assert behind.said_after == NOW + 30


async def test_what_was_read_is_no_more_behind_unless_more_was_missed(store: Store) -> None:
    await ask(store, 1)
    await note(store, since=NOW + 30)
    [behind] = await find(store)
    await note(store, since=NOW + 20)
    await caught_up(store, behind)

    [still] = await find(store)
    assert still.said_after == NOW + 20
    await caught_up(store, still)
    assert await find(store) == []


@pytest.mark.slow
async def test_the_newest_fifty_of_the_last_day_are_read_newest_first(
    store: Store, clock: FakeClock
) -> None:
    await ask(store, 1)
    clock.advance(DAY)
    for thread in range(2, missed.MOST + 3):
        await ask(store, thread)
        clock.advance(1)
    await note(store)
    found = [int(each.place.thread) for each in await find(store)]

    assert found == list(range(missed.MOST + 2, 2, -1))


async def test_nothing_older_than_a_day_is_read(store: Store, clock: FakeClock) -> None:
    await ask(store, 1, at=NOW - 2 * DAY)
    await note(store)
    clock.advance(DAY - 1)

    [behind] = await find(store)
    assert behind.said_after == clock() - DAY
    clock.advance(1)
    assert await find(store) == []


async def test_another_platform_is_not_behind(store: Store) -> None:
    await ask(store, 1)
    await store.database.write(lambda tx: missed.note(tx, "slack"))

    assert await find(store) == []


async def test_after_a_new_beginning_nothing_older_is_read(store: Store, clock: FakeClock) -> None:
    await ask(store, 1, at=NOW - 1000)
    place = replace(PLACE, thread="1")
    clock.advance(10)
    new = await store.database.write(
        lambda tx: conversations.start_new(tx, place, surface="public", owner=said(1).author)
    )
    await note(store)

    assert await find(store) == [Behind(new, place, NOW + 10, '{"to": "1"}')]


async def test_who_waits_for_the_first_answer_says_where(store: Store) -> None:
    accepted = await store.accept(said(1, at=NOW))
    assert accepted is not None
    await note(store)

    assert await find(store) == [Behind(accepted.conversation, PLACE, NOW, '{"to": "1"}')]


async def test_where_nobody_has_asked_nothing_can_be_read(store: Store) -> None:
    await store.database.write(
        lambda tx: conversations.start_new(tx, PLACE, surface="public", owner=said(1).author)
    )
    await note(store)

    assert await find(store) == []


async def test_what_was_said_before_an_unmute_is_not_read(store: Store) -> None:
    await ask(store, 1, at=NOW - 1000)
    place = replace(PLACE, thread="1")
    await store.database.write(
        lambda tx: conversations.mute(tx, place, muted=False, said_at=NOW + 7)
    )
    await note(store)

    [behind] = await find(store)
    assert behind.said_after == NOW + 7
