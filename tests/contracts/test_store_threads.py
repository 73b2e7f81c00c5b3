"""What hangs from a channel without naming it, as both engines store it."""

from dataclasses import replace

import pytest

from memory import conversations, deliveries, erase, forgettable
from memory.inbox import Arrival
from memory.keys import PlaceKey
from tests.contracts.store import ANN, DIGESTS, Store, said

HANGING = PlaceKey("played", "W", "-", "1")
OTHER = PlaceKey("played", "W", "-", "2")
CHANNEL = PlaceKey("played", "W", "C", "")
IN_CHANNEL = replace(CHANNEL, thread="9")
STRANGE = PlaceKey("played", "V", "C", "1")
LATER = 2**50


def hung(number: int, *, place: PlaceKey = HANGING, parent: str = "C") -> Arrival:
    return replace(said(number, place=place), parent=parent)


async def parents(store: Store) -> list[object]:
    return list(await store.column("SELECT parent FROM conversations ORDER BY created_at, id"))


async def found(store: Store, *, channel: str = "", thread: str = "") -> list[PlaceKey]:
    return await store.database.read(
        lambda tx: forgettable.find_places(tx, "played", "W", channel=channel, thread=thread)
    )


async def test_a_conversation_knows_what_it_hangs_from(store: Store) -> None:
    accepted = await store.accept(hung(1))
    assert accepted is not None

    conversation = await store.database.read(
        lambda tx: conversations.get(tx, accepted.conversation)
    )
    assert (conversation.place, conversation.parent) == (HANGING, "C")


@pytest.mark.parametrize(
    ("before", "told", "after"), [("", "C", "C"), ("C", "", "C"), ("C", "D", "D")]
)
async def test_what_it_hangs_from_may_be_told_later(
    store: Store, before: str, told: str, after: str
) -> None:
    for number, parent in ((1, before), (2, told)):
        await store.accept(hung(number, parent=parent))

    assert await parents(store) == [after]


async def test_the_next_conversation_hangs_from_the_same(store: Store) -> None:
    await store.accept(hung(1))
    await store.start_new(HANGING)

    assert await parents(store) == ["C", "C"]


async def test_what_is_moved_by_a_forget_hangs_from_the_same(store: Store) -> None:
    accepted = await store.accept(hung(1))
    assert accepted is not None
    forgotten = await store.database.write(
        lambda tx: erase.forget_conversation(
            tx, accepted.conversation, digests=DIGESTS, said_before=1000, kept=1
        )
    )

    assert forgotten.moved_to is not None
    assert await parents(store) == ["C"]


async def test_what_goes_with_a_place(store: Store) -> None:
    await store.accept(hung(1))
    await store.start_new(HANGING)
    await store.accept(hung(2, place=OTHER, parent="D"))
    await store.accept(hung(3, place=IN_CHANNEL, parent=""))
    await store.accept(hung(4, place=STRANGE))

    assert await found(store) == [HANGING, OTHER, IN_CHANNEL]
    assert await found(store, channel="C") == [HANGING, IN_CHANNEL]
    assert await found(store, channel="D") == [OTHER]
    assert await found(store, thread="1") == [HANGING]
    assert await found(store, channel="-", thread="1") == [HANGING]
    assert await found(store, channel="D", thread="1") == []


async def test_a_forget_in_a_channel_finds_what_hangs_from_it(store: Store) -> None:
    await store.accept(hung(1))
    await store.accept(hung(2, place=OTHER, parent="D"))
    await store.accept(hung(3, place=STRANGE))

    [one] = await store.database.read(
        lambda tx: forgettable.find_forgettable(tx, CHANNEL, in_channel=True, said_before=LATER)
    )
    assert (one.place, one.owner) == (HANGING, ANN)


async def test_an_answer_of_ours_tells_its_place(store: Store) -> None:
    await store.answer(1, place=HANGING)
    await store.answer(2, place=STRANGE)

    async def place(workspace: str, remote_id: str) -> PlaceKey | None:
        return await store.database.read(
            lambda tx: deliveries.find_place(tx, "played", workspace, remote_id)
        )

    assert await place("W", "900") == HANGING
    assert await place("V", "900") == STRANGE
    assert await place("W", "901") is None
