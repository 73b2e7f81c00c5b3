"""What a thread is called."""

import pytest

from adapters.discord.titles import LONGEST, title

US, ANN = "42", {"id": "7", "username": "ann", "global_name": "Ann"}


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("<@42> Can I refund order 1042?", "Can I refund order 1042?"),
        ("Hello <@!42>, what is it?", "Hello what is it?"),
        ("<@42> ask <@7> and <@8> in <#5>", "ask @Ann and @somebody in #a-channel"),
        ("<@&9> <@42> hi", "hi"),
        ("<@42>\n\n**Second** line\nthird", "Second line"),
        ("# A `title` with [a link](https://x.example)", "A title with a link"),
        ("- item", "item"),
        ("<@42> :thumbsup: <:wave:1234>", ":thumbsup: :wave:"),
        ("<@42>", ""),
        ("<@42> ?!", ""),
        ("", ""),
        ("漢字で聞く", "漢字で聞く"),
    ],
)
def test_it_is_what_the_question_begins_with(content: str, name: str) -> None:
    assert title({"content": content, "mentions": [ANN]}, US) == name


@pytest.mark.parametrize(
    ("content", "name"),
    [("word " * 40, "word " * 15 + "word…"), ("x" * 300, "x" * 79 + "…")],
)
def test_a_long_one_is_cut(content: str, name: str) -> None:
    assert title({"content": content}, US) == name
    assert len(name) <= LONGEST
