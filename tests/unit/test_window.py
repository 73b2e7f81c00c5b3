"""Which turns are sent, in which form, for which reason, and where the cut is."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from memory.messages import Image, Message, Text, ToolCall, ToolResult, assistant, tool, user
from memory.window import (
    StoredTurn,
    TurnForm,
    arrange,
    compact,
    compact_size,
    full_size,
    next_cut,
)
from tests.histories import called, stored


def turn(number: int, length: int = 10) -> StoredTurn:
    """A question and an answer of so many characters together, no tools."""
    return stored(number, user("q"), assistant("a" * (length - 1)))


def tool_turn(number: int, result: str) -> StoredTurn:
    """31 characters of question, call and answer besides the result and its tool's name."""
    return stored(number, user("q"), *called(result), assistant("a"))


def arranged(
    turns: Sequence[StoredTurn], budget: int = 1_000, recent_turns: int = 2, *, send: bool = True
) -> list[TurnForm]:
    return list(
        arrange(
            turns,
            budget=budget,
            recent_turns=recent_turns,
            sentence=lambda broken: f"Sorry: {broken.outcome}.",
            send=send,
        )
    )


def told(forms: Sequence[TurnForm]) -> list[tuple[int, str]]:
    return [(form.number, form.reason) for form in forms]


def results(form: TurnForm) -> list[str]:
    return [result.text for message in form.messages for result in message.results]


def test_the_newest_two_are_in_full_and_the_older_are_compact() -> None:
    turns = [tool_turn(number, "{}") for number in (1, 2, 3)]

    forms = arranged(turns)

    assert told(forms) == [
        (1, "compact: older"),
        (2, "full: among the newest 2"),
        (3, "full: among the newest 2"),
    ]
    assert forms[0].messages == (user("q"), assistant("a"))
    assert [form.messages[0] for form in forms] == [user("q")] * 3
    assert [form.size for form in forms] == [2, turns[1].full_size, turns[2].full_size]


def test_without_history_nothing_is_sent() -> None:
    assert told(arranged([turn(1), turn(2)], send=False)) == [
        (1, "left out: no history is sent"),
        (2, "left out: no history is sent"),
    ]


def test_with_none_in_full_all_are_compact() -> None:
    assert told(arranged([turn(1), turn(2)], recent_turns=0)) == [
        (1, "compact: older"),
        (2, "compact: older"),
    ]


def test_no_turns_are_no_forms() -> None:
    assert arranged([]) == []


def test_the_oldest_are_left_out_for_this_question_when_the_cut_is_late() -> None:
    forms = arranged([turn(number, 300) for number in (1, 2, 3, 4, 5)])

    assert told(forms) == [
        (1, "left out: over the budget until the window moves"),
        (2, "left out: over the budget until the window moves"),
        (3, "compact: older"),
        (4, "full: among the newest 2"),
        (5, "full: among the newest 2"),
    ]
    assert sum(form.size for form in forms) == 900


def test_a_turn_over_the_budget_is_kept_with_its_tool_result_cut_in_the_middle() -> None:
    (form,) = arranged([tool_turn(1, "begin" + "x" * 5_000 + "end")])

    (result,) = results(form)
    assert form.reason == "cut: its tool results were too long"
    assert form.size == 1_000
    assert result.startswith("begin")
    assert "characters left out" in result
    assert result.endswith("end")


def test_short_results_are_not_cut_beside_long_ones() -> None:
    messages = (*called("x" * 5_000), *called("short"), *called("y" * 5_000))

    (form,) = arranged([stored(1, user("q"), *messages, assistant("a"))])

    lengths = [len(result) for result in results(form)]
    assert lengths[1] == len("short")
    assert lengths[0] == lengths[2]
    assert 999 <= form.size <= 1_000


def test_one_huge_result_does_not_drive_out_what_was_said_before() -> None:
    turns = [turn(1, 100), turn(2, 100), tool_turn(3, "x" * 50_000), turn(4, 100)]

    forms = arranged(turns)

    assert [form.form for form in forms] == ["compact", "compact", "cut", "full"]
    assert sum(form.size for form in forms) == 1_000
    assert next_cut(turns, 1, budget=1_000, recent_turns=2) == 1


def test_two_huge_results_share_the_room() -> None:
    forms = arranged([turn(1, 100), tool_turn(2, "x" * 50_000), tool_turn(3, "x" * 50_000)])

    assert [form.form for form in forms] == ["compact", "cut", "cut"]
    assert [form.size for form in forms] == [100, 450, 450]


def test_a_huge_result_leaves_room_for_the_questions_and_answers_beside_it() -> None:
    long_answer = stored(1, user("q"), *called("x" * 700), assistant("a" * 699))

    forms = arranged([long_answer, tool_turn(2, "x" * 50_000)])

    assert [(form.form, form.size) for form in forms] == [("compact", 700), ("cut", 300)]


def test_a_turn_that_is_too_long_even_when_cut_is_compact() -> None:
    arguments = ToolCall("c1", "write", "x" * 2_000)
    step = (assistant("", arguments), tool(ToolResult("c1", "write", "y" * 2_000)))

    (form,) = arranged([stored(1, user("q"), *step, assistant("a"))])

    assert told([form]) == [(1, "compact: too long in full, even with its tool results cut")]
    assert form.size == 2


