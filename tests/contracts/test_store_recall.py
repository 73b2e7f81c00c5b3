"""Recall on both engines: the terms of the turns before the cut, and the few that are found."""

from dataclasses import replace

import pytest

from memory import changes, history, recall
from memory.database import Transaction
from memory.excerpts import Recalled
from memory.messages import assistant, user
from memory.turns import Turn
from tests.contracts.store import DIGESTS, Store, said


async def remember(store: Store, *answers: str) -> list[Turn]:
    """Turns with these answers, of which all but the last are before the cut."""
    turns = []
    for number, answer in enumerate(answers, 1):
        turns.append(await store.ask(number))
        await store.finish(turns[-1], assistant(answer))
        await store.deliver(turns[-1])
    await work_up(store, turns[0].conversation, before=len(answers))
    return turns


async def work_up(store: Store, conversation: str, *, before: int) -> None:
    async def work(tx: Transaction) -> None:
        leaving = await history.read_range(tx, conversation, 1, before)
        assert await history.move_cut(tx, conversation, to=before, revision=1)
        await recall.write_terms(tx, conversation, leaving)

    await store.database.write(work)


async def find(store: Store, turn: Turn, question: str) -> list[Recalled]:
    return await store.database.read(lambda tx: recall.find(tx, turn.conversation, question))


async def test_a_turn_before_the_cut_is_found_by_its_words(store: Store) -> None:
    lamp, *_ = await remember(store, "The lamp is AB-1234.", "The desk is green.", "Hello.")

    [found] = await find(store, lamp, "Which number had our lamp?")

    assert found.turn.messages[-1].text == "The lamp is AB-1234."
    assert await find(store, lamp, "ab-1234") == [
        Recalled(found.turn, frozenset({"ab-1234", "ab", "1234"}))
    ]


async def test_nothing_is_found_where_nothing_matches(store: Store) -> None:
    lamp, *_ = await remember(store, "The lamp is AB-1234.", "The desk is green.", "Hello.")

    assert await find(store, lamp, "What is the weather in the mountains?") == []
    assert await find(store, lamp, "hello") == []  # it is in the window
    assert await find(store, lamp, "?") == []


async def test_of_a_turn_in_the_window_the_results_of_tools_are_found(store: Store) -> None:
    turn = await store.ask(1)
    await store.call(turn)
    await store.result(turn)
    await store.finish(turn)
    await store.deliver(turn)
    window = await store.database.read(
        lambda tx: history.read_window(tx, turn.conversation, turn.number + 1)
    )

    [found] = await store.database.read(
        lambda tx: recall.find(tx, turn.conversation, "What was found?", window)
    )

    assert found.is_in_window
    assert found.turn == window[0]


async def test_terms_that_were_written_again_take_the_place_of_the_old_ones(store: Store) -> None:
    lamp, *_ = await remember(store, "The lamp is AB-1234.", "Hello.")

    async def again(tx: Transaction) -> None:
        turns = await history.read_range(tx, lamp.conversation, 1, 2)
        await recall.write_terms(tx, lamp.conversation, turns)

    await store.database.write(again)
    rows = await store.rows("SELECT term FROM recall WHERE term = 'lamp'")
    assert len(rows) == 1


async def test_terms_go_with_their_conversation(store: Store) -> None:
    lamp, *_ = await remember(store, "The lamp is AB-1234.", "Hello.")

    async def forget(tx: Transaction) -> None:
        await tx.execute("DELETE FROM conversations WHERE id = :id", id=lamp.conversation)

    await store.database.write(forget)
    assert await store.rows("SELECT 1 FROM recall") == []


@pytest.mark.slow
async def test_many_terms_are_written_at_once(store: Store) -> None:
    words = " ".join(f"n{number:04}" for number in range(500))
    turn, *_ = await remember(store, words, "Hello.")

    rows = await store.rows("SELECT term FROM recall")
    assert len(rows) == recall.MOST_OF_A_TURN
    assert len(await find(store, turn, "n0007")) == 1


@pytest.mark.parametrize(("number", "found"), [(1, 1), (3, 0)])
async def test_an_edit_before_the_cut_changes_the_terms_with_the_words(
    store: Store, number: int, found: int
) -> None:
    """After it, nothing is kept yet."""
    lamp, *_ = await remember(store, "Green.", "Blue.", "Red.")
    arrival = replace(said(number), message=user("the desk"), edited_at=2**50)
    await store.database.write(lambda tx: changes.edit(tx, arrival, DIGESTS, calls=True))

    assert len(await store.rows("SELECT 1 FROM recall WHERE term = 'desk'")) == found
    assert len(await find(store, lamp, "desk")) == found
