"""Every step is stored as it happens, by the one who owns the turn."""

from dataclasses import replace

import pytest

from memory.errors import Superseded
from memory.messages import assistant, tool
from tests.contracts.store import CALL, OVER, RESULT, Store


async def test_steps_are_stored_as_they_happened(store: Store) -> None:
    turn = await store.ask(1)
    await store.record(turn, assistant("I look.", CALL))
    await store.record(turn, tool(RESULT))

    steps = (await store.messages(turn))[1:]
    assert steps == [assistant("I look.", CALL), tool(RESULT)]


async def test_only_what_the_model_said_counts_as_a_step(store: Store) -> None:
    turn = await store.ask(1)
    await store.call(turn)
    await store.result(turn)

    assert (await store.turn(turn))["steps"] == 1


async def test_a_step_has_a_position_of_its_own_beside_what_waits(store: Store) -> None:
    turn = await store.ask(1)
    await store.call(turn)
    await store.say(2)
    await store.result(turn)

    positions = await store.column("SELECT position FROM messages ORDER BY position")
    assert len(positions) == len(set(positions)) == 4


@pytest.mark.parametrize("wish", ["changed", "stopped"])
async def test_with_a_wish_nothing_that_the_model_says_is_stored(store: Store, wish: str) -> None:
    turn = await store.ask(1)
    await store.execute("UPDATE turns SET stop = :wish", wish=wish)

    assert await store.record(turn, assistant("", CALL)) == wish
    assert len(await store.messages(turn)) == 1
    assert (await store.turn(turn))["steps"] == 0


@pytest.mark.parametrize("wish", ["changed", "stopped"])
async def test_a_result_that_came_is_stored_whatever_the_wish(store: Store, wish: str) -> None:
    turn = await store.ask(1)
    await store.call(turn)
    await store.execute("UPDATE turns SET stop = :wish", wish=wish)

    assert await store.result(turn) == wish
    assert (await store.messages(turn))[-1] == tool(RESULT)


async def test_a_step_is_refused_when_the_turn_was_taken_over(store: Store) -> None:
    """R9"""
    turn = await store.ask(1, lease=OVER)
    taken = await store.take_over(turn.conversation)

    with pytest.raises(Superseded) as lost:
        await store.record(turn, assistant("Late."))
    assert taken is not None
    assert lost.value.why == "taken"
    assert len(await store.messages(taken)) == 1


async def test_a_result_is_refused_when_the_turn_was_taken_over(store: Store) -> None:
    turn = await store.ask(1, lease=OVER)
    await store.take_over(turn.conversation)

    with pytest.raises(Superseded):
        await store.result(turn)


async def test_a_step_is_refused_when_the_conversation_was_forgotten(store: Store) -> None:
    turn = await store.ask(1)
    await store.forget(turn.conversation)

    with pytest.raises(Superseded) as lost:
        await store.record(turn, assistant("Late."))
    assert lost.value.why == "erased"
    assert await store.rows("SELECT * FROM messages") == []


async def test_a_step_is_refused_when_the_turn_has_ended(store: Store) -> None:
    turn = await store.ask(1)
    await store.finish(turn)

    with pytest.raises(Superseded):
        await store.record(turn, assistant("Late."))


async def test_a_step_of_another_fence_is_refused(store: Store) -> None:
    turn = await store.ask(1)

    with pytest.raises(Superseded):
        await store.record(replace(turn, fence=2), assistant("Early."))


async def test_a_damaged_row_is_missing_among_the_messages(store: Store) -> None:
    turn = await store.ask(1)
    await store.call(turn)
    await store.result(turn)
    await store.execute("UPDATE messages SET content = '{' WHERE role = 'assistant'")

    assert [message.role for message in await store.messages(turn)] == ["user", "tool"]
