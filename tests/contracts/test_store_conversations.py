"""A place's conversations, and the window: nothing else of them is read."""

import asyncio

import pytest

from memory import conversations, history, people
from memory.conversations import Conversation
from memory.database import Row, Transaction, Value
from memory.errors import UnknownConversationError
from memory.history import Sizes, TurnSize
from memory.keys import PlaceKey
from memory.messages import assistant, tool
from memory.window import StoredTurn
from tests.contracts.store import ANN, BOB, CALL, PLACE, RESULT, Store

ELSEWHERE = PlaceKey("played", "W", "C", "2")


async def test_a_conversation_is_read_as_it_was_begun(store: Store) -> None:
    accepted = await store.say(1)
    found = await get(store, accepted.conversation)

    assert (found.place, found.owner, found.surface) == (PLACE, ANN, "direct")
    assert (found.is_current, found.window_from, found.revision) == (True, 1, 1)
    assert found.created_at == found.active_at


async def test_a_conversation_that_is_not_there_is_said_to_be_unknown(store: Store) -> None:
    with pytest.raises(UnknownConversationError):
        await get(store, "unknown")


async def test_new_makes_another_conversation_current_and_keeps_the_old(store: Store) -> None:
    old = await store.say(1)
    new = await store.start_new()

    assert not (await get(store, old.conversation)).is_current
    assert (await get(store, new)).is_current
    assert (await store.say(2)).conversation == new


async def test_a_new_conversation_does_not_call_in_what_was_said_before(store: Store) -> None:
    """R1"""
    await store.start_new()

    assert await store.column("SELECT called_in FROM conversations") == [1]


async def test_two_news_at_once_leave_one_current_conversation(store: Store) -> None:
    await store.say(1)
    await asyncio.gather(*(store.start_new() for _ in range(4)))

    assert len(await store.rows("SELECT * FROM conversations WHERE is_current = 1")) == 1


async def test_a_new_that_was_too_slow_takes_the_other_ones_conversation(store: Store) -> None:
    new: list[str | None] = []

    async def work(tx: Transaction) -> str:
        return await conversations.start_new(Beaten(tx, new), PLACE, surface="public", owner=ANN)

    assert await store.database.write(work) == new[0]


class Beaten:
    """A transaction that always comes second with its conversation."""

    def __init__(self, tx: Transaction, new: list[str | None]) -> None:
        self._tx = tx
        self._new = new

    async def fetch(self, sql: str, /, **values: Value) -> list[Row]:
        if "INSERT INTO conversations" in sql and not self._new:
            inserted = conversations.insert_current(
                self._tx, PLACE, surface="public", owner=BOB, now=1
            )
            self._new.append(await inserted)
        return await self._tx.fetch(sql, **values)

    async def execute(self, sql: str, /, **values: Value) -> int:
        return await self._tx.execute(sql, **values)

    async def now(self) -> int:
        return await self._tx.now()


async def test_a_place_has_its_own_conversations(store: Store) -> None:
    accepted = await store.say(1)

    assert await find_current(store, PLACE) == accepted.conversation
    assert await find_current(store, ELSEWHERE) is None


async def test_positions_are_reserved_in_a_row(store: Store) -> None:
    accepted = await store.say(1)
    first = await store.database.write(
        lambda tx: conversations.lock(tx, accepted.conversation, positions=3)
    )
    second = await store.database.write(lambda tx: conversations.lock(tx, accepted.conversation))

    assert (first, second) == (2, 5)


# The window


async def test_the_window_has_the_turns_before_this_one_with_all_their_messages(
    store: Store,
) -> None:
    turn = await store.answer(1, assistant("", CALL), tool(RESULT))
    [found] = await window(store, turn.conversation, before=2)

    roles = [message.role for message in found.messages]
    assert roles == ["user", "assistant", "tool", "assistant"]
    assert (found.id, found.number, found.asked_at) == (turn.id, 1, 1000)
    assert (found.state, found.outcome) == ("done", "answered")
    assert found.full_size > found.compact_size > 0


async def test_the_window_ends_before_the_turn_that_is_asked(store: Store) -> None:
    turn = await store.answer(1)
    await store.answer(2)

    assert [found.number for found in await window(store, turn.conversation, before=2)] == [1]


async def test_only_the_window_is_read(store: Store) -> None:
    for number in range(1, 6):
        turn = await store.answer(number)
    await move_cut(store, turn.conversation, to=4)

    assert await numbers(store, turn.conversation) == [4, 5]
    assert (await counted_rows(store, turn.conversation)) == (2, 4)


async def test_a_turn_that_is_not_finished_is_not_in_the_window(store: Store) -> None:
    await store.answer(1)
    turn = await store.ask(2)

    assert await numbers(store, turn.conversation) == [1]
    await store.finish(turn)
    assert await numbers(store, turn.conversation) == [1]
    await store.fail(turn)
    assert await numbers(store, turn.conversation) == [1, 2]


