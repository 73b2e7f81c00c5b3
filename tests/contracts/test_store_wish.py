"""Wishes of others for a running turn: that it begins anew, that it stops."""

import pytest

from memory.errors import Superseded
from memory.keys import PlaceKey
from tests.contracts.store import BOB, PLACE, Store

ELSEWHERE = PlaceKey("played", "W", "C", "2")


async def test_a_second_message_of_the_asker_wishes_that_the_turn_begins_anew(
    store: Store,
) -> None:
    """R8: "hi", then the question."""
    turn = await store.ask(1)
    accepted = await store.say(2)

    assert accepted.changed
    assert (await store.turn(turn))["stop"] == "changed"


async def test_a_third_message_finds_the_wish_there(store: Store) -> None:
    turn = await store.ask(1)
    await store.say(2)

    assert not (await store.say(3)).changed
    assert (await store.turn(turn))["stop"] == "changed"


async def test_somebody_elses_message_wishes_nothing(store: Store) -> None:
    turn = await store.ask(1)
    accepted = await store.say(2, BOB)

    assert not accepted.changed
    assert (await store.turn(turn))["stop"] is None


async def test_a_wish_to_stop_is_never_overwritten(store: Store) -> None:
    turn = await store.ask(1)
    await store.stop()
    accepted = await store.say(2)

    assert not accepted.changed
    assert (await store.turn(turn))["stop"] == "stopped"


async def test_nobody_who_wrote_in_between_is_passed_over(store: Store) -> None:
    turn = await store.ask(1)
    await store.say(2, BOB)
    accepted = await store.say(3)

    assert not accepted.changed
    assert (await store.turn(turn))["stop"] is None


async def test_somebody_who_wrote_later_is_not_passed_over(store: Store) -> None:
    """Bob's message arrived first, and was said last."""
    await store.ask(1)
    await store.say(3, BOB)

    assert (await store.say(2)).changed


async def test_a_message_in_a_new_conversation_does_not_change_the_old_ones_turn(
    store: Store,
) -> None:
    turn = await store.ask(1)
    await store.start_new()
    accepted = await store.say(2)

    assert not accepted.changed
    assert (await store.turn(turn))["stop"] is None


async def test_a_turn_that_is_being_sent_is_not_begun_anew(store: Store) -> None:
    turn = await store.ask(1)
    await store.finish(turn)

    assert not (await store.say(2)).changed


async def test_a_stop_names_the_conversation_and_wins(store: Store) -> None:
    turn = await store.ask(1)
    await store.say(2)

    assert await store.stop() == turn.conversation
    assert (await store.turn(turn))["stop"] == "stopped"


async def test_there_is_nothing_to_stop_where_nothing_runs(store: Store) -> None:
    turn = await store.ask(1)

    assert await store.stop(ELSEWHERE) is None
    await store.finish(turn)
    assert await store.stop(PLACE) is None


async def test_a_turn_of_the_old_conversation_is_stopped_in_its_place(store: Store) -> None:
    turn = await store.ask(1)
    await store.start_new()

    assert await store.stop() == turn.conversation


async def test_a_wish_that_comes_too_late_is_cleared_and_its_message_waits(store: Store) -> None:
    turn = await store.ask(1)
    await store.say(2)
    await store.clear_changed(turn)

    assert (await store.turn(turn))["stop"] is None
    assert await store.waiting() == ["2"]


async def test_clearing_leaves_a_wish_to_stop(store: Store) -> None:
    turn = await store.ask(1)
    await store.stop()
    await store.clear_changed(turn)

    assert (await store.turn(turn))["stop"] == "stopped"


async def test_only_the_owner_of_the_turn_clears_a_wish(store: Store) -> None:
    late = await store.ask(1, lease=-1)
    await store.say(2)
    await store.take_over(late.conversation)
    await store.clear_changed(late)

    assert (await store.turn(late))["stop"] == "changed"


async def test_clearing_in_a_forgotten_conversation_says_so(store: Store) -> None:
    turn = await store.ask(1)
    await store.forget(turn.conversation)

    with pytest.raises(Superseded) as lost:
        await store.clear_changed(turn)
    assert lost.value.why == "erased"
