"""A Slack text as a person reads it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adapters.chat.mention import trim
from adapters.slack.decode import channels_in, decode, escape, in_lines, people_in, with_names


@given(st.text())
def test_what_a_person_typed_comes_back_as_typed(typed: str) -> None:
    assert decode(escape(typed), "U0NIMBUS") == trim(typed)


def test_only_our_own_mention_is_cut() -> None:
    assert decode("<@U1>, ask <@U2>", "U1") == "ask <@U2>"
    assert decode("please <@U1>, help", "U1") == "please help"
    assert decode("a  b", "U1") == "a  b"
    assert decode("a\n<@U1|nimbus>: b", "U1") == "a\nb"


def test_code_keeps_its_indentation_beside_our_mention() -> None:
    code = "```\ndef f():\n    return  1\n```"

    assert decode(f"<@U1> what is this?\n{code}", "U1") == f"what is this?\n{code}"
    assert decode("<@U1>\n    return  1", "U1") == "    return  1"


def test_people_and_channels_get_their_names() -> None:
    text = "<@U1> and <@U2> in <#C1> or <#C2>, <@U1>"

    assert people_in(text) == ["U1", "U2"]
    assert channels_in(text) == ["C1", "C2"]
    assert with_names(text, {"U1": "Ann"}, {"C1": "help"}) == (
        "@Ann and @somebody in #help or #a-channel, @Ann"
    )


def test_columns_become_a_list() -> None:
    text = "Some & more:\n\n  forget   wipe it\nLeft today   5, until  midnight\nNo column."

    assert in_lines(text) == (
        "Some &amp; more:\n\n• *forget*: wipe it\n• *Left today*: 5, until  midnight\nNo column."
    )
