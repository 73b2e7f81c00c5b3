"""A participant's erase meets a turn that runs: whoever has loaded their words begins anew."""

from __future__ import annotations

import pytest

from memory.errors import Superseded
from memory.messages import ToolCall, ToolResult, assistant, user
from memory.repair import UNSAID
from tests.contracts.parts import WORDS, asked, begun, erase
from tests.contracts.store import BOB, OVER, Store


async def test_the_open_turns_stored_steps_are_included_and_it_begins_anew(store: Store) -> None:
    await asked(store, 1, BOB, "my order is 1042")
    turn = await begun(store, 2)
    await store.call(turn, ToolCall("c1", "look", '{"order": 1042}'))
    await store.result(turn, ToolResult("c1", "look", '{"order": 1042, "paid": true}'))

    part = await erase(store, turn)

    assert part.is_rung
    _, call, result = await store.messages(turn)
    assert call.calls[0].arguments == '{"order": "[removed]"}'
    assert result.results[0].text == '{"order": "[removed]", "paid": true}'
    assert await store.renew(turn) == "erased"


async def test_while_something_it_loaded_is_erased_a_turn_stores_nothing_of_it(
    store: Store,
) -> None:
    await asked(store, 1, BOB, WORDS)
    turn = await begun(store, 2)
    await store.call(turn)
    await erase(store, turn)

    assert await store.record(turn, assistant(WORDS)) == "erased"
    assert await store.finish(turn, assistant(WORDS)) == "erased"
    await store.stop()
    assert await store.finish(turn, assistant(WORDS), outcome="stopped", heeded="stopped") == (
        "erased"
    )
    assert await store.result(turn, ToolResult("c1", "look", WORDS)) == "erased"
    assert [each.text for each in (await store.messages(turn))[-1].results] == [UNSAID]


async def test_begun_anew_it_may_go_on_and_a_stop_stays(store: Store) -> None:
    await asked(store, 1, BOB, WORDS)
    turn = await begun(store, 2)
    await store.call(turn)
    await erase(store, turn)
    await store.stop()
    anew = await store.begin_anew(turn)

    assert (anew.erased, anew.wish) == (0, "stopped")
    assert await store.messages(turn) == [user("Hi")]
    assert await store.finish(anew, assistant("Stopped."), outcome="stopped", heeded="stopped") is (
        None
    )


async def test_a_turn_that_may_not_begin_anew_ends_with_what_is_clean(store: Store) -> None:
    await asked(store, 1, BOB, WORDS)
    turn = await begun(store, 2)
    await store.call(turn)
    await erase(store, turn)

    assert await store.finish(turn, assistant("No."), outcome="stopped", heeded="erased") is None
    row = await store.turn(turn)
    assert (row["state"], row["erased"], row["outcome"]) == ("sending", 0, "stopped")


async def test_a_turn_that_loaded_nothing_of_theirs_goes_on(store: Store) -> None:
    turn = await begun(store, 1)
    await store.say(2, BOB)
    part = await erase(store, turn)

    assert (part.messages, part.is_rung) == (1, False)
    assert await store.renew(turn) is None


async def test_their_own_running_turn_goes_and_who_runs_it_learns_why(store: Store) -> None:
    first = await asked(store, 1)
    await store.say(2, BOB)
    turn = await store.begin(first.conversation, lease=OVER)
    await store.execute("UPDATE turns SET input_tokens = 7 WHERE number = :n", n=turn.number)
    part = await erase(store, turn)

    assert part.open_turn is not None
    assert (part.open_turn.id, part.open_turn.lease_left) == (turn.id, 0)
    assert await store.column("SELECT tokens FROM usage WHERE tokens > 0") == [7, 7]
    assert await store.column("SELECT number FROM turns") == [first.number]
    with pytest.raises(Superseded) as lost:
        await store.renew(turn)
    assert lost.value.why == "withdrawn"
