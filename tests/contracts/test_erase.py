"""What goes when a conversation goes; every table and every TEXT column has its rule."""

from __future__ import annotations

import pytest

from memory import changes, gaps, inbox
from memory.erase import (
    FORGOTTEN_KEPT,
    begin_forgetting,
    forget_conversation,
)
from memory.erase_rules import RULES
from memory.errors import SaidBeforeForgetError, UnknownConversationError
from memory.expired import find_expired, sweep_digests
from memory.keys import SEEN_KEPT
from memory.workspaces import DAY
from tests.contracts.store import ANN, BOB, CALL, DIGESTS, PLACE, RESULT, Store, said
from tests.fakes import FakeClock

NOW = 1_000_000_000_000
SQLITE_COLUMNS = """
    SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t
    JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND c.type = 'TEXT'
    """
POSTGRES_COLUMNS = """
    SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type = 'text'
    """


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOW)


async def test_every_table_and_text_column_has_its_rule(store: Store, database_url: str) -> None:
    rows = await store.rows(
        SQLITE_COLUMNS if database_url.startswith("sqlite") else POSTGRES_COLUMNS
    )

    ruled = {
        (table, column)
        for table, rule in RULES.items()
        for column in (*rule.words, *rule.keys, *rule.plain)
    }
    assert {(row["table"], row["column"]) for row in rows} == ruled


def test_what_outlives_a_conversation_holds_no_words() -> None:
    assert not any(rule.words for rule in RULES.values() if rule.goes != "with its conversation")


async def test_all_that_goes_with_a_conversation_goes(store: Store) -> None:
    turn = await store.answer(1)
    await store.forget(turn.conversation)

    for table, rule in RULES.items():
        left = await store.rows(f"SELECT * FROM {table}")  # noqa: S608 - our own names
        assert not (rule.goes == "with its conversation" and left), table


async def test_forgetting_counts_what_went(store: Store) -> None:
    turn = await store.ask(1)
    await store.call(turn, CALL)
    await store.result(turn, RESULT)
    await store.finish(turn)
    await store.deliver(turn)
    await store.say(2)

    forgotten = await store.database.write(
        lambda tx: forget_conversation(
            tx, turn.conversation, digests=DIGESTS, said_before=9_000, kept=5
        )
    )

    assert (forgotten.place, forgotten.turns, forgotten.messages) == (PLACE, 1, 5)
    assert forgotten.moved_to is None
    [mark] = await store.rows("SELECT * FROM forgotten")
    assert mark == {"key": DIGESTS.place(PLACE), "said_before": 9_000, "expires_at": NOW + 5}


async def test_what_was_said_after_the_command_waits_in_a_fresh_conversation(store: Store) -> None:
    turn = await store.answer(1)
    await store.say(2)
    await store.say(3, BOB)

    forgotten = await store.database.write(
        lambda tx: forget_conversation(
            tx, turn.conversation, digests=DIGESTS, said_before=3000, kept=5
        )
    )

    assert forgotten.messages == 3
    assert await store.waiting() == ["3"]
    assert forgotten.moved_to != turn.conversation
    assert await store.column("SELECT id FROM conversations") == [forgotten.moved_to]
    assert await store.column("SELECT person FROM participants") == [str(BOB)]


async def test_a_second_forget_that_comes_meanwhile_goes_for_what_is_moved(store: Store) -> None:
    turn = await store.answer(1)
    await store.say(2)
    await store.say(3)
    await _said_before(store, 3000)  # the second one has begun, and waits for the row

    await store.database.write(
        lambda tx: forget_conversation(
            tx, turn.conversation, digests=DIGESTS, said_before=2000, kept=5
        )
    )

    assert await store.waiting() == ["3"]


async def test_a_question_in_work_without_a_step_is_moved_too(store: Store) -> None:
    turn = await store.ask(3)

    forgotten = await store.database.write(
        lambda tx: forget_conversation(
            tx, turn.conversation, digests=DIGESTS, said_before=3000, kept=5
        )
    )

    assert forgotten.open_turn is not None
    assert forgotten.open_turn.id == turn.id
    assert await store.waiting() == ["3"]


async def test_a_turn_whose_question_was_deleted_is_forgotten_with_its_place(store: Store) -> None:
    turn = await store.ask(1)
    await store.call(turn, CALL)
    await store.database.write(lambda tx: changes.delete(tx, PLACE, "1", DIGESTS))

    assert await _said_before(store, 3000) == [turn.conversation]


