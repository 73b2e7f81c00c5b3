"""What is to be done, and where: found again after every crash and lost ring."""

import pytest

from memory import holds, unanswered
from memory.keys import PersonKey, PlaceKey
from memory.unanswered import Next
from tests.contracts.store import OVER, Store

EVER = 2**62
TERMINAL = PlaceKey("terminal", "local", "chat", "a" * 32)
EVE = PersonKey("terminal", "", "eve")


async def test_a_message_waits_to_be_begun(store: Store) -> None:
    accepted = await store.say(1)

    assert await look(store, accepted.conversation) == "waiting"


async def test_a_message_is_found_by_its_id_while_it_waits(store: Store) -> None:
    accepted = await store.say(1)
    remote_id = (await store.rows("SELECT remote_id FROM messages"))[0]["remote_id"]

    async def found() -> list[str]:
        return await store.database.read(lambda tx: unanswered.find_message(tx, remote_id))

    assert await found() == [accepted.conversation]
    await store.begin(accepted.conversation)
    assert await found() == []


async def test_there_is_nothing_to_do_while_somebody_works(store: Store) -> None:
    turn = await store.ask(1)
    await store.say(2)

    assert await look(store, turn.conversation) is None


@pytest.mark.parametrize("state", ["running", "sending"])
async def test_a_turn_whose_lease_is_over_is_abandoned(store: Store, state: str) -> None:
    turn = await store.ask(1, lease=OVER)
    if state == "sending":
        await store.finish(turn)

    assert await look(store, turn.conversation) == "abandoned"


async def test_there_is_nothing_to_do_when_all_is_answered(store: Store) -> None:
    turn = await store.answer(1)

    assert await look(store, turn.conversation) is None


async def test_a_conversation_that_is_gone_needs_nothing(store: Store) -> None:
    assert await look(store, "unknown") is None


async def test_who_looks_by_one_conversation_sees_its_whole_place(store: Store) -> None:
    old = await store.answer(1)
    await store.start_new()
    await store.say(2)

    assert await look(store, old.conversation) == "waiting"


async def test_what_waits_is_found_on_its_platform(store: Store) -> None:
    accepted = await store.say(1)

    assert await waiting(store) == [accepted.conversation]
    assert await waiting(store, platform="terminal") == []


async def test_a_message_that_waits_since_then_is_found(store: Store) -> None:
    accepted = await store.say(1)

    assert await waiting(store, said_before=1001) == [accepted.conversation]
    assert await waiting(store, said_before=1000) == []


async def test_a_conversation_with_two_messages_is_found_once(store: Store) -> None:
    accepted = await store.say(1)
    await store.say(2)

    assert await waiting(store) == [accepted.conversation]


async def test_who_has_waited_longest_comes_first(store: Store) -> None:
    places = [PlaceKey("played", "W", "C", f"t{number}") for number in range(9)]
    said = [
        (await store.say(9 - number, place=place)).conversation
        for number, place in enumerate(places)
    ]

    assert await waiting(store) == said[::-1]


async def test_what_waits_behind_an_open_turn_is_not_found(store: Store) -> None:
    await store.ask(1)
    await store.start_new()
    await store.say(2)

    assert await waiting(store) == []


async def test_abandoned_turns_are_found_on_their_platform(store: Store) -> None:
    turn = await store.ask(1, lease=OVER)
    await store.ask(2, EVE, place=TERMINAL)

    assert await abandoned(store) == [turn.conversation]
    assert await abandoned(store, platform="terminal") == []


async def test_a_turn_that_was_abandoned_since_then_is_found(store: Store) -> None:
    turn = await store.ask(1, lease=OVER)
    started = (await store.turn(turn))["started_at"]

    assert await abandoned(store, started_before=started + 1) == [turn.conversation]
    assert await abandoned(store, started_before=started) == []


async def test_a_turn_that_is_done_is_not_abandoned(store: Store) -> None:
    turn = await store.ask(1, lease=OVER)
    await store.finish(turn)
    await store.deliver(turn)

    assert await abandoned(store) == []


async def look(store: Store, conversation: str) -> Next | None:
    return await store.database.read(lambda tx: unanswered.look(tx, conversation))


async def waiting(store: Store, *, platform: str = "played", said_before: int = EVER) -> list[str]:
    return await store.database.read(
        lambda tx: unanswered.find_waiting(tx, platform=platform, said_before=said_before)
    )


async def abandoned(
    store: Store, *, platform: str = "played", started_before: int = EVER
) -> list[str]:
    return await store.database.read(
        lambda tx: holds.find_abandoned(tx, platform=platform, started_before=started_before)
    )
