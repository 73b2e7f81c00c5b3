"""Several at once on one conversation: nobody is a deadlock's victim, least of all a forget."""

import asyncio
from collections.abc import Awaitable

import pytest

from memory import erase, expired, turns
from memory.database import Transaction
from memory.erase import Forgotten
from memory.errors import NothingWaitsError, SaidBeforeForgetError, Superseded
from memory.inbox import Accepted
from memory.messages import assistant
from memory.turns import Turn
from memory.workspaces import DAY
from tests.contracts.store import CALL, DIGESTS, OVER, RESULT, Meddled, Store, said

ROUNDS = 5
EXPECTED = (Superseded, NothingWaitsError, SaidBeforeForgetError)


async def at_once(*work: Awaitable[object]) -> list[object]:
    """All of it; only what is expected in a turn's life may be raised."""
    results = await asyncio.gather(*work, return_exceptions=True)
    unexpected = [
        result
        for result in results
        if isinstance(result, BaseException) and not isinstance(result, EXPECTED)
    ]
    assert unexpected == []
    return list(results)


async def test_forget_meets_a_step_and_a_renewal(store: Store) -> None:
    """Lock order: conversation, then turn; the renewal is one statement on turns."""
    for number in range(1, ROUNDS):
        turn = await store.ask(number)
        await at_once(
            store.record(turn, assistant("", CALL)),
            store.renew(turn),
            forget(store, turn),
            store.renew(turn),
        )

        assert await store.rows("SELECT * FROM turns") == []
        assert await store.rows("SELECT * FROM messages") == []


async def test_forget_meets_an_ending_and_a_take_over(store: Store) -> None:
    for number in range(1, ROUNDS):
        turn = await store.ask(number, lease=OVER)
        await at_once(store.finish(turn), store.take_over(turn.conversation), forget(store, turn))

        assert await store.rows("SELECT * FROM turns") == []
        assert await store.rows("SELECT * FROM deliveries") == []


async def test_a_take_over_and_the_late_writer_never_both_store(store: Store) -> None:
    """R9: whoever comes first, the fence decides."""
    for number in range(1, ROUNDS):
        turn = await store.ask(number, lease=OVER)
        _, taken = await at_once(
            store.record(turn, assistant("Late.")), store.take_over(turn.conversation)
        )

        assert isinstance(taken, Turn)
        steps = len(await store.messages(turn)) - 1
        assert (await store.turn(turn))["steps"] == steps
        with pytest.raises(Superseded):
            await store.result(turn)
        await store.finish(taken)
        await store.deliver(taken)


async def test_a_burst_and_an_ending_at_once_lose_no_message(store: Store) -> None:
    """R8: either the wish came first and nothing was stored, or the message waits."""
    for number in range(1, 2 * ROUNDS, 2):
        turn = await store.ask(number)
        stop, accepted = await at_once(store.finish(turn), store.say(number + 1))

        assert isinstance(accepted, Accepted)
        assert accepted.changed == (stop == "changed")
        assert str(number + 1) in await store.waiting()
        await close_all(store, turn)


async def close_all(store: Store, turn: Turn) -> None:
    await store.execute("DELETE FROM messages WHERE state = 'waiting'")
    await store.execute("UPDATE turns SET state = 'done', outcome = 'answered'")
    assert await store.turn(turn)


async def test_anew_and_another_message_at_once_lose_no_message(store: Store) -> None:
    for number in range(1, 3 * ROUNDS, 3):
        turn = await store.ask(number)
        await store.say(number + 1)
        await at_once(store.begin_anew(turn), store.say(number + 2))

        taken, waiting = await store.taken(turn), await store.waiting()
        wish = (await store.turn(turn))["stop"]
        assert sorted([*taken, *waiting], key=str) == sorted(
            [str(number), str(number + 1), str(number + 2)]
        )
        assert (wish == "changed") == bool(waiting)
        await close_all(store, turn)


async def test_new_and_begin_at_once_open_one_turn(store: Store) -> None:
    for number in range(1, ROUNDS):
        accepted = await store.say(number)
        await at_once(
            store.begin(accepted.conversation), store.start_new(), store.accept(said(90 + number))
        )

        open_turns = await store.rows("SELECT id FROM turns WHERE state = 'running'")
        assert len(open_turns) == 1
        await store.execute("UPDATE turns SET state = 'done', outcome = 'answered'")
        await store.execute("DELETE FROM messages WHERE state = 'waiting'")


async def test_two_forgets_at_once_are_as_one(store: Store) -> None:
    """R13"""
    turn = await store.answer(1)
    await asyncio.gather(forget(store, turn), forget(store, turn), return_exceptions=True)

    assert await store.rows("SELECT * FROM conversations") == []
    assert len(await store.rows("SELECT * FROM forgotten")) == 1


async def test_retention_leaves_what_waits_and_what_is_answered(store: Store) -> None:
    """R5"""
    turn = await store.ask(1)
    await store.execute("UPDATE conversations SET active_at = 1")
    running = await purge(store, turn.conversation)
    await store.finish(turn)
    await store.deliver(turn)
    await store.say(2)
    await store.execute("UPDATE conversations SET active_at = 1")
    waits = await purge(store, turn.conversation)
    await store.execute("DELETE FROM messages WHERE state = 'waiting'")

    assert (running, waits, await purge(store, turn.conversation)) == (False, False, True)


async def test_retention_and_a_message_at_once(store: Store) -> None:
    """R5: the message waits in the old conversation or in a fresh one, and is not lost."""
    for number in range(1, ROUNDS):
        turn = await store.answer(number)
        await store.execute("UPDATE conversations SET active_at = 1")
        await at_once(purge(store, turn.conversation), store.say(90 + number))

        assert await store.waiting() == [str(90 + number)]
        await store.execute("DELETE FROM conversations")


async def test_a_stop_that_comes_while_the_ending_is_written_is_not_lost(store: Store) -> None:
    """The conversation's lock is held from the first statement on."""
    turn = await store.ask(1)
    stops: list[asyncio.Task[str | None]] = []

    async def stop(_tx: Transaction) -> None:
        stops.append(asyncio.create_task(store.stop()))
        await asyncio.sleep(0)

    async def work(tx: Transaction) -> object:
        meddled = Meddled(tx, "SELECT m.role, m.state", stop)
        return await turns.finish(
            meddled, turn, outcome="answered", message=assistant("No."), spent=turns.Spent()
        )

    assert isinstance(await store.database.write(work), Turn)
    assert await stops[0] is None


async def test_two_results_at_once_are_both_stored(store: Store) -> None:
    turn = await store.ask(1)
    await store.call(turn)
    await at_once(store.result(turn), store.result(turn, RESULT), store.say(2))

    assert [message.role for message in await store.messages(turn)][1:] == [
        "assistant",
        "tool",
        "tool",
    ]


async def forget(store: Store, turn: Turn) -> Forgotten:
    """Forget all that was said so far in the conversation."""
    return await store.database.write(
        lambda tx: erase.forget_conversation(
            tx, turn.conversation, digests=DIGESTS, said_before=turn.asked_at + 1, kept=0
        )
    )


async def purge(store: Store, conversation: str) -> bool:
    return await store.database.write(
        lambda tx: expired.purge(tx, conversation, now=1000 + DAY, days=1)
    )
