"""The answer is committed before it is delivered, and the place is free after that."""

import pytest

from memory import deliveries, repair, turns
from memory.deliveries import Part
from memory.errors import Superseded
from memory.messages import Text, ToolCall, assistant, tool
from memory.turns import Spent, Turn
from tests.contracts.store import CALL, OVER, PLACE, RESULT, Store

SECOND = ToolCall("c2", "look", "{}")
SPENT = Spent("scripted", 100, 50, 10, 5, model_ms=7, tool_ms=8, first_text_ms=9)


async def test_an_ending_is_stored_with_its_outcome_and_its_cost(store: Store) -> None:
    turn = await store.ask(1)

    assert await store.finish(turn, outcome="step_limit", spent=SPENT) is None
    row = await store.turn(turn)
    assert (row["state"], row["outcome"], row["model"]) == ("sending", "step_limit", "scripted")
    assert (row["input_tokens"], row["cached_tokens"]) == (100, 50)
    assert (row["output_tokens"], row["reasoning_tokens"]) == (10, 5)
    assert (row["model_ms"], row["tool_ms"], row["first_text_ms"]) == (7, 8, 9)
    assert row["ended_at"] >= row["started_at"]


async def test_a_call_without_a_result_gets_one_before_the_answer(store: Store) -> None:
    turn = await store.ask(1)
    await store.record(turn, assistant("", CALL, SECOND))
    await store.result(turn)
    await store.finish(turn)

    question, called, first, second, answer = await store.messages(turn)
    assert (called.calls, first, answer.text) == ((CALL, SECOND), tool(RESULT), "The answer.")
    assert question.role == "user"
    [lost] = second.results
    assert (lost.call_id, lost.is_error, lost.text) == ("c2", True, repair.NOT_RUN)


async def test_an_ending_with_many_messages_leaves_room_for_the_next_one(store: Store) -> None:
    turn = await store.ask(1)
    await store.record(turn, assistant("", CALL, SECOND))
    await store.finish(turn)
    await store.say(2)

    assert len(await store.messages(turn)) == 5
    assert await store.waiting() == ["2"]


async def test_the_sizes_are_those_of_all_that_is_stored(store: Store) -> None:
    turn = await store.ask(1)  # "message 1"
    await store.call(turn)
    await store.finish(turn, assistant("No."))

    row = await store.turn(turn)
    called = len("look{}") + len("look") + len(repair.NOT_RUN)
    assert row["full_size"] == len("message 1") + called + len("No.")
    assert row["compact_size"] == len("message 1") + len("No.")


@pytest.mark.parametrize("wish", ["changed", "stopped"])
async def test_a_wish_that_came_before_is_returned_and_nothing_stored(
    store: Store, wish: str
) -> None:
    turn = await store.ask(1)
    await store.call(turn)
    await store.execute("UPDATE turns SET stop = :wish", wish=wish)

    assert await store.finish(turn) == wish
    assert (await store.turn(turn))["state"] == "running"
    assert [message.role for message in await store.messages(turn)] == ["user", "assistant"]


async def test_a_wish_that_is_heeded_ends_the_turn(store: Store) -> None:
    turn = await store.ask(1)
    await store.stop()

    assert await store.finish(turn, outcome="stopped", heeded="stopped") is None
    row = await store.turn(turn)
    assert (row["state"], row["outcome"], row["stop"]) == ("sending", "stopped", None)


async def test_heeding_one_wish_leaves_another(store: Store) -> None:
    turn = await store.ask(1)
    await store.say(2)

    assert await store.finish(turn, outcome="stopped", heeded="stopped") == "changed"


async def test_what_stands_on_the_platform_is_noted_with_the_ending(store: Store) -> None:
    turn = await store.ask(1)
    await store.finish(turn, sent=[Part("900", 5), Part("901", 9)])

    assert await sent(store, turn) == [Part("900", 5), Part("901", 9)]
    assert await store.column("SELECT state FROM deliveries") == ["open", "open"]


