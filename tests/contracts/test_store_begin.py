"""A turn begins once, with all that its asker said in a row."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from memory import begin
from memory.database import Transaction
from memory.errors import NothingWaitsError, Superseded
from memory.messages import assistant
from memory.turns import Turn
from tests.contracts.store import ANN, BOB, LEASE, PLACE, Meddled, Store, said


async def test_a_turn_knows_who_asked_what_and_where_its_answer_goes(store: Store) -> None:
    turn = await store.ask(1)

    assert (turn.asker, turn.place, turn.asked_at) == (str(ANN), str(PLACE), 1000)
    assert (turn.state, turn.fence, turn.attempts, turn.stop) == ("running", 1, 1, None)
    assert (turn.number, turn.address) == (1, '{"to": "1"}')
    assert await store.taken(turn) == ["1"]


async def test_the_first_part_of_the_answer_is_open_from_the_beginning(store: Store) -> None:
    await store.ask(1)

    [part] = await store.rows("SELECT * FROM deliveries")
    assert (part["part"], part["state"], part["remote_id"]) == (1, "open", None)


async def test_the_platforms_order_counts_and_not_that_of_arrival(store: Store) -> None:
    await store.say(2, BOB)
    accepted = await store.say(1)
    turn = await store.begin(accepted.conversation)

    assert (turn.asker, await store.taken(turn)) == (str(ANN), ["1"])


async def test_a_turn_takes_what_its_asker_said_in_a_row(store: Store) -> None:
    for number, author in enumerate([ANN, ANN, BOB, ANN, BOB], start=1):
        accepted = await store.say(number, author)
    turn = await store.begin(accepted.conversation)

    assert await store.taken(turn) == ["1", "2"]
    assert await store.waiting() == ["3", "4", "5"]


async def test_a_turn_takes_nothing_of_another_conversation_of_its_place(store: Store) -> None:
    await store.say(1)
    await store.start_new()
    new = await store.say(2)
    turn = await store.begin(new.conversation)

    assert turn.conversation != new.conversation
    assert await store.taken(turn) == ["1"]
    assert await store.waiting() == ["2"]


async def test_what_was_said_after_another_conversation_waits_its_turn(store: Store) -> None:
    """A late message of the old conversation does not jump the queue of the new one."""
    old = await store.say(1)
    new = await store.start_new()
    await store.say(2)
    await store.say(3)
    move = "UPDATE messages SET conversation = :old, position = 9 WHERE remote_id = '3'"
    await store.execute(move, old=old.conversation)

    assert await store.taken(await store.begin(new)) == ["1"]


async def test_the_questions_are_read_in_the_platforms_order(store: Store) -> None:
    await store.say(2)
    turn = await store.ask(1)

    assert [message.text for message in await store.messages(turn)] == ["message 1", "message 2"]


async def test_nothing_begins_where_nothing_waits(store: Store) -> None:
    turn = await store.answer(1)

    with pytest.raises(NothingWaitsError):
        await store.begin(turn.conversation)
    with pytest.raises(NothingWaitsError):
        await store.begin("unknown")


async def test_one_turn_is_open_in_a_place(store: Store) -> None:
    """R9"""
    turn = await store.ask(1)
    await store.start_new()
    new = await store.say(2)

    for conversation in (turn.conversation, new.conversation):
        with pytest.raises(NothingWaitsError):
            await store.begin(conversation)
    assert await store.waiting() == ["2"]


async def test_five_workers_begin_one_turn(store: Store) -> None:
    """R9: the unique index is the guard."""
    accepted = await store.say(1)
    begun = await asyncio.gather(
        *(store.begin(accepted.conversation) for _ in range(5)), return_exceptions=True
    )

    assert len([turn for turn in begun if isinstance(turn, Turn)]) == 1
    assert len([lost for lost in begun if isinstance(lost, NothingWaitsError)]) == 4


async def test_turns_are_numbered_in_their_conversation(store: Store) -> None:
    first, second = await store.answer(1), await store.answer(2)

    assert (first.number, second.number) == (1, 2)
    assert first.id != second.id


async def test_an_older_message_that_comes_between_look_and_lock_goes_first(store: Store) -> None:
    accepted = await store.say(2)

    async def change(tx: Transaction) -> None:
        sql = "UPDATE messages SET sent_order = '0', author = :bob, remote_id = '1'"
        await tx.execute(f"{sql} WHERE remote_id = '2'", bob=str(BOB))

    with pytest.raises(NothingWaitsError):
        await begin_meddled(store, accepted.conversation, "UPDATE conversations SET", change)
    assert await store.rows("SELECT * FROM turns") == []


async def test_a_conversation_that_is_gone_between_look_and_lock_has_no_turn(
    store: Store,
) -> None:
    accepted = await store.say(1)

    async def forget(tx: Transaction) -> None:
        await tx.execute("DELETE FROM conversations")

    with pytest.raises(NothingWaitsError):
        await begin_meddled(store, accepted.conversation, "UPDATE conversations SET", forget)


async def begin_meddled(
    store: Store, conversation: str, before: str, meddle: Callable[[Transaction], Awaitable[None]]
) -> None:
    async def work(tx: Transaction) -> None:
        meddled = Meddled(tx, before, meddle)
        await begin.begin(meddled, conversation, worker="run:1", lease=LEASE)

    await store.database.write(work)


# Anew


async def test_a_turn_begun_anew_takes_what_came_meanwhile(store: Store) -> None:
    """R8"""
    turn = await store.ask(1)
    await store.say(2)
    anew = await store.begin_anew(turn)

    assert (anew.id, anew.fence, anew.stop) == (turn.id, 2, None)
    assert await store.taken(anew) == ["1", "2"]


async def test_a_turn_begun_anew_has_no_steps(store: Store) -> None:
    turn = await store.ask(1)
    await store.call(turn)
    await store.result(turn)
    anew = await store.begin_anew(turn)

    assert [message.role for message in await store.messages(anew)] == ["user"]
    assert (await store.turn(anew))["steps"] == 0


async def test_a_turn_begun_anew_leaves_others_their_own(store: Store) -> None:
    turn = await store.ask(1)
    await store.say(2)
    await store.say(3, BOB)
    await store.say(4)

    assert await store.taken(await store.begin_anew(turn)) == ["1", "2"]
    assert await store.waiting() == ["3", "4"]


async def test_a_wish_to_stop_stays_when_a_turn_begins_anew(store: Store) -> None:
    turn = await store.ask(1)
    await store.stop()

    assert (await store.begin_anew(turn)).stop == "stopped"


async def test_the_late_writer_is_refused_after_the_turn_began_anew(store: Store) -> None:
    """R9: a fence on every write."""
    turn = await store.ask(1)
    await store.begin_anew(turn)

    with pytest.raises(Superseded) as lost:
        await store.record(turn, assistant("Late."))
    with pytest.raises(Superseded):
        await store.begin_anew(turn)
    assert lost.value.why == "taken"


async def test_a_forgotten_turn_does_not_begin_anew(store: Store) -> None:
    turn = await store.ask(1)
    await store.forget(turn.conversation)

    with pytest.raises(Superseded) as lost:
        await store.begin_anew(turn)
    assert lost.value.why == "erased"


async def test_a_turn_that_is_being_sent_does_not_begin_anew(store: Store) -> None:
    turn = await store.ask(1)
    await store.finish(turn)

    with pytest.raises(Superseded):
        await store.begin_anew(turn)


async def test_another_persons_name_for_the_same_account_changes_nothing(store: Store) -> None:
    await store.accept(said(1, name="Ann"))
    accepted = await store.accept(said(2, name="Ann Lee"))

    assert accepted is not None
    assert await store.taken(await store.begin(accepted.conversation)) == ["1", "2"]
