"""What a model notes, reads and deletes of who asks, and of nobody else."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from bot.context import Context, ContextBuilder
from bot.model import ToolSpec
from bot.settings import Limits, Timing
from bot.shown import render
from bot.tools import Toolbox, ToolContext
from bot.tools.notes import note_tools
from memory.messages import ToolCall, user
from memory.turns import Turn
from tests.contracts.noted import NOW, add, known, switch
from tests.contracts.store import BOB, Store
from tests.fakes import FakeClock

HEADING = "[Notes about the person who asks, with their numbers, from what they once said:]"
SPEC = ToolSpec("look", "Look.", {"type": "object"})


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOW)


async def call(store: Store, turn: Turn, tool: str, key: str = "k", **arguments: object) -> object:
    toolbox = Toolbox(note_tools(store.database), Timing(), Limits())
    context = ToolContext(turn.asker, None, turn.conversation, key, 2**40, turn.id)
    result = await toolbox.run(ToolCall("c", tool, json.dumps(arguments)), context)
    return json.loads(result.text)


async def remember(store: Store, turn: Turn, topic: str, text: str, key: str = "k") -> object:
    return await call(store, turn, "remember", key, topic=topic, text=text)


async def context_of(store: Store, turn: Turn) -> Context:
    tools = (SPEC, *(tool.spec for tool in note_tools(store.database)))
    builder = ContextBuilder("You are Nimbus.", tools, notes=True)
    return await store.database.read(
        lambda tx: builder.build(tx, turn.conversation, [user("And I?")], turn.number, NOW)
    )


def names(tools: Sequence[ToolSpec]) -> list[str]:
    return [tool.name for tool in tools]


async def test_what_is_noted_is_there_at_the_next_question(store: Store) -> None:
    first = await store.answer(1)
    assert await remember(store, first, "place", "lives in Bergen") == {"noted": True, "note": 1}

    context = await context_of(store, await store.ask(2))

    assert [part.text for part in context.question[0].parts if hasattr(part, "text")] == [
        f"{HEADING}\n- 1. place: lives in Bergen (said 1 January 1970)",
        "[Now: Sunday 9 September 2001, 01:46 UTC]",
        "And I?",
    ]
    assert "\nnote 1 · said to me alone\n\n== question" in render(context)


async def test_nobody_is_told_what_is_known_of_somebody_else(store: Store) -> None:
    await remember(store, await store.answer(1), "place", "lives in Bergen")
    bobs = await store.ask(2, BOB)

    assert (await context_of(store, bobs)).notes == ()
    assert await call(store, bobs, "forget_fact", note=1) == {"error": "There is no note 1 here."}
    assert await known(store) == ["lives in Bergen"]


async def test_a_call_that_is_run_again_is_one_note(store: Store) -> None:
    turn = await store.answer(1)
    told = [await remember(store, turn, "plan", "goes to a concert") for _ in range(2)]

    assert told == [{"noted": True, "note": 1}] * 2
    again = await remember(store, turn, "plan", "goes to a concert", "another")
    assert (again, await known(store)) == ({"noted": True, "note": 3}, ["goes to a concert"])


async def test_what_is_older_than_what_is_known_is_not_noted(store: Store) -> None:
    first, second = await store.answer(1), await store.answer(2)
    await add(store, second, "lives in Kaunas", "place")

    assert await remember(store, first, "place", "lives in Bergen") == {
        "noted": False,
        "reason": "It is known already, or something newer is.",
    }


async def test_a_note_is_deleted_where_it_is_seen_as_often_as_it_is_asked_for(
    store: Store,
) -> None:
    turn = await store.answer(1)
    await remember(store, turn, "place", "lives in Bergen")

    assert [await call(store, turn, "forget_fact", note=1) for _ in range(2)] == [
        {"deleted": 1}
    ] * 2
    assert await known(store) == []


async def test_who_wants_no_notes_is_offered_none(store: Store) -> None:
    turn = await store.answer(1)
    await remember(store, turn, "place", "lives in Bergen")
    await switch(store, on=False)

    context = await context_of(store, turn)

    assert (names(context.request.tools), context.notes) == (["look"], ())
    assert "wants no notes" in str(await remember(store, turn, "fact", "has two cats"))
    await switch(store, on=True)
    assert names((await context_of(store, turn)).request.tools)[1:] == ["remember", "forget_fact"]


async def test_where_nobody_has_asked_nobody_is_known(store: Store) -> None:
    turn = await store.answer(1)
    await store.forget(turn.conversation)

    assert (await context_of(store, turn)).notes == ()
    assert "There is no note" in str(await call(store, turn, "forget_fact", note=1))
    assert "known already" in str(await remember(store, turn, "fact", "has two cats"))
