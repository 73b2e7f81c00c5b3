"""The bot's mention goes out of a text, and nothing else does."""

import pytest
from hypothesis import strategies as st

from adapters.chat.mention import trim, without
from tests.properties import for_all

CODE = "def f():\n    if x:\n        return  1"
LINES = st.text(st.sampled_from("ab ,:\t\n`@"), max_size=40)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("<@1> hello", "hello"),
        (" <@1>, hello", "hello"),
        ("please <@1>, help", "please help"),
        ("hello  <@1>\N{NO-BREAK SPACE} there", "hello there"),
        ("<@1> <@1> hello <@1> <@1> there", "hello there"),
        ("hello <@1>", "hello"),
        ("one <@1>\n<@1> two", "one\ntwo"),
        ("one\n<@1>\n  two", "one\n\n  two"),
        (f"<@1> look:\n```\n{CODE}\n```", f"look:\n```\n{CODE}\n```"),
        (f"```\n{CODE}\n```\n<@1>", f"```\n{CODE}\n```\n"),
        ("<@1>\n    return  1", "\n    return  1"),
        ("a  b", "a  b"),
    ],
)
def test_a_mention_goes_with_its_own_blanks(written: str, read: str) -> None:
    assert without("<@1>", written) == read


@for_all(LINES, LINES)
def test_every_other_line_stays(before: str, after: str) -> None:
    above, _, left = before.rpartition("\n")
    right, _, below = after.partition("\n")
    *lines, line = without("<@1>", f"{before}<@1>{after}").split("\n")[: before.count("\n") + 1]

    assert "\n".join(lines) == above
    assert without("<@1>", f"{before}<@1>{after}").split("\n")[len(lines) + 1 :] == (
        below.split("\n") if "\n" in after else []
    )
    rest = right[1:] if right[:1] in {",", ":"} else right
    assert line.split() == [*left.split(), *rest.split()]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("\n \n    a\n  b \n\n", "    a\n  b"),
        ("  a", "  a"),
        (" \n ", ""),
        ("", ""),
    ],
)
def test_empty_lines_around_a_text_go_and_its_indentation_stays(written: str, read: str) -> None:
    assert trim(written) == read
