"""A damaged turn is made whole in memory, and call ids are kept apart."""

from memory.messages import (
    Image,
    Message,
    Text,
    ToolCall,
    ToolResult,
    assistant,
    tool,
    user,
)
from memory.repair import LOST_RESULT, repair, separate

QUESTION = user("Can I get a refund?")
CALL = ToolCall("c1", "get_order", '{"order_id": 1042}')
OTHER = ToolCall("c2", "get_order", '{"order_id": 1043}')
RESULT = ToolResult("c1", "get_order", '{"paid": true}')
OTHER_RESULT = ToolResult("c2", "get_order", '{"paid": false}')
ANSWER = assistant("Yes.")
LOST = tool(ToolResult("c1", "get_order", LOST_RESULT, is_error=True))
SENTENCE = assistant("I was interrupted.")


def repaired(*messages: Message) -> tuple[Message, ...]:
    return repair(messages, lambda: "I was interrupted.")


def test_a_whole_turn_stays_as_it_is() -> None:
    turn = (QUESTION, assistant("Let me look.", CALL, OTHER), tool(OTHER_RESULT), tool(RESULT))

    assert repaired(*turn, ANSWER) == (*turn, ANSWER)


def test_a_tool_call_never_loses_its_result() -> None:
    step = assistant("", CALL)

    assert repaired(QUESTION, step, ANSWER) == (QUESTION, step, LOST, ANSWER)


def test_the_result_that_is_left_is_kept_beside_the_one_that_is_lost() -> None:
    step = assistant("", CALL, OTHER)

    whole = repaired(QUESTION, step, tool(OTHER_RESULT), ANSWER)

    assert whole == (QUESTION, step, tool(OTHER_RESULT), LOST, ANSWER)


def test_a_result_without_its_call_is_dropped() -> None:
    assert repaired(QUESTION, tool(RESULT), ANSWER) == (QUESTION, ANSWER)


def test_a_second_result_is_dropped() -> None:
    turn = (QUESTION, assistant("", CALL), tool(RESULT))

    assert repaired(*turn, tool(RESULT), ANSWER) == (*turn, ANSWER)


def test_a_result_that_comes_too_late_is_dropped_and_the_call_gets_an_error() -> None:
    step = assistant("", CALL)

    assert repaired(QUESTION, step, ANSWER, tool(RESULT)) == (QUESTION, step, LOST, ANSWER)


def test_a_result_under_the_name_of_another_tool_is_dropped() -> None:
    step = assistant("", CALL)
    mistaken = tool(ToolResult("c1", "list_orders", "[]"))

    assert repaired(QUESTION, step, mistaken, ANSWER) == (QUESTION, step, LOST, ANSWER)


def test_of_several_results_in_a_message_only_the_awaited_are_kept() -> None:
    step = assistant("", CALL)
    both = Message("tool", (RESULT, OTHER_RESULT), {"gemini": {"parts": 2}})

    assert repaired(QUESTION, step, both, ANSWER) == (QUESTION, step, tool(RESULT), ANSWER)


def test_without_an_answer_the_sentence_of_the_outcome_stands_in() -> None:
    turn = (QUESTION, assistant("Let me look.", CALL), tool(RESULT))

    assert repaired(QUESTION) == (QUESTION, SENTENCE)
    assert repaired(*turn) == (*turn, SENTENCE)
    assert repaired(*turn[:2]) == (*turn[:2], LOST, SENTENCE)


def test_a_turn_without_a_question_is_nothing() -> None:
    assert repaired() == ()
    assert repaired(ANSWER) == ()
    assert repaired(user(" \n"), ANSWER) == ()


def test_questions_come_first_in_their_order() -> None:
    again = user("Hello?")

    assert repaired(QUESTION, ANSWER, again) == (QUESTION, again, ANSWER)


def test_what_a_role_cannot_say_goes_and_so_does_the_rendering_of_it() -> None:
    picture = Image("F1", "image/png")
    question = Message("user", (picture, CALL, Text("")), {"openai": {"x": 1}})
    answer = Message("assistant", (Text("Yes."), picture, RESULT))

    assert repaired(question, answer) == (Message("user", (picture,)), ANSWER)


def test_ids_that_are_alone_stay_as_they_are() -> None:
    messages = [assistant("", CALL, OTHER), tool(OTHER_RESULT), tool(RESULT)]

    assert separate(messages) == tuple(messages)


def test_of_calls_with_one_id_the_last_keeps_it_and_results_go_along() -> None:
    rendered = Message("assistant", (CALL,), {"openai": {"call_id": "c1"}})

    first, result, *rest = separate([rendered, tool(RESULT), rendered, tool(RESULT)])

    assert rest == [rendered, tool(RESULT)]
    assert result.results[0].call_id == first.calls[0].id != "c1"
    assert first.provider_data == {}


def test_calls_without_an_id_get_one_each() -> None:
    orders, order = ToolCall("", "list_orders", "{}"), ToolCall("", "get_order", "{}")
    results = [ToolResult("", "get_order", "{}"), ToolResult("", "list_orders", "[]")]

    step, *told = separate([assistant("", orders, order), *map(tool, results)])

    assert [call.name for call in step.calls] == ["list_orders", "get_order"]
    assert [told[1].results[0].call_id, told[0].results[0].call_id] == [
        call.id for call in step.calls
    ]
    assert len({"", *(call.id for call in step.calls)}) == 3


def test_twins_without_an_id_get_one_each_in_their_order() -> None:
    twin = ToolCall("", "get_order", "{}")
    results = [tool(ToolResult("", "get_order", text)) for text in ("1", "2")]

    step, first, second = separate([assistant("", twin, twin), *results])

    ids = [call.id for call in step.calls]
    assert [first.results[0].call_id, second.results[0].call_id] == ids
    assert len({"", *ids}) == 3


def test_a_new_id_is_none_that_is_there_already() -> None:
    unnamed = ToolCall("", "get_order", "{}")
    would_be = separate([assistant("", CALL, unnamed)])[0].calls[1].id
    clashing = ToolCall(would_be, "get_order", "{}")

    (step,) = separate([assistant("", clashing, unnamed)])

    assert step.calls[0] == clashing
    assert step.calls[1].id not in {"", would_be}


def test_new_ids_suit_the_strictest_server() -> None:
    (step,) = separate([assistant("", ToolCall("", "get_order", "{}"))])

    assert len(step.calls[0].id) == 9
    assert step.calls[0].id.isalnum()
