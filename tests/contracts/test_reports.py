"""What `list`, `show` and `export` read."""

from __future__ import annotations

import pytest

from memory import reports
from memory.errors import UnknownConversationError
from memory.messages import assistant, tool, user
from memory.turns import Spent
from tests.contracts.store import ANN, BOB, CALL, PLACE, RESULT, Store
from tests.fakes import FakeClock

NOW = 1_000_000_000_000


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOW)


async def _list(store: Store, *, limit: int = 10) -> list[reports.Listed]:
    return await store.database.read(lambda tx: reports.list_conversations(tx, limit=limit))


async def _read(store: Store, conversation: str) -> reports.Report:
    return await store.database.read(lambda tx: reports.read(tx, conversation))


async def test_a_line_tells_where_who_how_much_and_how_it_began(store: Store) -> None:
    turn = await store.answer(1)
    await store.say(2, BOB)

    assert await _list(store) == [
        reports.Listed(
            id=turn.conversation,
            place=str(PLACE),
            surface="direct",
            owner=str(ANN),
            turns=1,
            created_at=NOW,
            active_at=NOW,
            first="message 1",
        )
    ]


async def test_a_long_first_question_is_cut_to_one_line(store: Store) -> None:
    await store.say(1)
    await _replace_content(
        store, '{"parts": [{"kind": "text", "text": "' + r"a \n b " * 99 + '"}]}'
    )

    [listed] = await _list(store)
    assert listed.first == ("a b " * 20).strip() + " "


async def test_a_damaged_first_question_hides_nothing_else(store: Store) -> None:
    await store.say(1)
    await _replace_content(store, "{")

    [listed] = await _list(store)
    assert (listed.first, listed.turns) == ("", 0)


async def test_the_newest_activity_comes_first(store: Store, clock: FakeClock) -> None:
    first = await store.answer(1)
    clock.advance(1)
    second = await store.start_new()
    await store.say(2)

    assert [listed.id for listed in await _list(store)] == [second, first.conversation]
    assert [listed.id for listed in await _list(store, limit=1)] == [second]


async def test_a_conversation_in_which_nothing_was_said_is_not_listed(store: Store) -> None:
    await store.start_new()

    assert await _list(store) == []


async def test_a_report_has_the_turns_and_what_waits(store: Store) -> None:
    turn = await store.ask(1)
    await store.call(turn, CALL)
    await store.result(turn, RESULT)
    await store.finish(turn, assistant("Done."), spent=Spent("m", 5, 4, 3, 2, 10, 20, 30))
    await store.deliver(turn)
    await store.say(2, BOB)

    report = await _read(store, turn.conversation)

    [told] = report.turns
    assert report.conversation.place == PLACE
    assert [each.role for each in told.messages] == ["user", "assistant", "tool", "assistant"]
    assert told.messages[-1].message == assistant("Done.")
    assert (told.outcome, told.model, told.input_tokens, told.model_ms) == ("answered", "m", 5, 10)
    [waits] = report.waiting
    assert (waits.message, waits.author, waits.state) == (user("message 2"), str(BOB), "waiting")


async def test_a_damaged_message_is_told_as_one(store: Store) -> None:
    turn = await store.answer(1)
    await _replace_content(store, "{")

    report = await _read(store, turn.conversation)
    assert report.turns[0].messages[0].message is None


async def test_an_unknown_conversation_is_told(store: Store) -> None:
    with pytest.raises(UnknownConversationError):
        await _read(store, "nothing")


async def _replace_content(store: Store, content: str) -> None:
    await store.execute(
        "UPDATE messages SET content = :content WHERE position = 1", content=content
    )


async def test_what_the_newest_turns_sent_and_had_cached_is_summed_up(store: Store) -> None:
    for number in range(1, 13):
        turn = await store.ask(number)
        await store.finish(turn, spent=Spent(input_tokens=10 * number, cached_tokens=5 * number))
        await store.deliver(turn)

    sent = await store.database.read(lambda tx: reports.read_sent(tx, turn.conversation))

    assert sent == reports.Sent(sum(range(30, 130, 10)), sum(range(15, 65, 5)))
    assert sent.cached_percent == 50


async def test_where_nobody_has_counted_there_is_no_share() -> None:
    assert reports.Sent(0, 0).cached_percent is None


async def test_the_newest_turn_of_one_request_is_what_an_estimate_is_measured_at(
    store: Store,
) -> None:
    async def found() -> reports.Counted | None:
        return await store.database.read(lambda tx: reports.find_counted(tx, turn.conversation))

    turn = await store.ask(1)
    assert await found() is None
    await store.finish(turn, spent=Spent(input_tokens=70))
    await store.deliver(turn)
    await store.answer(2, assistant("", CALL), tool(RESULT))

    assert await found() == reports.Counted(1, 1_000, 70)