async def test_a_delivered_turn_is_done_and_its_parts_are_sent(store: Store) -> None:
    turn = await store.ask(1)
    await store.finish(turn, sent=[Part("900", 5)])
    await store.deliver(turn, Part("900", 20), Part("901", 30))

    assert (await store.turn(turn))["state"] == "done"
    assert await sent(store, turn) == [Part("900", 20), Part("901", 30)]
    assert await store.column("SELECT state FROM deliveries") == ["sent", "sent"]


async def test_parts_that_were_removed_are_not_known_any_more(store: Store) -> None:
    """What was shown had two parts, and the answer has one."""
    turn = await store.ask(1)
    await store.finish(turn, sent=[Part("900", 5), Part("901", 9)])
    await store.deliver(turn, Part("900", 3))

    assert await sent(store, turn) == [Part("900", 3)]


async def test_a_turn_that_was_not_delivered_has_failed(store: Store) -> None:
    turn = await store.ask(1)
    await store.finish(turn)
    await store.fail(turn)

    row = await store.turn(turn)
    assert (row["state"], row["outcome"]) == ("failed", "answered")


async def test_the_place_is_free_after_the_delivery_and_not_before(store: Store) -> None:
    turn = await store.answer(1)
    after = await store.ask(2)
    await store.finish(after)
    await store.fail(after)

    assert (await store.ask(3)).number == 3
    assert turn.number == 1


async def test_an_ending_is_refused_when_the_turn_was_taken_over(store: Store) -> None:
    """R9"""
    late = await store.ask(1, lease=OVER)
    await store.take_over(late.conversation)

    with pytest.raises(Superseded) as lost:
        await store.finish(late)
    assert lost.value.why == "taken"
    assert len(await store.messages(late)) == 1


async def test_an_ending_is_refused_when_the_conversation_was_forgotten(store: Store) -> None:
    turn = await store.ask(1)
    await store.forget(turn.conversation)

    with pytest.raises(Superseded) as lost:
        await store.finish(turn)
    assert lost.value.why == "erased"


async def test_a_turn_ends_once(store: Store) -> None:
    turn = await store.ask(1)
    await store.finish(turn)

    with pytest.raises(Superseded):
        await store.finish(turn)
    assert len(await store.messages(turn)) == 2


async def test_only_the_owner_of_a_turn_closes_it(store: Store) -> None:
    late = await store.ask(1, lease=OVER)
    await store.finish(late)
    await store.take_over(late.conversation)

    for close in (store.deliver, store.fail):
        with pytest.raises(Superseded):
            await close(late)
    assert (await store.turn(late))["state"] == "sending"


async def test_a_turn_is_not_delivered_before_it_ended(store: Store) -> None:
    turn = await store.ask(1)

    with pytest.raises(Superseded):
        await store.deliver(turn)


async def test_an_answer_that_cannot_be_stored_as_text_is_mended(store: Store) -> None:
    turn = await store.ask(1)
    await store.finish(turn, assistant("half \ud83d, none \0, whole 😀"))

    [_, answer] = await store.messages(turn)
    assert isinstance(answer.parts[0], Text)
    assert "whole 😀" in answer.text


async def test_the_place_of_a_turn_is_known_until_it_ends(store: Store) -> None:
    turn = await store.ask(1)
    before = await store.database.read(lambda tx: turns.find_place(tx, turn.id))
    await store.finish(turn)
    await store.deliver(turn)
    after = await store.database.read(lambda tx: turns.find_place(tx, turn.id))

    assert (before, after) == (PLACE, None)


async def test_whether_a_turn_exists(store: Store) -> None:
    turn = await store.ask(1)
    before = await store.database.read(lambda tx: turns.exists(tx, turn.id))
    await store.forget(turn.conversation)
    after = await store.database.read(lambda tx: turns.exists(tx, turn.id))

    assert (before, after) == (True, False)


async def sent(store: Store, turn: Turn) -> list[Part]:
    return await store.database.read(
        lambda tx: deliveries.read_sent(tx, turn.conversation, turn.number)
    )
