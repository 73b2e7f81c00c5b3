"""One person is erased while others write: nobody is a deadlock's victim, nothing comes back."""

import pytest

from memory import gaps, history
from memory.errors import Superseded
from memory.inbox import Accepted
from memory.messages import assistant
from memory.turns import Turn
from tests.contracts.parts import WORDS, asked, begun, erase
from tests.contracts.store import ANN, BOB, CALL, DIGESTS, Store, said
from tests.contracts.test_store_races import at_once

ROUNDS = 4

pytestmark = pytest.mark.slow


async def test_it_meets_a_step_and_a_renewal(store: Store) -> None:
    """R4: a step is stored before and cleaned, or is not stored."""
    for number in range(1, 2 * ROUNDS, 2):
        await asked(store, number, BOB, WORDS)
        turn = await begun(store, number + 1)
        await at_once(
            store.record(turn, assistant(WORDS, CALL)),
            store.renew(turn),
            erase(store, turn, before=said(number + 2).said_at),
            store.renew(turn),
        )

        assert await store.renew(turn) == "erased"
        assert await store.rows("SELECT 1 FROM messages WHERE content LIKE '%blue door%'") == []
        await _end(store, await store.begin_anew(turn))


async def test_it_meets_an_ending(store: Store) -> None:
    for number in range(1, 2 * ROUNDS, 2):
        await asked(store, number, BOB, WORDS)
        turn = await begun(store, number + 1)
        stop, _ = await at_once(
            store.finish(turn, assistant(WORDS)),
            erase(store, turn, before=said(number + 2).said_at),
        )

        assert stop in {None, "erased"}
        assert await store.rows("SELECT 1 FROM messages WHERE content LIKE '%blue door%'") == []
        await store.execute("UPDATE turns SET state = 'done', outcome = 'answered', erased = 0")


async def test_it_meets_a_message_of_theirs(store: Store) -> None:
    """R2: what was said before the command is taken before and goes, or is not taken."""
    for number in range(1, 3 * ROUNDS, 3):
        turn = await asked(store, number)
        await store.say(number + 1, BOB)
        _, accepted, _ = await at_once(
            erase(store, turn, before=said(number + 3).said_at),
            store.accept(said(number + 2, BOB)),
            erase(store, turn, before=said(number + 3).said_at),
        )

        assert isinstance(accepted, Accepted | Exception)
        await erase(store, turn, before=said(number + 3).said_at)
        assert await store.rows("SELECT 1 FROM messages WHERE author LIKE '%bob'") == []


async def test_it_meets_itself_and_a_call_in(store: Store) -> None:
    """R1, R13"""
    turn = await begun(store, 9)
    await store.say(3, BOB)
    await store.execute("DELETE FROM seen")
    await at_once(
        erase(store, turn),
        store.database.write(lambda tx: gaps.call_in(tx, turn, [said(2, BOB)], DIGESTS)),
        erase(store, turn),
    )
    await erase(store, turn)

    assert await store.column("SELECT DISTINCT author FROM messages") == [str(ANN)]


async def test_after_work_that_read_before_writes_nothing(store: Store) -> None:
    """R3"""
    await asked(store, 1, BOB, WORDS)
    turn = await asked(store, 2)
    sizes = await store.database.read(lambda tx: history.read_sizes(tx, turn.conversation))
    await erase(store, turn)

    assert not await store.database.write(
        lambda tx: history.move_cut(tx, turn.conversation, to=2, revision=sizes.revision)
    )


async def test_it_meets_their_own_ending(store: Store) -> None:
    """The late writer is refused, or its whole turn goes."""
    for number in range(1, 2 * ROUNDS, 2):
        first = await asked(store, number)
        turn = await begun(store, number + 1, BOB, WORDS)
        ended, _ = await at_once(
            store.finish(turn, assistant(WORDS)),
            erase(store, first, before=said(number + 2).said_at),
        )

        assert ended is None or isinstance(ended, Superseded)
        assert await store.rows("SELECT 1 FROM turns WHERE asker LIKE '%bob'") == []


async def _end(store: Store, turn: Turn) -> None:
    await store.finish(turn)
    await store.deliver(turn)
