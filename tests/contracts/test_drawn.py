"""What the askers of the turns that leave said of themselves is noted, by the call that sums up."""

from __future__ import annotations

import json

import pytest

from bot.after import AfterWork
from bot.summarise import read_notes
from memory.knowledge import Drawn
from tests.contracts.noted import known, switch
from tests.contracts.store import ANN, BOB, Store
from tests.fakes import ScriptedModel, says

DRAWN = [
    {"turn": 1, "topic": "place", "text": "lives in Bergen"},
    {"turn": 2, "topic": "plan", "text": "goes to a concert"},
    {"turn": 6, "topic": "fact", "text": "is of a turn that stays"},
]
ANSWER = says(json.dumps({"summary": "They spoke.", "notes": DRAWN}))


async def sum_up(store: Store, model: ScriptedModel, *, notes: bool = True) -> str:
    """Let six turns be too many, of which the second is Bob's."""
    conversation = ""
    for number in range(1, 7):
        turn = await store.ask(number, BOB if number == 2 else ANN)
        await store.finish(turn)
        await store.deliver(turn)
        conversation = turn.conversation
    async with AfterWork(
        store.database, budget=100, recent_turns=0, model=model, notes=notes
    ) as after:
        after.begin(conversation)
        await after.settled()
    await model.close()
    return model.requests[0].system


async def test_what_is_drawn_is_noted_of_who_asked(store: Store) -> None:
    prompt = await sum_up(store, ScriptedModel(ANSWER))

    assert (await known(store), await known(store, BOB)) == (
        ["lives in Bergen"],
        ["goes to a concert"],
    )
    assert '"topic": "place"' in prompt


async def test_of_who_wants_no_notes_none_is_drawn(store: Store) -> None:
    await switch(store, on=False)
    await sum_up(store, ScriptedModel(ANSWER))

    assert (await known(store), await known(store, BOB)) == ([], ["goes to a concert"])


async def test_with_notes_switched_off_none_are_asked_for(store: Store) -> None:
    prompt = await sum_up(store, ScriptedModel(ANSWER), notes=False)

    assert (await known(store), '"notes"' in prompt) == ([], False)


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ('{"notes": [{"turn": 1, "topic": "fact", "text": "a"}]}', [Drawn(1, "fact", "a")]),
        ('```json\n{"notes": [{"turn": 1, "topic": "x", "text": ""}]}```', [Drawn(1, "x", "")]),
        ('{"notes": [{"turn": 9, "topic": "fact", "text": "a"}, {"turn": 1}, 3]}', []),
        ('{"notes": [{"turn": true, "topic": "fact", "text": "a"}]}', []),
        ('{"notes": "none"}', []),
        ('{"summary": "a"}', []),
        ("[]", []),
        ("They spoke.", []),
    ],
)
def test_notes_are_read_as_far_as_they_have_their_form(answer: str, found: list[Drawn]) -> None:
    assert list(read_notes(answer, {1})) == found
