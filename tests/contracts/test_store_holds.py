"""Who holds a turn: the lease by the database's clock, the take-over, the end of dead workers."""

import asyncio
from dataclasses import replace

import pytest

from memory import holds
from memory.errors import Superseded
from memory.keys import PlaceKey
from tests.contracts.store import LEASE, OVER, PLACE, Store

ELSEWHERE = PlaceKey("played", "W", "C", "2")


async def test_a_lease_is_renewed_by_the_databases_clock(store: Store) -> None:
    """R12"""
    turn = await store.ask(1, lease=OVER)
    before = await store.database.read(lambda tx: tx.now())

    assert await store.renew(turn) is None
    assert (await store.turn(turn))["lease_until"] >= before + LEASE


async def test_a_renewal_hears_the_wish(store: Store) -> None:
    turn = await store.ask(1)
    await store.stop()

    assert await store.renew(turn) == "stopped"


async def test_a_turn_that_is_being_sent_is_renewed_too(store: Store) -> None:
    """R14: the place waits while the platform is down."""
    turn = await store.ask(1)
    await store.finish(turn)

    assert await store.renew(turn) is None


async def test_a_lease_that_is_over_is_renewed_while_nobody_took_the_turn(store: Store) -> None:
    turn = await store.ask(1, lease=OVER)
    await store.renew(turn)

    assert await store.take_over(turn.conversation) is None


async def test_a_renewal_says_that_the_turn_was_taken(store: Store) -> None:
    """R11"""
    turn = await store.ask(1, lease=OVER)
    await store.take_over(turn.conversation)

    with pytest.raises(Superseded) as lost:
        await store.renew(turn)
    assert lost.value.why == "taken"


async def test_a_renewal_says_that_the_turn_is_gone(store: Store) -> None:
    turn = await store.ask(1)
    await store.forget(turn.conversation)

    with pytest.raises(Superseded) as lost:
        await store.renew(turn)
    assert lost.value.why == "erased"


async def test_a_turn_is_taken_over_when_its_lease_is_over(store: Store) -> None:
    turn = await store.ask(1, lease=OVER)
    taken = await store.take_over(turn.conversation)

    assert taken == replace(turn, fence=2, attempts=2)
    assert (await store.turn(turn))["worker"] == "run:2"


async def test_a_turn_is_not_taken_from_a_worker_that_lives(store: Store) -> None:
    turn = await store.ask(1)

    assert await store.take_over(turn.conversation) is None


async def test_a_turn_that_is_being_sent_is_taken_over_with_its_outcome(store: Store) -> None:
    turn = await store.ask(1, lease=OVER)
    await store.finish(turn)
    taken = await store.take_over(turn.conversation)

    assert taken is not None
    assert (taken.state, taken.outcome) == ("sending", "answered")


async def test_a_turn_is_found_by_any_conversation_of_its_place(store: Store) -> None:
    turn = await store.ask(1, lease=OVER)
    taken = await store.take_over(await store.start_new())

    assert taken is not None
    assert taken.id == turn.id


async def test_nothing_is_taken_over_where_nothing_is_open(store: Store) -> None:
    turn = await store.answer(1)

    assert await store.take_over(turn.conversation) is None
    assert await store.take_over("unknown") is None


async def test_five_workers_take_a_turn_over_once(store: Store) -> None:
    """R9"""
    turn = await store.ask(1, lease=OVER)
    taken = await asyncio.gather(*(store.take_over(turn.conversation) for _ in range(5)))

    assert len([one for one in taken if one]) == 1
    assert (await store.turn(turn))["fence"] == 2


async def test_the_leases_of_dead_workers_end(store: Store) -> None:
    turn = await store.ask(1)
    ended = await store.database.write(lambda tx: holds.end_leases(tx, workers="run:"))

    assert ended == 1
    assert await store.take_over(turn.conversation) is not None


async def test_the_leases_of_others_do_not_end(store: Store) -> None:
    turn = await store.ask(1)
    ended = await store.database.write(lambda tx: holds.end_leases(tx, workers="cli:"))

    assert ended == 0
    assert await store.take_over(turn.conversation) is None


async def test_how_long_somebody_may_still_work_in_a_place(store: Store) -> None:
    await store.ask(1)

    assert 0 < await lease_left(store, PLACE) <= LEASE
    assert await lease_left(store, ELSEWHERE) == 0


async def test_nobody_works_where_the_lease_is_over(store: Store) -> None:
    turn = await store.ask(1, lease=-60_000)

    assert await lease_left(store, PLACE) == 0
    await store.renew(turn)
    await store.finish(turn)
    await store.deliver(turn)
    assert await lease_left(store, PLACE) == 0


async def test_clearing_a_wish_leaves_the_lease(store: Store) -> None:
    turn = await store.ask(1)
    await store.say(2)
    before = await store.turn(turn)
    await store.clear_changed(turn)

    assert (await store.turn(turn))["lease_until"] == before["lease_until"]


async def test_stop_and_forget_at_once_never_stop_what_is_gone(store: Store) -> None:
    turn = await store.ask(1)
    stopped, _ = await asyncio.gather(store.stop(), store.forget(turn.conversation))

    assert stopped in {turn.conversation, None}
    assert await store.rows("SELECT * FROM turns") == []


async def test_a_turn_begun_by_another_is_not_renewed_with_an_old_fence(store: Store) -> None:
    turn = await store.ask(1)
    anew = await store.begin_anew(turn)

    assert await store.renew(anew) is None
    with pytest.raises(Superseded):
        await store.renew(turn)


async def lease_left(store: Store, place: PlaceKey) -> int:
    return await store.database.read(lambda tx: holds.lease_left(tx, place))
