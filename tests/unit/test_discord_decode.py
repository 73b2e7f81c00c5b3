"""What stands in a Discord message's text, as a person reads it."""

import pytest

from adapters.discord.decode import Names, decode, in_lines, without_mention

NAMES = Names(people={"11": "Ann"}, roles={"70": "helpers"}, channels={"510": "general"})


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Ask <@11> or <@!11>", "Ask @Ann or @Ann"),
        ("Ask <@99>", "Ask @somebody"),
        ("<@&70> and <@&71>", "@helpers and @a-role"),
        ("in <#510>, not in <#511>", "in #general, not in #a-channel"),
        ("nice <:wave:123> <a:dance:456>", "nice :wave: :dance:"),
        ("at <t:1764547200:R>", "at 2025-12-01 00:00 UTC"),
        ("at <t:99999999999>", "at 5138-11-16 09:46 UTC"),
        ("at <t:-99999999999>", "at <t:-99999999999>"),
        ("type </nimbus forget:123>", "type /nimbus forget"),
        ("see <https://example.com/a?b=c>", "see https://example.com/a?b=c"),
        ("see https://example.com", "see https://example.com"),
        ("a < b > c, <unknown>", "a < b > c, <unknown>"),
    ],
)
def test_tokens_are_read_as_people_read_them(written: str, read: str) -> None:
    assert decode(written, NAMES) == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("<@900> hello", "hello"),
        ("<@!900>, hello", "hello"),
        ("hello <@900>!", "hello !"),
        ("hello <@900> there", "hello there"),
        ("<@&901> hello", "hello"),
        ("<@900>", ""),
        ("<@9001> and <@900>: stop", "<@9001> and stop"),
        ("<@900>\n    return  1", "    return  1"),
        ("<@900> see\n```\nif x:\n    y\n```", "see\n```\nif x:\n    y\n```"),
    ],
)
def test_only_our_own_mention_is_cut(written: str, read: str) -> None:
    assert without_mention(written, "900", "901") == read
    assert decode(without_mention(written, "900", "901"), Names({"9001": "9001"})) == (
        read.replace("<@9001>", "@9001")
    )


def test_without_a_role_of_our_own_no_role_is_cut() -> None:
    assert without_mention("<@900> <@&901>", "900", "") == "<@&901>"


def test_our_own_words_are_shown_as_they_are_and_columns_as_a_list() -> None:
    text = "I use: a_b, c*d.\n\n  forget   wipe all\nLeft today   no limit"

    assert (
        in_lines(text)
        == "I use: a\\_b, c\\*d.\n\n- **forget**: wipe all\n- **Left today**: no limit"
    )
    assert len(in_lines("a_b " * 1_000)) == 2_000
