"""How long what was said is kept, where a workspace has a window of its own."""

from __future__ import annotations

from functools import partial

import pytest

from memory import workspaces
from memory.erase import FORGOTTEN_KEPT
from memory.expired import Expired, find_expired, purge, sweep_digests
from memory.keys import SEEN_KEPT
from memory.workspaces import DAY, Windows, Workspace
from tests.contracts.store import PLACE, Store
from tests.fakes import FakeClock

NOW = 1_000_000_000_000
WINDOWS = Windows(30)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOW)


async def window(store: Store, days: int | None, platform: str = PLACE.platform) -> None:
    await store.database.write(
        lambda tx: workspaces.set_window(tx, platform, PLACE.workspace, days)
    )


async def kept(store: Store) -> int:
    return await store.database.read(lambda tx: WINDOWS.of(tx, PLACE.platform, PLACE.workspace))


async def is_too_old(store: Store, age: int) -> bool:
    return await store.database.read(lambda tx: WINDOWS.is_too_old(tx, PLACE, age))


async def goes(store: Store, *, after: int) -> bool:
    """Whether the only conversation is found, and goes, so long (ms) after its last message."""
    now = NOW + after
    found = await store.database.read(lambda tx: find_expired(tx, now=now, days=30, limit=9))
    for one in found:
        assert await store.database.write(partial(purge, conversation=one.id, now=now, days=30))
    return bool(found)


async def test_a_workspace_has_the_window_that_was_given_to_it_and_no_other(store: Store) -> None:
    assert await kept(store) == 30
    await window(store, 7)
    assert await kept(store) == 7
    await window(store, 90, platform="discord")
    assert await kept(store) == 7
    await window(store, None)
    assert await kept(store) == 30
    assert await store.database.read(WINDOWS.longest) == 90


@pytest.mark.parametrize("days", [7, 90])
async def test_what_is_past_its_window_goes_and_not_a_moment_before(
    store: Store, days: int
) -> None:
    await store.answer(1)
    await window(store, days)

    assert not await goes(store, after=days * DAY)
    assert await goes(store, after=days * DAY + 1)


async def test_what_comes_after_a_page_is_found_next(store: Store, clock: FakeClock) -> None:
    await store.answer(1)
    await store.start_new()
    clock.advance(1)
    await store.start_new()

    found: list[Expired] = []
    after = None
    for _ in range(4):
        look = partial(find_expired, now=NOW + 31 * DAY, days=30, limit=1, after=after)
        found += await store.database.read(look)
        after = found[-1]

    assert len({one.id for one in found}) == len(found) == 3


async def test_nothing_is_taken_that_is_older_than_the_window_of_its_workspace(
    store: Store,
) -> None:
    assert not await is_too_old(store, 3 * DAY)
    await window(store, 2)
    assert await is_too_old(store, 3 * DAY)
    assert not await is_too_old(store, DAY)
    await window(store, 90)
    assert not await is_too_old(store, SEEN_KEPT)
    assert await is_too_old(store, SEEN_KEPT + 1)


async def test_a_watermark_stays_for_a_window_that_became_longer(
    store: Store, clock: FakeClock
) -> None:
    """Or what was forgotten would be read back."""
    await store.watermark("place", said_before=NOW)
    clock.advance(FORGOTTEN_KEPT + 1)

    await store.database.write(lambda tx: sweep_digests(tx, longest=500))
    assert await store.column("SELECT key FROM forgotten") == ["place"]
    await store.database.write(lambda tx: sweep_digests(tx, longest=400))
    assert await store.column("SELECT key FROM forgotten") == []


async def test_when_a_workspace_was_left_is_noted_beside_its_window(store: Store) -> None:
    await window(store, 7)
    await store.database.write(
        lambda tx: workspaces.note_removed(tx, PLACE.platform, PLACE.workspace, 5)
    )

    assert await store.database.read(workspaces.list_all) == [
        Workspace(PLACE.platform, PLACE.workspace, 7, 5)
    ]


async def test_workspaces_with_conversations_that_are_not_among_those_told_are_found(
    store: Store,
) -> None:
    await store.answer(1)

    async def absent(*present: str) -> list[str]:
        return await store.database.read(
            lambda tx: workspaces.find_absent(tx, PLACE.platform, present)
        )

    assert await absent("T9") == [PLACE.workspace]
    assert await absent("T9", PLACE.workspace) == []
