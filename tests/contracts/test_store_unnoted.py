"""Notes go: deleted, unwanted, unused, with what was changed or removed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from memory import changes, expired, unnoted, workspaces
from memory.turns import Turn
from tests.contracts.noted import DAY, NOW, add, delete, known, switch
from tests.contracts.store import ANN, DIGESTS, Store, said
from tests.fakes import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOW)


async def test_who_wants_no_notes_gets_none_also_not_later(store: Store) -> None:
    await switch(store, on=False)
    turn = await store.answer(1)
    assert await add(store, turn, "has two cats") is None

    await store.execute("UPDATE turns SET asked_at = :now", now=NOW - 1)
    await switch(store, on=True)
    await switch(store, on=True)
    assert await add(store, turn, "has two cats") is None
    assert await store.database.read(lambda tx: unnoted.is_on(tx, str(ANN)))

    await store.execute("UPDATE turns SET asked_at = :now", now=NOW)
    assert await add(store, turn, "has two cats") is not None


async def test_what_is_deleted_is_gone_and_not_drawn_again(store: Store) -> None:
    turn = await store.answer(1)
    await add(store, turn, "likes tea", "preference", subject="drinks")

    assert await delete(store, 1, "channel:W:C") is None
    deleted = await delete(store, 1, "direct")
    assert deleted is not None
    assert (deleted.text, await known(store)) == ("likes tea", [])
    assert await add(store, turn, "prefers tea", "preference") is None
    [row] = await store.rows("SELECT text, subject FROM notes")
    assert row == {"text": "", "subject": ""}
    assert await delete(store, 9) is None


async def test_all_of_a_person_is_deleted_at_once(store: Store) -> None:
    turn = await store.answer(1)
    await add(store, turn, "has two cats")
    await add(store, turn, "likes tea", "preference")

    assert await store.database.write(lambda tx: unnoted.delete_all(tx, str(ANN))) == 2
    assert await known(store) == []
    assert await store.database.write(lambda tx: unnoted.forget_person(tx, str(ANN))) == 2


async def purge(store: Store, turn: Turn, now: int) -> bool:
    return await store.database.write(
        lambda tx: expired.purge(tx, turn.conversation, now=now, days=30)
    )


async def sweep(store: Store, now: int) -> int:
    return await store.database.write(lambda tx: expired.sweep_notes(tx, now=now, days=30))


async def test_a_note_outlives_its_conversations_retention(store: Store) -> None:
    turn = await store.answer(1)
    await add(store, turn, "has two cats")
    await add(store, turn, "likes tea", "preference")
    await delete(store, 2)

    assert not await purge(store, turn, NOW)
    assert await purge(store, turn, NOW + 30 * DAY + 1)
    assert await store.rows("SELECT text, conversation, turn FROM notes") == [
        {"text": "has two cats", "conversation": None, "turn": None}
    ]
    assert await delete(store, 1) is not None
    assert await store.rows("SELECT * FROM notes") == []


async def test_a_note_that_nobody_uses_goes_after_the_window_of_its_workspace(
    store: Store,
) -> None:
    turn = await store.answer(1)
    await add(store, turn, "has two cats")
    await add(store, turn, "likes tea", "preference")
    await delete(store, 2)
    await store.database.write(lambda tx: workspaces.set_window(tx, "played", "W", 10))

    assert await sweep(store, NOW + 10 * DAY) == 0
    assert await sweep(store, NOW + 10 * DAY + 1) == 1
    assert [row["topic"] for row in await store.rows("SELECT topic FROM notes")] == ["preference"]


async def test_what_was_noted_goes_with_the_channel_or_the_workspace(store: Store) -> None:
    arrival = replace(said(1), surface="private")
    accepted = await store.accept(arrival)
    assert accepted is not None
    turn = await store.begin(accepted.conversation)
    left = []
    for workspace, channel in [("V", ""), ("W", "D"), ("W", "C"), ("W", "")]:
        await add(store, turn, "has two cats", key=workspace + channel)
        await store.database.write(
            partial(unnoted.forget_removed, platform="played", workspace=workspace, channel=channel)
        )
        left.append(len(await known(store)))

    assert left == [1, 1, 0, 0]


async def test_notes_of_what_was_changed_go(store: Store) -> None:
    turn = await store.answer(1)
    await add(store, turn, "has two cats")
    arrival = replace(said(1), edited_at=NOW)
    await store.database.write(
        lambda tx: changes.edit(tx, replace(arrival, message=said(2).message), DIGESTS, calls=False)
    )

    assert await known(store) == []