async def test_the_questions_of_a_turn_are_in_the_platforms_order(store: Store) -> None:
    await store.say(2)
    turn = await store.answer(1)
    [found] = await window(store, turn.conversation, before=9)

    texts = [message.text for message in found.messages]
    assert texts == ["message 1", "message 2", "The answer."]


@pytest.mark.parametrize("content", ["{", '{"parts": [{"kind": "hologram"}]}', "null"])
async def test_a_row_that_cannot_be_read_is_missing(store: Store, content: str) -> None:
    turn = await store.answer(1)
    damage = "UPDATE messages SET content = :content WHERE role = 'assistant'"
    await store.execute(damage, content=content)
    [found] = await window(store, turn.conversation, before=2)

    assert [message.role for message in found.messages] == ["user"]


async def test_a_turn_whose_messages_are_lost_is_still_a_turn(store: Store) -> None:
    turn = await store.answer(1)
    await store.execute("DELETE FROM messages")
    [found] = await window(store, turn.conversation, before=2)

    assert found.messages == ()


async def test_the_window_of_a_conversation_that_is_gone_is_empty(store: Store) -> None:
    assert await window(store, "unknown", before=9) == []


# The cut


async def test_the_cut_sees_the_sizes_of_finished_turns(store: Store) -> None:
    turn = await store.answer(1, assistant("", CALL), tool(RESULT))
    await store.ask(2)
    row = await store.turn(turn)

    size = TurnSize(1, row["full_size"], row["compact_size"])
    assert await sizes(store, turn.conversation) == Sizes(1, 1, (size,))


async def test_there_is_nothing_to_cut_without_a_finished_turn(store: Store) -> None:
    turn = await store.ask(1)

    assert await sizes(store, turn.conversation) == Sizes(0, 0, ())
    assert await sizes(store, "unknown") == Sizes(0, 0, ())


async def test_the_cut_moves_once_for_what_was_read(store: Store) -> None:
    turn = await store.answer(1)
    await store.answer(2)

    assert await move_cut(store, turn.conversation, to=2)
    found = await sizes(store, turn.conversation)
    assert (found.revision, found.window_from, len(found.turns)) == (2, 2, 1)


async def test_after_work_that_read_before_an_erase_writes_nothing(store: Store) -> None:
    """R3"""
    turn = await store.answer(1)
    await store.answer(2)
    await store.execute("UPDATE conversations SET revision = revision + 1")

    assert not await move_cut(store, turn.conversation, to=2)
    assert (await sizes(store, turn.conversation)).window_from == 1


async def test_after_work_on_a_forgotten_conversation_writes_nothing(store: Store) -> None:
    """R3"""
    turn = await store.answer(1)
    await store.forget(turn.conversation)

    assert not await move_cut(store, turn.conversation, to=1)


# People


async def test_the_operator_links_a_person_to_a_customer(store: Store) -> None:
    before = await customer(store)
    await link(store, "demo")
    first = await customer(store)
    await link(store, "other")

    assert (before, first, await customer(store)) == (None, "demo", "other")


async def link(store: Store, name: str) -> None:
    await store.database.write(lambda tx: people.link(tx, ANN, name))


async def customer(store: Store) -> str | None:
    return await store.database.read(lambda tx: people.find_customer(tx, str(ANN)))


async def find_current(store: Store, place: PlaceKey) -> str | None:
    return await store.database.read(lambda tx: conversations.find_current(tx, place))


async def get(store: Store, conversation: str) -> Conversation:
    return await store.database.read(lambda tx: conversations.get(tx, conversation))


async def window(store: Store, conversation: str, *, before: int) -> list[StoredTurn]:
    return await store.database.read(lambda tx: history.read_window(tx, conversation, before))


async def numbers(store: Store, conversation: str) -> list[int]:
    return [turn.number for turn in await window(store, conversation, before=99)]


async def counted_rows(store: Store, conversation: str) -> tuple[int, ...]:
    """How many rows each of the window's statements returned."""

    async def work(tx: Transaction) -> tuple[int, ...]:
        counting = Counting(tx)
        await history.read_window(counting, conversation, 99)
        return tuple(counting.rows)

    return await store.database.read(work)


class Counting:
    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self.rows: list[int] = []

    async def fetch(self, sql: str, /, **values: Value) -> list[Row]:
        rows = await self._tx.fetch(sql, **values)
        self.rows.append(len(rows))
        return rows

    async def execute(self, sql: str, /, **values: Value) -> int:
        return await self._tx.execute(sql, **values)

    async def now(self) -> int:
        return await self._tx.now()


async def sizes(store: Store, conversation: str) -> Sizes:
    return await store.database.read(lambda tx: history.read_sizes(tx, conversation))


async def move_cut(store: Store, conversation: str, *, to: int) -> bool:
    return await store.database.write(
        lambda tx: history.move_cut(tx, conversation, to=to, revision=1)
    )
