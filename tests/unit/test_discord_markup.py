"""What Discord is given of an answer: its own Markdown, in bounded messages that call nobody."""

import re
from itertools import pairwise

import pytest
from hypothesis import strategies as st

from adapters.markup import discord
from adapters.markup.split import Piece, code_units
from tests.properties import for_all
from tests.unit.markdown import ANSWERS, ANYTHING, CORPUS, code, is_balanced

PINGS = ["<@123>", "<@!123>", "<@&123>", "@everyone", "@here", "@Here"]
ADDED = re.compile("[\u200b`]")

each_answer = pytest.mark.parametrize("name", CORPUS)


def translation(answer: str) -> str:
    """Of an answer that is short enough."""
    return "".join(piece.text for piece in discord.pieces(answer))


def assert_ends(answer: str, pieces: list[Piece]) -> None:
    ends = [piece.ends_at for piece in pieces]
    assert all(before <= after for before, after in pairwise([0, *ends]))
    assert ends[-1:] == ([len(answer)] if answer.strip() else [])
    assert all(code_units(piece.text) <= discord.LIMIT for piece in pieces)
    assert all(piece.text.strip() for piece in pieces)


@for_all(ANYTHING)
def test_anything_fits_and_ends_where_the_answer_ends(answer: str) -> None:
    assert_ends(answer, discord.pieces(answer))


@for_all(ANSWERS)
def test_every_message_closes_its_fences(answer: str) -> None:
    pieces = discord.pieces(answer * 3)

    assert_ends(answer * 3, pieces)
    assert all(is_balanced(piece.text) for piece in pieces)


@each_answer
def test_real_answers_fit_and_close_their_fences(name: str) -> None:
    pieces = discord.pieces(CORPUS[name])

    assert_ends(CORPUS[name], pieces)
    assert all(is_balanced(piece.text) for piece in pieces)
    assert len(pieces) <= 2 + 2.5 * len(CORPUS[name]) / discord.LIMIT


@each_answer
def test_code_stays_code(name: str) -> None:
    shown = "".join(code(piece.text) for piece in discord.pieces(CORPUS[name]))

    if "\n|" not in CORPUS[name]:
        assert ADDED.sub("", shown) == ADDED.sub("", code(CORPUS[name]))


@each_answer
def test_no_word_is_lost(name: str) -> None:
    words = re.findall(r"\w+", CORPUS[name])
    shown = "".join(piece.text for piece in discord.pieces(CORPUS[name]))

    assert not set(words) - set(re.findall(r"\w+", ADDED.sub("", shown)))


def test_a_part_ends_at_the_line_of_the_table_with_which_it_ends() -> None:
    first, second = discord.pieces(CORPUS["tables"])

    assert CORPUS["tables"][first.ends_at :].startswith("| 1060 | USB-C cable")
    assert second.text.startswith("```\n 1060  USB-C cable")


def test_what_is_told_as_it_was_said_ends_exactly() -> None:
    answer = "one two three " * 300

    for piece in (pieces := discord.pieces(answer)):
        assert answer[: piece.ends_at].endswith(piece.text)
    assert len(pieces) == 3


@pytest.mark.parametrize("ping", PINGS)
def test_nobody_is_called(ping: str) -> None:
    for text in (f"Hello {ping}.", f"`{ping}`", f"```\n{ping}\n```", f"| {ping} |\n|---|\n| a |"):
        shown = translation(text)

        assert ping not in shown
        assert ping in shown.replace("\u200b", "")


@for_all(st.lists(st.one_of(st.sampled_from(PINGS), st.text("<@!&1 ", max_size=4))).map("".join))
def test_nobody_is_called_by_what_stands_beside(text: str) -> None:
    assert not re.search(r"<@[!&]?\d|(?<![\w.])@(everyone|here)", discord.harmless(text))


@pytest.mark.parametrize("text", ["<#123>", "someone@here.example", "a < b @ c", "<t:17>"])
def test_what_calls_nobody_stays_as_it_is(text: str) -> None:
    assert translation(text) == text


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("~~~py\nx\n~~~", "```py\nx\n```"),
        ("````md\n```py\nx\n```\n````\n", "```md\n`\u200b``py\nx\n`\u200b``\n```\n"),
        ("``` py title='a b'\nx\n```", "```\nx\n```"),
        ("```c++\nx\n```", "```c++\nx\n```"),
        ("> ~~~\n> x\n> ~~~\n", "> ```\n> x\n> ```\n"),
        ("1. ~~~sh\n   ls\n   ~~~", "1. ```sh\n   ls\n   ```"),
        ("#### Deep", "### Deep"),
        ("> ###### Deeper", "> ### Deeper"),
        ("#hashtag and ##### none", "#hashtag and ##### none"),
        (">>> all of it", "> >> all of it"),
        ("a || b || c", "a |\u200b| b |\u200b| c"),
        ("`a || b`", "`a || b`"),
        ("![chart](https://x.example/c.png)", "[chart](https://x.example/c.png)"),
        ("What![1] is !(that)", "What![1] is !(that)"),
        ("Some ```three ticks``` here", "Some `three ticks` here"),
        ("Some ```a ` tick``` here", "Some `\u200b``a ` tick`\u200b`` here"),
        ("An open ``` fence", "An open `\u200b`` fence"),
        ("``two ticks``", "``two ticks``"),
    ],
)
def test_it_speaks_discords_own_markdown(said: str, shown: str) -> None:
    assert translation(said) == shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("| a | b |\n|---|---|\n| 1 | 2 |", "```\na   b\n──  ──\n1   2\n```"),
        ("So:\na | b\n-|-\n1 | 2\nThat.", "So:\n```\na   b\n──  ──\n1   2\n```\nThat."),
        ("> | a |\n> |---|\n> | 1 |\n", "> ```\n> a\n> ──\n> 1\n> ```\n"),
        ("| a |\n|---|", "```\na\n──\n```"),
        ("| a |\n|---|\n| ``` |", "```\na\n───\n`\u200b``\n```"),
        ("| a | b |\n| no rule | |", "| a | b |\n| no rule | |"),
        ("| a |", "| a |"),
        ("```\n| a |\n|---|\n```", "```\n| a |\n|---|\n```"),
        ("# | a |\n|---|", "# | a |\n|---|"),
        (f"| {'a' * 1000} |\n|---|", f"| {'a' * 1000} |\n|---|"),
    ],
)
def test_a_table_becomes_code(said: str, shown: str) -> None:
    assert translation(said) == shown


@pytest.mark.parametrize("text", ["@here ", "🎉", "<@1>\n", "漢字。"])
def test_the_limit_is_kept_however_it_is_counted(text: str) -> None:
    assert all(code_units(piece.text) <= 1_900 for piece in discord.pieces(text * 2_000))


def test_a_blank_answer_is_no_message() -> None:
    assert discord.pieces(" \n") == []
    assert discord.pieces("") == []
