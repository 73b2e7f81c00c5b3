"""Stored histories that hypothesis makes up: whole ones, and damaged ones."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import product, starmap

from hypothesis import strategies as st

from memory.errors import DamagedMessageError
from memory.messages import (
    Message,
    Text,
    ToolCall,
    ToolResult,
    assistant,
    decode,
    encode,
    tool,
    user,
)
from memory.window import StoredTurn, compact_size, full_size

WORDS = [
    "Can I get a refund for order #1043?",
    "OK. What about my other order, 1042?",
    "Yes please.",
    "好的，请帮我申请退款。",
    "\u202eright to left, e\u0301, 👩‍👩‍👧‍👦",
    '{"order": {"id": 1042}}',
    "\0",
    "[1, 2",
    "x",
]
# Some servers number the calls of each response from 0, some leave the id out.
IDS = ["", "call_0", "call_1", "call_a7", "call_b8", "call_c9"]
# Few draws: making examples up takes far longer than trying them.
TEXTS = st.sampled_from([word * times for word in WORDS for times in (1, 1, 1, 20, 300)])
SPOKEN = st.sampled_from(["", *WORDS])
CALLS = st.sampled_from(list(starmap(ToolCall, product(IDS, ["get_order", "list_orders"], WORDS))))
STATES = st.sampled_from(["done", "done", "done", "failed", "sending", "running"])


def stored(
    number: int, *messages: Message, state: str = "done", outcome: str | None = "answered"
) -> StoredTurn:
    """A turn as it is read from the database."""
    return StoredTurn(
        id=f"{number:032x}",
        number=number,
        state=state,
        outcome=outcome,
        asked_at=number * 1_000,
        full_size=full_size(messages),
        compact_size=compact_size(messages),
        messages=messages,
    )


def called(text: str = '{"order_id": 1042}', call_id: str = "call_0") -> tuple[Message, Message]:
    """A step: a call and what it returned."""
    return (
        assistant("", ToolCall(call_id, "get_order", '{"order_id": 1042}')),
        tool(ToolResult(call_id, "get_order", text)),
    )


@st.composite
def steps(draw: st.DrawFn) -> list[Message]:
    """A model's message with calls, and their results in the order they finished."""
    calls = draw(st.lists(CALLS, min_size=1, max_size=2))
    results = [ToolResult(call.id, call.name, draw(TEXTS)) for call in calls]
    spoken = draw(SPOKEN)
    message = replace(assistant(spoken, *calls), provider_data={"gemini": {"parts": [spoken]}})
    return [message, *(tool(result) for result in draw(st.permutations(results)))]


@st.composite
def whole_messages(draw: st.DrawFn) -> tuple[Message, ...]:
    questions = draw(st.lists(TEXTS.map(user), min_size=1, max_size=2))
    worked = draw(st.lists(steps(), max_size=2))
    answer = assistant(draw(TEXTS))
    return (*questions, *(message for step in worked for message in step), answer)


@st.composite
def whole_histories(draw: st.DrawFn) -> list[StoredTurn]:
    turns = draw(st.lists(whole_messages(), min_size=1, max_size=5))
    return [stored(number, *messages) for number, messages in enumerate(turns, 1)]


Damage = Callable[[list[Message], int, int], list[Message]]


@dataclass(frozen=True, slots=True)
class Blow:
    """One piece of damage, at any two places."""

    damage: Damage
    here: int
    there: int

    def __call__(self, messages: list[Message]) -> list[Message]:
        if not messages:
            return []
        return self.damage(messages, self.here % len(messages), self.there % len(messages))


def dropped(messages: list[Message], here: int, _there: int) -> list[Message]:
    return messages[:here] + messages[here + 1 :]


def cut_off(messages: list[Message], here: int, _there: int) -> list[Message]:
    return messages[:here]


def duplicated(messages: list[Message], here: int, there: int) -> list[Message]:
    return [*messages[:there], messages[here], *messages[there:]]


def swapped(messages: list[Message], here: int, there: int) -> list[Message]:
    changed = list(messages)
    changed[here], changed[there] = changed[there], changed[here]
    return changed


def blanked(messages: list[Message], here: int, _there: int) -> list[Message]:
    changed = list(messages)
    changed[here] = Message(changed[here].role, (Text(" \n"),))
    return changed


def emptied(messages: list[Message], here: int, _there: int) -> list[Message]:
    changed = list(messages)
    changed[here] = Message(changed[here].role, ())
    return changed


def mistaken(messages: list[Message], here: int, there: int) -> list[Message]:
    """The role's column is wrong."""
    changed = list(messages)
    changed[here] = replace(changed[here], role=messages[there].role)
    return changed


def scratched(messages: list[Message], here: int, there: int) -> list[Message]:
    """A character of the stored JSON is another one; what cannot be read is missing."""
    text = encode(messages[here])
    place = (there * 7919) % len(text)
    return reread(messages, here, text[:place] + "x" + text[place + 1 :])


def stripped(messages: list[Message], here: int, there: int) -> list[Message]:
    """A part is gone from the stored JSON."""
    content = json.loads(encode(messages[here]))
    del content["parts"][there : there + 1]
    return reread(messages, here, json.dumps(content))


def reread(messages: list[Message], here: int, text: str) -> list[Message]:
    try:
        read = [decode(messages[here].role, text)]
    except DamagedMessageError:
        read = []
    return messages[:here] + read + messages[here + 1 :]


BLOWS = st.builds(
    Blow,
    st.sampled_from(
        [
            dropped,
            cut_off,
            duplicated,
            swapped,
            blanked,
            emptied,
            mistaken,
            scratched,
            stripped,
        ]
    ),
    st.integers(0, 1_000),
    st.integers(0, 1_000),
)
OUTCOMES = st.sampled_from(["answered", "api_error", "stopped", "interrupted", "expired", "?"])


@st.composite
def damaged_histories(draw: st.DrawFn) -> list[StoredTurn]:
    """Any history: turns struck several times, in any state, their sizes as they once were."""
    turns = []
    for turn in draw(whole_histories()):
        messages = list(turn.messages)
        for blow in draw(st.lists(BLOWS, max_size=4)):
            messages = blow(messages)
        state = draw(STATES)
        outcome = None if state == "running" else draw(OUTCOMES)
        turns.append(replace(turn, messages=tuple(messages), state=state, outcome=outcome))
    return turns


def spoken(messages: Iterable[Message]) -> list[str]:
    """What people said, in order."""
    said = [message.text for message in messages if message.role == "user"]
    return [text for text in said if text.strip()]
