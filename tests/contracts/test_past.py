"""What somebody asked before is shown where they may be shown it, and never what others asked."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from bot.settings import Limits, Timing
from bot.tools import Toolbox, ToolContext
from bot.tools.past import past_tools
from memory.keys import PersonKey, PlaceKey, Surface
from memory.messages import ToolCall, assistant, encode, user
from memory.turns import Turn
from tests.contracts.noted import NOW, SPOTS, may_see
from tests.contracts.store import ANN, BOB, CALL, PLACE, RESULT, Store, said
from tests.fakes import FakeClock

HERE = PlaceKey("played", "W", "C", "9")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOW)


async def past(store: Store, turn: Turn, **arguments: object) -> Any:
    toolbox = Toolbox(past_tools(store.database), Timing(), Limits())
    context = ToolContext(turn.asker, None, turn.conversation, "k", 2**40, turn.id)
    result = await toolbox.run(ToolCall("c", "past", json.dumps(arguments)), context)
    return json.loads(result.text)


async def ask(
    store: Store, number: int, surface: Surface, place: PlaceKey, person: PersonKey
) -> Turn:
    accepted = await store.accept(replace(said(number, person, place=place), surface=surface))
    assert accepted is not None
    turn = await store.begin(accepted.conversation)
    await store.finish(turn, assistant(f"Answer {number}."))
    await store.deliver(turn)
    return turn


async def test_the_last_conversations_are_listed_and_opened(store: Store) -> None:
    first = await store.ask(1)
    await store.call(first, CALL)
    await store.result(first, RESULT)
    await store.finish(first, assistant("Answer 1."))
    await store.deliver(first)
    await store.execute("UPDATE conversations SET summary = 'About 1.'")
    turn = await ask(store, 2, "direct", HERE, ANN)

    assert (await past(store, turn))["conversations"] == [
        {
            "conversation": first.conversation,
            "last_active": "2001-09-09",
            "first_question": "message 1",
            "summary": "About 1.",
        }
    ]
    opened = await past(store, turn, conversation=first.conversation)
    assert opened == {
        "turns": [{"asked_on": "1970-01-01", "question": "message 1", "answer": "Answer 1."}]
    }


async def test_what_others_asked_is_not_shown_and_no_summary_of_it(store: Store) -> None:
    mine = await ask(store, 1, "public", PLACE, ANN)
    await ask(store, 2, "public", PLACE, BOB)
    await store.execute("UPDATE conversations SET summary = 'About both.'")
    turn = await ask(store, 3, "public", HERE, ANN)

    [listed] = (await past(store, turn))["conversations"]
    assert "summary" not in listed
    opened = await past(store, turn, conversation=mine.conversation)
    assert [each["question"] for each in opened["turns"]] == ["message 1"]


async def test_where_somebody_may_not_look_there_is_nothing(store: Store) -> None:
    bobs = await ask(store, 1, "public", PLACE, BOB)
    turn = await ask(store, 2, "public", HERE, ANN)

    for wanted in (bobs.conversation, turn.conversation, "0" * 32):
        assert "no such conversation" in (await past(store, turn, conversation=wanted))["error"]


@pytest.mark.slow  # all pairs
async def test_past_conversations_are_shown_where_notes_from_them_would_be(store: Store) -> None:
    turns = [
        (spot, name, await ask(store, number, *spot, PersonKey(spot[1].platform, "W", name)))
        for number, (spot, name) in enumerate(product(SPOTS, ["ann", "bob"]), 1)
    ]
    for spot, name, turn in turns:
        expected = {
            other.conversation
            for there, somebody, other in turns
            if somebody == name and other.conversation != turn.conversation
            if (there[1].platform, there[1].workspace) == (spot[1].platform, spot[1].workspace)
            if may_see(there, spot)
        }
        listed = await past(store, turn)
        assert {each["conversation"] for each in listed["conversations"]} == expected


async def test_what_is_opened_is_bounded_and_what_is_damaged_is_left_out(store: Store) -> None:
    for number in range(1, 13):
        turn = await ask(store, number, "direct", PLACE, ANN)
        await store.execute(
            "UPDATE messages SET content = :content WHERE turn = :turn AND role = 'user'",
            content=encode(user(f"{number} " + "x" * 900)),
            turn=turn.number,
        )
    await store.execute("UPDATE messages SET content = '{' WHERE role = 'assistant'")
    here = await ask(store, 20, "direct", HERE, ANN)

    opened = await past(store, here, conversation=turn.conversation)

    assert [each["question"][:2].strip() for each in opened["turns"]] == [
        str(number) for number in range(6, 13)
    ]
    assert {each["answer"] for each in opened["turns"]} == {""}
