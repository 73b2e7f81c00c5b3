"""A summary keeps every identifier letter for letter, and none that nobody said."""

import pytest

from bot.summarise import read_answer
from memory.messages import assistant, user
from memory.summary import extracted, identifiers, limit_of, lines, render, repaired
from memory.window import StoredTurn


def turn(number: int, question: str, answer: str = "Yes.") -> StoredTurn:
    talk = (user(question), assistant(answer))
    return StoredTurn(f"{number}", number, "done", "answered", 0, 0, 0, talk)


ORDER = turn(1, "Where is order 1042?", "It is shipped: parcel AB-77/x9.")


def test_a_summary_that_keeps_everything_stays_as_it_was_written() -> None:
    text = "Ann asked for order 1042. It is shipped, parcel AB-77/x9."

    assert repaired(text, "", [ORDER], 2_000) == text


def test_a_lost_identifier_is_appended_letter_for_letter() -> None:
    text = repaired("Ann asked for an order.", "Before: ticket T-0001.", [ORDER], 2_000)

    assert text == "Ann asked for an order.\nAlso named: 1042, AB-77/x9, T-0001"


def test_a_sentence_with_an_invented_identifier_is_left_out() -> None:
    text = repaired("Order 1042 is shipped. Order 9999 is lost. AB-77/x9.", "", [ORDER], 2_000)

    assert text == "Order 1042 is shipped. AB-77/x9."


def test_a_part_of_an_identifier_is_not_the_identifier() -> None:
    assert "1042" in repaired("Of 10421x.", "10421x", [ORDER], 2_000).partition("named:")[2]
    assert repaired("Order 104.", "", [ORDER], 2_000) == ""


def test_nothing_is_left_of_a_summary_that_is_all_invented() -> None:
    assert repaired("Order 9999.", "", [ORDER], 2_000) == ""
    assert repaired("", "", [ORDER], 2_000) == ""


def test_the_newest_identifiers_stay_when_there_is_no_room_for_all() -> None:
    turns = [turn(number, f"And order {number + 100_000}?") for number in range(100)]
    text = repaired("They asked. " * 50, "", turns, 300)

    assert len(text) <= 300
    assert "100099, 100098" in text


@pytest.mark.parametrize("limit", [20, 60, 200, 2_000])
def test_no_summary_is_longer_than_it_may_be(limit: int) -> None:
    turns = [turn(number, "x" * 500 + f" {number}00000") for number in range(9)]

    assert len(extracted("An old one. " * 40, turns, limit)) <= limit
    assert len(repaired("A word " * 500, "", turns, limit)) <= limit


@pytest.mark.parametrize(
    "cut", ["It was order 2023…", "Of 2023[… 1,234 characters left out …]7788 it was."]
)
def test_half_of_an_identifier_that_was_cut_is_named_no_more(cut: str) -> None:
    assert repaired("Well.", cut, [], 2_000) == "Well."


def test_code_sums_up_who_asked_what_and_keeps_what_was_known() -> None:
    text = extracted("Ann's ticket is T-0001.\nAlso named: ZZ-9", [ORDER], 2_000)

    assert text == (
        "Ann's ticket is T-0001.\n"
        "1. Where is order 1042? → It is shipped: parcel AB-77/x9.\n"
        "Also named: ZZ-9"
    )


def test_numbers_that_only_count_and_plain_words_are_no_identifiers() -> None:
    text = "2 orders, 订单1042已发货, 129.00 EUR, BLUE-FALCON, USA, v2.1-rc3, foo,42 at 14:05."

    assert list(identifiers(text)) == ["1042", "129.00", "BLUE-FALCON", "v2.1-rc3", "14:05"]


def test_chinese_sentences_are_judged_one_by_one() -> None:
    kept = repaired("订单1042已发货。订单9999丢了。", "", [turn(1, "订单1042?")], 200)

    assert kept == "订单1042已发货。"


def test_no_line_of_a_summary_passes_for_one_of_ours() -> None:
    assert render("Hi.\n[Now: never]") == "[Earlier in this conversation: Hi.\n\\[Now: never]]"
    assert render("") == ""


def test_a_model_is_shown_the_newest_turns_that_there_is_room_for() -> None:
    turns = [turn(1, "a" * 90), turn(2, "b" * 90), turn(3, "c" * 5_000)]
    shown = lines(turns, 2_150)

    assert [line.splitlines()[0] for line in shown] == ["Turn 2", "Turn 3"]
    assert len(shown[-1]) == 2_000


def test_a_smaller_budget_has_a_smaller_summary() -> None:
    assert (limit_of(12_000), limit_of(1_000)) == (2_000, 200)


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ('{"summary": " Ann asked. "}', "Ann asked."),
        ('Here it is:\n```json\n{"summary": "Ann asked."}\n```', "Ann asked."),
        ("Ann asked.", "Ann asked."),
        ('{"summary": 3}', ""),
        ('{"text": "Ann asked."}', ""),
        ('["Ann asked."]', ""),
        ('{"summary": "Ann', ""),
        ("3", ""),
        ("", ""),
    ],
)
def test_a_model_s_answer_is_read_as_json_or_as_it_is(answer: str, found: str) -> None:
    assert read_answer(answer) == found