async def test_what_was_overheard_after_the_command_is_moved_as_such(store: Store) -> None:
    """What was called in has no address, so that nobody could be answered there."""
    turn = await store.ask(5)
    await store.database.write(lambda tx: gaps.call_in(tx, turn, [said(4, BOB)], DIGESTS))

    await _forget(store, turn.conversation, said_before=3000)

    assert await store.waiting() == ["5"]
    assert await store.column("SELECT remote_id FROM messages WHERE state = 'observed'") == ["4"]


async def test_what_was_only_overheard_begins_no_conversation(store: Store) -> None:
    turn = await store.answer(1)
    await store.database.write(
        lambda tx: inbox.accept(tx, said(4, BOB), DIGESTS, lambda _standing: "observed")
    )

    await _forget(store, turn.conversation, said_before=3000)

    assert await store.rows("SELECT * FROM conversations") == []


async def test_an_earlier_forget_does_not_shorten_a_later_one(store: Store) -> None:
    for said_before, kept in ((5000, 9), (4000, 7)):
        accepted = await store.accept(said(said_before, ANN, at=NOW))
        assert accepted is not None
        conversation = accepted.conversation
        await store.database.write(
            lambda tx, c=conversation, s=said_before, k=kept: forget_conversation(  # type: ignore[misc]
                tx, c, digests=DIGESTS, said_before=s, kept=k
            )
        )
        await store.execute("DELETE FROM conversations")

    [mark] = await store.rows("SELECT said_before, expires_at FROM forgotten")
    assert mark == {"said_before": 5000, "expires_at": NOW + 9}


async def test_forgetting_what_is_not_there_is_told(store: Store) -> None:
    with pytest.raises(UnknownConversationError):
        await store.database.write(
            lambda tx: forget_conversation(tx, "0" * 32, digests=DIGESTS, said_before=0, kept=0)
        )

    assert await store.rows("SELECT * FROM forgotten") == []


async def test_a_forget_means_what_was_said_before_it(store: Store) -> None:
    turn = await store.answer(2)
    new = await store.start_new()
    await store.say(4)

    assert await _said_before(store, 5000) == [new, turn.conversation]
    assert await _said_before(store, 4000) == [turn.conversation]
    assert await _said_before(store, 2000) == []


async def test_a_conversation_in_which_nothing_was_said_is_forgotten_too(store: Store) -> None:
    new = await store.start_new()

    assert await _said_before(store, 0) == [new]


async def _said_before(store: Store, said_before: int) -> list[str]:
    return await store.database.write(
        lambda tx: begin_forgetting(tx, PLACE, digests=DIGESTS, said_before=said_before, kept=9)
    )


async def test_what_is_on_its_way_to_an_empty_place_is_not_taken(store: Store) -> None:
    await _said_before(store, 1001)

    with pytest.raises(SaidBeforeForgetError):
        await store.say(1)
    await store.say(2)
    assert await store.waiting() == ["2"]


async def test_the_oldest_are_found_first(store: Store, clock: FakeClock) -> None:
    old = await store.answer(1)
    clock.advance(10)
    await store.start_new()

    [found] = await store.database.read(
        lambda tx: find_expired(tx, now=NOW + DAY + 10, days=1, limit=1)
    )
    assert (found.id, found.workspace) == (old.conversation, "played:W")
    assert not await store.database.read(
        lambda tx: find_expired(tx, now=NOW + DAY, days=1, limit=9)
    )


async def test_digests_and_watermarks_go_after_their_time(store: Store, clock: FakeClock) -> None:
    await store.say(1)
    await store.watermark("stays", said_before=1)
    await store.execute("UPDATE forgotten SET expires_at = :at", at=NOW + FORGOTTEN_KEPT)

    clock.advance(SEEN_KEPT)
    await store.database.write(sweep_digests)
    assert len(await store.rows("SELECT * FROM seen")) == 1
    clock.advance(1)
    await store.database.write(sweep_digests)

    assert await store.rows("SELECT * FROM seen") == []
    assert await store.column("SELECT key FROM forgotten") == ["stays"]
    clock.advance(FORGOTTEN_KEPT)
    await store.database.write(sweep_digests)
    assert await store.rows("SELECT * FROM forgotten") == []


async def _forget(store: Store, conversation: str, *, said_before: int) -> None:
    await store.database.write(
        lambda tx: forget_conversation(
            tx, conversation, digests=DIGESTS, said_before=said_before, kept=5
        )
    )
