"""Whatever people say, in whatever order: no wrong act, no stumbling, nothing out of the blue."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

from hypothesis import strategies as st

from adapters.offline.model import OfflineModel
from bot.model import ModelRequest, ModelResponse
from memory.messages import Message, ToolCall, ToolResult, tool, user
from memory.window import StoredTurn, arrange
from tests.histories import damaged_histories
from tests.properties import for_all
from tests.unit.offline.asking import TOOLS
from tests.unit.offline.test_intents import PHRASES
from tests.validity import problems

SAID = st.sampled_from(
    [phrase for phrases in PHRASES.values() for phrase in phrases]
    + ["yes", "no", "Can I return 1042?", "Can I return 1043?", "open it", "the other one", "both"]
)
CLEAR = {*PHRASES["yes"], *PHRASES["open"], "yes", "open it"}
REFUSING = {*PHRASES["no"], *PHRASES["unsure"], *PHRASES["reversal"], "no"}
TALKS = st.lists(st.lists(SAID, min_size=1, max_size=2), min_size=1, max_size=5)
ORDERS = {
    number: {"order_id": number, "item": item, "price": price, "paid": True, "tickets": []}
    for number, item, price in ((1042, "headphones", "129 EUR"), (1043, "coffee grinder", "9 EUR"))
}


def serve(call: ToolCall) -> ToolResult:
    """A desk in a few lines: 1042 can be refunded, 1043 cannot, there are no others."""
    arguments = json.loads(call.arguments)
    order = ORDERS.get(arguments.get("order_id"), {"error": "This customer has no order."})
    results = {
        "list_orders": {"orders": list(ORDERS.values())},
        "get_order": order,
        "check_refund_eligibility": {**order, "eligible": arguments.get("order_id") == 1042},
        "create_support_ticket": {"ticket": "T-0001", "order_id": arguments.get("order_id")},
    }
    return ToolResult(call.id, call.name, json.dumps(results[call.name]))


async def respond(messages: Sequence[Message]) -> Message:
    request = ModelRequest("", tuple(messages), TOOLS)
    assert problems(request) == []
    *_, response = [piece async for piece in OfflineModel().stream(request)]
    assert isinstance(response, ModelResponse)
    return response.message


async def take_turn(history: Sequence[Message], questions: Sequence[str]) -> list[Message]:
    turn = [user(question) for question in questions]
    for _ in range(8):
        turn.append(await respond([*history, *turn]))
        if not turn[-1].calls:
            return turn
        turn += [tool(serve(call)) for call in turn[-1].calls]
    raise AssertionError(f"It never answers {questions}.")


async def hold(talk: Sequence[Sequence[str]]) -> list[list[Message]]:
    history: list[Message] = []
    turns = []
    for questions in talk:
        turns.append(await take_turn(history, questions))
        history += turns[-1]
    return turns


def calls(messages: Sequence[Message], name: str) -> list[ToolCall]:
    return [call for message in messages for call in message.calls if call.name == name]


@for_all(TALKS)
def test_a_ticket_is_opened_once_and_only_for_what_was_proved(talk: list[list[str]]) -> None:
    turns = asyncio.run(hold(talk))
    opened = [call for turn in turns for call in calls(turn, "create_support_ticket")]
    checked = [
        {call.arguments for call in calls(turn, "check_refund_eligibility")}
        for turn in turns
        if calls(turn, "create_support_ticket")
    ]

    wishes = [
        questions
        for questions, turn in zip(talk, turns, strict=True)
        if calls(turn, "create_support_ticket")
    ]

    assert len(opened) <= 1
    assert all(set(each) & CLEAR and each[-1] not in REFUSING for each in wishes)
    assert all(json.loads(call.arguments)["order_id"] == 1042 for call in opened)
    assert all('{"order_id": 1042}' in each for each in checked)


@for_all(TALKS)
def test_every_turn_ends_in_words_and_alike_each_time(talk: list[list[str]]) -> None:
    turns = asyncio.run(hold(talk))

    assert all(turn[-1].text for turn in turns)
    assert turns == asyncio.run(hold(talk))


@for_all(damaged_histories(), SAID)
def test_no_history_makes_it_stumble(history: list[StoredTurn], question: str) -> None:
    forms = arrange(history, budget=12_000, recent_turns=2, sentence=lambda _turn: "No answer.")
    window = [message for form in forms for message in form.messages]

    assert asyncio.run(take_turn(window, [question]))[-1].text
