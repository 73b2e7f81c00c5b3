"""Long answers as several messages: nothing is lost, and it is cut where it hurts least."""

import re
from itertools import pairwise

import pytest
from hypothesis import strategies as st

from adapters.markup.split import Piece, split
from tests.properties import for_all
from tests.unit.markdown import (
    ANSWERS,
    ANYTHING,
    CORPUS,
    code,
    is_balanced,
    is_made_of,
    languages,
)

LIMITS = [12_000, 2_000, 400]
WORD = re.compile(r"[A-Za-z0-9]")
SPACED = re.compile(r"\S\s+\S")

on_the_corpus = pytest.mark.parametrize("limit", LIMITS)
each_answer = pytest.mark.parametrize("name", CORPUS)


def stretches(answer: str, pieces: tuple[Piece, ...]) -> list[str]:
    ends = [0, *(piece.ends_at for piece in pieces)]
    return [answer[start:end] for start, end in pairwise(ends)]


def assert_whole(answer: str, limit: int) -> tuple[Piece, ...]:
    pieces = split(answer, limit)
    assert "".join(stretches(answer, pieces)) == answer
    assert all(len(piece.text) <= limit for piece in pieces)
    assert all(map(is_made_of, (piece.text for piece in pieces), stretches(answer, pieces)))
    return pieces


@for_all(ANYTHING, st.integers(100, 400))
def test_anything_arrives_whole_and_within_the_limit(answer: str, limit: int) -> None:
    assert_whole(answer, limit)


@for_all(ANSWERS, st.integers(170, 2_000))
def test_every_message_of_an_answer_closes_its_fences(answer: str, limit: int) -> None:
    pieces = assert_whole(answer, limit)

    assert all(is_balanced(piece.text) for piece in pieces)
    assert code(answer) == "".join(code(piece.text) for piece in pieces)


@for_all(ANSWERS, st.integers(170, 2_000))
def test_code_keeps_its_language_in_every_message(answer: str, limit: int) -> None:
    spoken = set().union(*(languages(piece.text) for piece in split(answer, limit)))

    assert spoken == languages(answer)


@on_the_corpus
@each_answer
def test_real_answers_arrive_whole(name: str, limit: int) -> None:
    pieces = assert_whole(CORPUS[name], limit)

    assert all(is_balanced(piece.text) for piece in pieces)


@on_the_corpus
@each_answer
def test_no_code_becomes_text_and_no_text_becomes_code(name: str, limit: int) -> None:
    pieces = split(CORPUS[name], limit)

    assert code(CORPUS[name]) == "".join(code(piece.text) for piece in pieces)


@on_the_corpus
@each_answer
def test_a_word_is_cut_only_when_nothing_else_can_be(name: str, limit: int) -> None:
    for before, after in pairwise(stretches(CORPUS[name], split(CORPUS[name], limit))):
        if WORD.match(before[-1]) and WORD.match(after[0]):
            assert not SPACED.search(before)


@on_the_corpus
@each_answer
def test_messages_are_reasonably_full(name: str, limit: int) -> None:
    pieces = split(CORPUS[name], limit)

    assert len(pieces) <= 2 + 2.5 * len(CORPUS[name]) / limit


@pytest.mark.parametrize("character", ["👩‍👩‍👧‍👦", "👍🏽", "🇩🇪", "❤️", "e\u0301\u0302", "\r\n"])
def test_a_character_is_not_torn_apart(character: str) -> None:
    text = character * 200

    found = stretches(text, split(text, 101))

    assert {part.replace(character, "") for part in found} == {""}


def test_what_cannot_be_cut_well_is_cut_all_the_same() -> None:
    marks = "e" + "\u0301" * 300

    assert len(assert_whole(marks, 100)) == 4


@pytest.mark.parametrize(
    "whole",
    [
        "[see the page about it](https://x.example/a_(b)?q=1)",
        "`a code span with words`",
        "**what is bold in a sentence**",
        "https://x.example/" + "a" * 40,
    ],
)
def test_what_belongs_together_stays_together(whole: str) -> None:
    answer = " ".join(["word"] * 10 + [whole] + ["word"] * 20)

    assert any(whole in piece.text for piece in split(answer, 100))


def test_a_link_that_is_too_long_is_cut_but_what_is_before_it_is_not() -> None:
    first, second, *_ = split("Some words, " + "https://x.example/" + "a" * 200, 100)

    assert first.text == "Some words, "
    assert len(second.text) == 100


