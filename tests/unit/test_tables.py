"""Tables as columns of text: readable, narrow enough, and nothing is lost."""

import re

import pytest
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from adapters.markup.tables import WIDEST, begins_table, drawn, read_table
from adapters.markup.widths import width, wrapped
from tests.properties import for_all

_CELLS = st.text(st.sampled_from("ab1漢🎉é.- "), max_size=60).map(str.strip)
_TABLES = st.integers(1, 8).flatmap(
    lambda columns: st.lists(
        st.lists(_CELLS, min_size=columns, max_size=columns), min_size=1, max_size=6
    )
)


def as_markdown(rows: list[list[str]]) -> list[str]:
    head, *rest = (f"| {' | '.join(row)} |" for row in rows)
    return [head, "|" + "---|" * len(rows[0]), *rest]


def draw(*lines: str) -> list[str]:
    return drawn(read_table(lines))


@for_all(_TABLES)
def test_no_line_is_too_wide_and_every_word_stands_in_its_column(rows: list[list[str]]) -> None:
    texts = drawn(read_table(as_markdown(rows)))
    starts = [0, *(found.end() for found in re.finditer("  ", texts[1]))]

    assert len(texts) == len(rows) + 1
    assert all(width(line) <= WIDEST for text in texts for line in text.split("\n"))
    for row, text in zip(rows, [texts[0], *texts[2:]], strict=True):
        assert columns(text, starts) == [cell.replace(" ", "") for cell in row]


def columns(text: str, starts: list[int]) -> list[str]:
    """What stands below each start, without spaces."""
    found = [""] * len(starts)
    for line in text.split("\n"):
        at = 0
        for letter in line:
            column = max(number for number, start in enumerate(starts) if start <= at)
            found[column] += letter.strip()
            at += width(letter)
    return found


@for_all(_TABLES)
def test_another_reader_finds_the_same_tables(rows: list[list[str]]) -> None:
    head, rule, *_ = as_markdown(rows)
    tokens = MarkdownIt().enable("table").parse(f"{head}\n{rule}")

    assert begins_table(head, rule) == any(token.type == "table_open" for token in tokens)


@pytest.mark.parametrize(
    ("head", "rule"),
    [
        ("| a | b |", "|---|"),
        ("| a |", "| - - |"),
        ("a", "---"),
        ("a | b", "no rule"),
        ("a | b", "---"),
        ("|" + "a|" * 13, "|" + "-|" * 13),
    ],
)
def test_what_is_no_table_is_none(head: str, rule: str) -> None:
    assert not begins_table(head, rule)


@pytest.mark.parametrize(
    ("head", "rule"), [("a | b", "-|-"), ("| a |", "|:-:|"), ("  |a|b|", "| ---: | :--- |")]
)
def test_a_table_needs_no_outer_bars(head: str, rule: str) -> None:
    assert begins_table(head, rule)


def test_columns_are_aligned_as_asked() -> None:
    assert draw("| left | middle | right |", "|:---|:---:|---:|", "| a | b | c |") == [
        "left  middle  right",
        "────  ──────  ─────",
        "a       b         c",
    ]


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("**bold** and *slanted* and ~~gone~~", "bold and slanted and gone"),
        ("***both*** __too__ _this_", "both too this"),
        ("snake_case_name, 2 * 3 * 4", "snake_case_name, 2 * 3 * 4"),
        ("`code **with** ticks`", "code **with** ticks"),
        ("`` a ` tick ``", "a ` tick"),
        ("[words](https://x.example/a_(b)?q=1)", "words (https://x.example/a_(b)?q=1)"),
        ("[https://x.example](https://x.example)", "https://x.example"),
        ("![chart](https://x.example/c.png 'title')", "chart (https://x.example/c.png)"),
        ("[nowhere]()", "nowhere"),
        ("one<br>two<BR/>three", "one two three"),
        (r"a \| b \* c", "a | b * c"),
        ("`a|b`", "a|b"),
        (r"`a\|b`", "a|b"),
        ("an `open tick", "an `open tick"),
        ("ends with \\", "ends with \\"),
    ],
)
def test_a_cell_is_shown_without_marks(cell: str, shown: str) -> None:
    assert draw("| x |", "|---|", f"| {cell} |")[2] == shown


def test_a_row_may_have_too_few_cells_or_too_many() -> None:
    texts = draw("| a | b |", "|---|---|", "| 1 |", "| 1 | 2 | 3 |", "|")

    assert texts[2:] == ["1", "1   2 | 3", ""]


def test_long_cells_go_on_in_the_next_line() -> None:
    long = "many words " * 20
    text = draw("| number | text |", "|---|---|", f"| 1 | {long} |")[2]
    first, second, *_ = text.split("\n")

    assert first.startswith("1       many words")
    assert second.startswith(" " * 8 + "words many")


@for_all(st.text(st.sampled_from("ab漢🎉\u0301 "), max_size=80), st.integers(2, 20))
def test_wrapped_text_keeps_its_letters_and_its_room(text: str, room: int) -> None:
    lines = wrapped(text, room)

    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(width(line) <= room for line in lines)


@pytest.mark.parametrize(
    ("text", "columns"),
    [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("👍", 2), ("👩‍👩‍👧", 2), ("❤️", 2), ("\u200b", 0)],
)
def test_a_letter_takes_the_room_that_it_takes(text: str, columns: int) -> None:
    assert width(text) == columns
