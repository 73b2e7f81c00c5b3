"""A message is written down once, and never when it was forgotten."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from memory import conversations, inbox
from memory.database import Transaction
from memory.engines import open_database
from memory.errors import SaidBeforeForgetError
from memory.inbox import Accepted
from memory.keys import PlaceKey
from memory.workspaces import DAY, Windows
from tests.contracts.store import ANN, BOB, DIGESTS, PLACE, Meddled, Store, said

SAME_CHANNEL = PlaceKey("played", "W", "C", "2")
OTHER_CHANNEL = PlaceKey("played", "W", "D", "1")
KEYS = {
    "place": lambda: DIGESTS.place(PLACE),
    "person": lambda: DIGESTS.person(ANN),
    "person in place": lambda: DIGESTS.person_in_place(ANN, PLACE),
}


async def test_a_message_waits_in_a_conversation_of_its_author(store: Store) -> None:
    accepted = await store.say(1)

    [conversation] = await store.rows("SELECT * FROM conversations")
    [message] = await store.rows("SELECT * FROM messages")
    assert (conversation["id"], accepted.changed) == (accepted.conversation, False)
    assert (conversation["owner"], conversation["place"]) == (str(ANN), str(PLACE))
    assert (message["state"], message["turn"], message["remote_id"]) == ("waiting", None, "1")
    assert (message["author"], message["address"]) == (str(ANN), '{"to": "1"}')


async def test_a_second_message_joins_the_conversation(store: Store) -> None:
    first, second = await store.say(1), await store.say(2, BOB)

    assert first.conversation == second.conversation
    assert await store.column("SELECT position FROM messages ORDER BY sent_order") == [1, 2]


async def test_a_repeated_message_is_stored_once(store: Store) -> None:
    """R16: catch-up and redelivery bring the same message."""
    await store.accept(said(1))

    assert await store.accept(said(1)) is None
    assert await store.waiting() == ["1"]


async def test_a_twin_in_another_thread_of_the_channel_is_the_same_message(store: Store) -> None:
    await store.accept(said(1))

    assert await store.accept(said(1, place=SAME_CHANNEL)) is None
    assert await store.waiting() == ["1"]


async def test_the_same_number_in_another_channel_is_another_message(store: Store) -> None:
    await store.accept(said(1))
    await store.accept(said(1, place=OTHER_CHANNEL))

    assert await store.waiting() == ["1", "1"]


@pytest.mark.parametrize("kind", KEYS)
async def test_what_was_said_before_a_forget_is_never_taken(store: Store, kind: str) -> None:
    """R1: of a place, a person, a person in a place; and nothing of it is left behind."""
    await store.watermark(KEYS[kind](), said_before=5000)

    with pytest.raises(SaidBeforeForgetError):
        await store.accept(said(1, at=4999))
    for table in ("conversations", "messages", "participants", "seen"):
        assert await store.rows(f"SELECT * FROM {table}") == []  # noqa: S608 - a name of ours


@pytest.mark.parametrize("kind", KEYS)
async def test_what_was_said_exactly_at_the_watermark_is_taken(store: Store, kind: str) -> None:
    await store.watermark(KEYS[kind](), said_before=5000)

    assert await store.accept(said(1, at=5000)) is not None


@pytest.mark.parametrize(
    "key",
    [
        DIGESTS.place(SAME_CHANNEL),
        DIGESTS.person(BOB),
        DIGESTS.person_in_place(BOB, PLACE),
        DIGESTS.person_in_place(ANN, SAME_CHANNEL),
    ],
)
async def test_somebody_elses_watermark_does_not_matter(store: Store, key: str) -> None:
    await store.watermark(key, said_before=5000)

    assert await store.accept(said(1, at=1)) is not None


async def test_what_is_too_old_to_be_known_is_not_taken(store: Store) -> None:
    now = await store.database.read(lambda tx: tx.now())

    with pytest.raises(SaidBeforeForgetError):
        await store.database.write(
            lambda tx: inbox.accept(tx, said(1, at=now - DAY - 1), DIGESTS, windows=Windows(1))
        )
    assert await store.rows("SELECT * FROM seen") == []
    later = said(1, at=now)
    assert await store.database.write(
        lambda tx: inbox.accept(tx, later, DIGESTS, windows=Windows(1))
    )


async def test_a_redelivery_after_the_conversation_is_gone_is_a_repeat(store: Store) -> None:
    """R1: `seen` outlives the conversation, also one that retention took."""
    accepted = await store.say(1)
    await store.forget(accepted.conversation)

    assert await store.accept(said(1)) is None
    assert await store.rows("SELECT * FROM conversations") == []


async def test_a_message_whose_digest_was_cleaned_away_is_not_doubled(store: Store) -> None:
    await store.say(1)
    await store.execute("DELETE FROM seen")
    await store.say(1)

    assert await store.waiting() == ["1"]


async def test_a_participant_has_the_newest_name(store: Store) -> None:
    await store.accept(said(1, name="Ann"))
    await store.accept(said(2, name="Ann Lee"))
    await store.accept(said(3, BOB))

    names = await store.column("SELECT name FROM participants ORDER BY person")
    assert names == ["Ann Lee", "bob"]


async def test_accepting_keeps_retention_away(store: Store) -> None:
    """R5: `active_at` is set under the row lock."""
    await store.say(1)
    await store.execute("UPDATE conversations SET active_at = 1")
    await store.say(2)

    assert await store.column("SELECT active_at FROM conversations") != [1]


async def test_one_message_that_comes_ten_times_at_once_is_accepted_once(store: Store) -> None:
    accepted = await asyncio.gather(*(store.accept(said(1)) for _ in range(10)))

    assert len([one for one in accepted if one]) == 1
    assert await store.waiting() == ["1"]


async def test_ten_first_messages_at_once_share_a_conversation(store: Store) -> None:
    accepted = await asyncio.gather(*(store.say(number) for number in range(1, 11)))

    assert len({one.conversation for one in accepted}) == 1
    positions = await store.column("SELECT position FROM messages ORDER BY position")
    assert positions == list(range(1, 11))


async def test_a_conversation_forgotten_between_look_up_and_lock_is_looked_for_again(
    store: Store,
) -> None:
    """R2: the row lock finds no row, and the message gets a fresh conversation."""
    gone = await store.say(1)
    accepted = await accept_meddled(store, 1, "UPDATE conversations SET", forget_all)

    assert accepted.conversation != gone.conversation
    assert await store.waiting() == ["2"]


async def test_a_message_that_meets_a_new_waits_in_the_new_conversation(store: Store) -> None:
    old = await store.say(1)

    async def start_new(tx: Transaction) -> None:
        await conversations.start_new(tx, PLACE, surface="public", owner=BOB)

    accepted = await accept_meddled(store, 1, "UPDATE conversations SET", start_new)

    assert accepted.conversation != old.conversation
    assert await store.column("SELECT count(*) FROM conversations") == [2]


async def test_two_find_no_conversation_and_one_makes_it(store: Store) -> None:
    async def make(tx: Transaction) -> None:
        await conversations.insert_current(tx, PLACE, surface="public", owner=BOB, now=1)

    accepted = await accept_meddled(store, 1, "INSERT INTO conversations", make)

    [conversation] = await store.rows("SELECT * FROM conversations")
    assert (conversation["id"], conversation["owner"]) == (accepted.conversation, str(BOB))


async def test_a_place_that_loses_every_conversation_is_a_defect_and_no_endless_loop(
    store: Store,
) -> None:
    with pytest.raises(RuntimeError):
        await accept_meddled(store, 99, "UPDATE conversations SET", forget_all)
    assert await store.rows("SELECT * FROM seen") == []


async def test_whether_a_place_was_forgotten(store: Store) -> None:
    key = DIGESTS.place(PLACE)
    before = await store.database.read(lambda tx: inbox.was_forgotten(tx, key))
    await store.watermark(key, said_before=1)
    after = await store.database.read(lambda tx: inbox.was_forgotten(tx, key))

    assert (before, after) == (False, True)


async def test_a_forget_that_commits_while_accept_waits_for_the_lock_is_seen(
    postgres_url: str,
) -> None:
    """R2: the watermark is looked for after the lock; with one writer there is nothing to wait
    for, so this is about PostgreSQL alone."""
    store = Store(await open_database(postgres_url))
    gone = await store.say(1)
    is_locked, looks = asyncio.Event(), asyncio.Event()

    async def forget(tx: Transaction) -> None:
        await conversations.lock(tx, gone.conversation)
        is_locked.set()
        await looks.wait()
        await tx.execute("DELETE FROM conversations WHERE id = :id", id=gone.conversation)
        sql = "INSERT INTO forgotten (key, said_before, expires_at) VALUES (:key, 9000, 0)"
        await tx.execute(sql, key=DIGESTS.place(PLACE))

    async def look(_tx: Transaction) -> None:
        looks.set()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(store.database.write(forget))
        await is_locked.wait()
        with pytest.raises(SaidBeforeForgetError):
            await accept_meddled(store, 1, "UPDATE conversations SET", look)

    assert await store.rows("SELECT * FROM conversations") == []
    await store.database.close()


async def forget_all(tx: Transaction) -> None:
    await tx.execute("DELETE FROM conversations")


async def accept_meddled(
    store: Store, times: int, before: str, meddle: Callable[[Transaction], Awaitable[object]]
) -> Accepted:
    async def work(tx: Transaction) -> Accepted | None:
        arrival = replace(said(2), author_name="Ann")
        return await inbox.accept(Meddled(tx, before, meddle, times), arrival, DIGESTS)

    accepted = await store.database.write(work)
    assert accepted is not None
    return accepted