def test_a_block_that_fits_in_one_message_is_not_cut() -> None:
    block = "```py\n" + "print(1)\n" * 15 + "```"

    pieces = split(f"{'word ' * 20}\n\n{block}\n\nThat is it.", 200)

    assert [block in piece.text for piece in pieces] == [False, True]


def test_a_block_stays_whole_even_if_the_message_before_it_is_short() -> None:
    block = "```py\n" + "print(1)\n" * 18 + "```"

    pieces = split(f"{'word ' * 12}\n\n{block}", 200)

    assert pieces[1].text == block


def test_a_message_does_not_begin_with_what_would_be_code_without_its_list() -> None:
    answer = "- item\n" * 12 + "- last\n     > a quotation in it\n" * 4

    for limit in range(100, 160):
        assert all(piece.text.startswith("- ") for piece in split(answer, limit))


def test_a_heading_stays_with_its_text() -> None:
    answer = "Word. " * 12 + "\n\n## Next\n\n" + "word " * 20

    first, second = split(answer, 120)

    assert second.text.startswith("## Next")
    assert "Next" not in first.text


def test_a_table_is_cut_between_its_rows_only_if_it_must() -> None:
    table = "| a | b |\n|---|---|\n" + "| one | two |\n" * 5

    pieces = split("Here is a line.\n" * 5 + f"\n{table}", 140)

    assert [piece.text for piece in pieces] == ["Here is a line.\n" * 5 + "\n", table]


def test_a_line_before_a_table_is_a_better_end_than_one_of_its_rows() -> None:
    text, table = "Here is a line.\n" * 6, "| a | b |\n" * 8

    assert [piece.text for piece in split(text + table, 120)] == [text, table]


def test_no_message_shows_an_empty_code_block() -> None:
    for limit in range(100, 200):
        for piece in split("word " * 15 + "\n```python\n" + "x = 1\n" * 30 + "```\n", limit):
            assert not re.search(r"```\w*\n```", piece.text)


@pytest.mark.parametrize("letters", range(70, 90))
def test_a_line_of_code_does_not_end_just_before_its_fence(letters: int) -> None:
    pieces = split("```py\n" + "x" * letters + "\n```\n" + "word " * 30, 100)

    assert is_balanced(pieces[0].text)
    assert not any(re.search(r"```\w*\n\s*```", piece.text) for piece in pieces)


def test_a_quoted_fence_is_closed_and_opened_in_the_quotation() -> None:
    answer = "> Quoted:\n>\n> ```py\n" + "> print(1)\n" * 20 + "> ```\n"

    first, second, *_ = split(answer, 160)

    assert first.text.endswith("\n> ```")
    assert second.text.startswith("> ```py\n> print(1)\n")


def test_a_line_of_quoted_code_that_is_cut_stays_quoted() -> None:
    first, second, *_ = split("> ```py\n> " + "x" * 300, 160)

    assert first.text.endswith("x\n> ```")
    assert second.text.startswith("> ```py\n> x")


def test_a_fence_ends_with_its_quotation() -> None:
    quoted = "> ```py\n> print(1)\n"

    assert [piece.text for piece in split(quoted + "x" * 110, 120)] == [quoted, "x" * 110]


def test_code_in_a_list_is_opened_again_where_it_stood() -> None:
    answer = "1. ```sh\n" + "   echo 1\n" * 30 + "   ```\n"

    assert split(answer, 200)[1].text.startswith("   ```sh\n   echo 1\n")


def test_code_that_was_never_closed_is_closed() -> None:
    assert split("```py\nprint(1", 100) == (Piece("```py\nprint(1\n```", 13),)


def test_cjk_text_is_cut_after_a_sentence_and_never_before_its_stop() -> None:
    answer = "今回は対象外でございます。" * 20

    assert all(piece.text.endswith("。") for piece in split(answer, 100))


def test_cjk_text_without_a_sentence_is_cut_between_its_characters() -> None:
    assert [len(piece.text) for piece in split("漢" * 150, 100)] == [100, 50]


def test_the_given_size_counts() -> None:
    pieces = split("漢字 " * 100, 100, lambda text: len(text.encode()))

    assert all(len(piece.text.encode()) <= 100 for piece in pieces)


def test_nothing_comes_to_nothing() -> None:
    assert split("", 100) == ()
