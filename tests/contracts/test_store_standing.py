"""How far a conversation has come, and what of an empty one is left."""

from memory import conversations
from memory.conversations import Standing
from memory.messages import assistant
from tests.contracts.store import PLACE, Store


async def test_a_conversation_stands_at_its_newest_turn(store: Store) -> None:
    turn = await store.answer(1)
    failing = await store.ask(2)
    await store.finish(failing, assistant("It failed."), outcome="api_error")

    assert await standing(store, turn.conversation) == Standing(2, "api_error")


async def test_an_open_turn_has_no_outcome(store: Store) -> None:
    await store.answer(1)
    turn = await store.ask(2)

    assert await standing(store, turn.conversation) == Standing(2, None)


async def test_a_conversation_without_a_turn_stands_at_its_beginning(store: Store) -> None:
    accepted = await store.say(1)

    assert await standing(store, accepted.conversation) == Standing(0, None)


async def test_a_conversation_in_which_nothing_was_said_is_dropped(store: Store) -> None:
    await store.start_new()
    [conversation] = await store.column("SELECT id FROM conversations")

    assert await drop_if_empty(store, str(conversation))
    assert await store.rows("SELECT * FROM conversations") == []


async def test_a_conversation_in_which_something_waits_is_kept(store: Store) -> None:
    accepted = await store.say(1, place=PLACE)

    assert not await drop_if_empty(store, accepted.conversation)
    assert await store.waiting() == ["1"]


async def standing(store: Store, conversation: str) -> Standing:
    return await store.database.read(lambda tx: conversations.read_standing(tx, conversation))


async def drop_if_empty(store: Store, conversation: str) -> bool:
    return await store.database.write(lambda tx: conversations.drop_if_empty(tx, conversation))