def test_a_single_turn_over_the_budget_is_kept_and_says_so() -> None:
    forms = arranged([turn(1), turn(2, 2_000)])

    assert told(forms) == [
        (1, "left out: over the budget until the window moves"),
        (2, "compact: over the budget alone, and kept because it is the newest"),
    ]
    assert forms[1].size == 2_000


@pytest.mark.parametrize(
    ("state", "outcome", "reason"),
    [
        ("done", "answered", "full: among the newest 2"),
        ("failed", "answered", "full: among the newest 2; its answer was not delivered"),
        ("sending", "answered", "full: among the newest 2; not yet delivered"),
        ("running", None, "left out: not finished"),
    ],
)
def test_only_turns_with_an_outcome_are_history(
    state: str, outcome: str | None, reason: str
) -> None:
    unfinished = replace(turn(1), state=state, outcome=outcome)

    assert told(arranged([unfinished])) == [(1, reason)]


def test_a_turn_whose_question_is_lost_is_left_out() -> None:
    lost = replace(turn(1), messages=(assistant("a"),))

    assert told(arranged([lost, turn(2)])) == [
        (1, "left out: its question is lost"),
        (2, "full: among the newest 2"),
    ]


def test_a_turn_that_is_left_out_takes_no_place_among_the_newest() -> None:
    running = replace(turn(3), state="running", outcome=None)

    forms = arranged([turn(1), turn(2), running])

    assert [form.form for form in forms] == ["full", "full", "out"]


def test_a_repaired_turn_says_so_and_has_the_sentence_of_its_outcome() -> None:
    broken = replace(turn(1), messages=(user("q"),), outcome="interrupted")

    (form,) = arranged([broken])

    assert form.reason == "full: among the newest 2; repaired"
    assert form.messages == (user("q"), assistant("Sorry: interrupted."))
    assert form.size == 1 + len("Sorry: interrupted.")


def test_call_ids_are_unique_among_all_turns() -> None:
    first, second = arranged([tool_turn(1, "{}"), tool_turn(2, "{}")])

    assert first.messages[1].calls[0].id != second.messages[1].calls[0].id == "call_0"
    assert first.messages[2].results[0].call_id == first.messages[1].calls[0].id


def test_the_compact_form_is_the_questions_and_the_last_text() -> None:
    call = ToolCall("c1", "get_order", "{}")
    last = Message("assistant", (Text("Wait."), call), {"gemini": {"parts": 2}})
    messages = (user("a"), user("b"), *called(), assistant("No."), last)

    assert compact(messages) == (user("a"), user("b"), assistant("Wait."))


def test_a_compact_answer_keeps_its_rendering() -> None:
    answer = Message("assistant", (Text("Yes."),), {"gemini": {"signature": "x"}})

    assert compact((user("a"), *called(), answer)) == (user("a"), answer)


def test_without_calls_both_forms_are_the_same() -> None:
    messages = (user("a"), assistant("So far"), assistant("Stopped."))

    assert compact(messages) == messages


def test_the_compact_form_of_a_turn_without_any_text_is_its_question() -> None:
    assert compact((user("a"), *called())) == (user("a"),)


def test_sizes_count_what_is_said_called_and_returned() -> None:
    question = Message("user", (Image("F1", "image/png"), Text("12345")))
    messages = [question, *called("12345"), assistant("Yes.")]

    named, arguments = len("get_order"), len('{"order_id": 1042}')
    assert full_size(messages) == 2 + 5 + named + arguments + named + 5 + 4
    assert compact_size(messages) == 2 + 5 + 4


def test_the_cut_stays_while_the_window_fits() -> None:
    turns = [turn(number, 250) for number in (1, 2, 3, 4)]

    assert next_cut(turns, 1, budget=1_000, recent_turns=2) == 1


def test_the_cut_moves_in_a_block_until_the_rest_needs_half_of_the_budget() -> None:
    turns = [turn(number, 100) for number in range(1, 12)]

    assert next_cut(turns, 1, budget=1_000, recent_turns=2) == 7


def test_two_huge_results_leave_what_was_said_before_also_when_the_cut_moves() -> None:
    huge = [tool_turn(number, "x" * 50_000) for number in (11, 12)]
    turns = [*(turn(number, 100) for number in range(1, 11)), *huge]

    assert next_cut(turns, 1, budget=1_000, recent_turns=2) == 10


def test_only_the_turns_from_the_cut_on_are_counted() -> None:
    turns = [turn(number, 250) for number in range(1, 7)]

    assert next_cut(turns, 3, budget=1_000, recent_turns=2) == 3


def test_the_newest_turn_stays_however_long_it_is() -> None:
    assert next_cut([turn(1), turn(2, 5_000)], 1, budget=1_000, recent_turns=2) == 2
    assert next_cut([turn(2, 5_000)], 2, budget=1_000, recent_turns=2) == 2


def test_an_empty_window_leaves_the_cut_where_it_is() -> None:
    assert next_cut([], 7, budget=1_000, recent_turns=2) == 7
