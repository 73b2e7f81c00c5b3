"""What Slack is given of an answer: bounded messages that call nobody."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.markup import slack
from tests.properties import for_all
from tests.unit.markdown import ANSWERS, CORPUS, code, is_balanced, is_made_of

PINGS = ["<!channel>", "<!here|here>", "<!EVERYONE>", "<@U012AB3CD>", "<@W0A|kim>", "<@B0A>"]
PINGS += ["<!subteam^S01|@team>", "@everyone", "@here", "@Channel"]
SENT_PING = re.compile(r"<[@!](?!DOCTYPE|--|\u200b)|(?<!\w)@(everyone|here|channel)", re.IGNORECASE)

_with_pings = st.lists(st.one_of(st.sampled_from(PINGS), st.text("<@!U^ ", max_size=4)))


@pytest.mark.parametrize("ping", PINGS)
def test_nobody_is_called(ping: str) -> None:
    assert slack.harmless(f"Hello {ping}.") != f"Hello {ping}."
    assert slack.harmless(f"Hello {ping}.").replace("\u200b", "") == f"Hello {ping}."


@for_all(_with_pings.map("".join))
def test_nobody_is_called_by_what_stands_beside(text: str) -> None:
    assert not re.search(r"<@[UWB]\w|<!(channel|here|everyone|subteam)", slack.harmless(text))


@pytest.mark.parametrize(
    "text",
    [
        "<!DOCTYPE html>",
        "<!-- here -->",
        "someone@here.example",
        "a < b @ c",
        "<#C012AB3CD|general>",
        "<https://x.example|here>",
    ],
)
def test_what_calls_nobody_stays_as_it_is(text: str) -> None:
    assert slack.harmless(text) == text


def test_an_answer_full_of_pings_calls_nobody() -> None:
    (piece,) = slack.pieces(CORPUS["pings"])

    assert not SENT_PING.search(piece.text)


@for_all(ANSWERS)
def test_a_short_answer_is_one_message(answer: str) -> None:
    assert [piece.ends_at for piece in slack.pieces(answer)] == [len(answer)]


def assert_whole(answer: str) -> None:
    """Joined the messages are the answer, none is too long, and each closes its fences."""
    pieces = slack.pieces(answer)
    ends = [0, *(piece.ends_at for piece in pieces)]
    told = [piece.text.replace("\u200b", "") for piece in pieces]
    assert len(pieces) > 1
    assert ends[-1] == len(answer)
    for text, (start, end) in zip(told, pairwise(ends), strict=True):
        assert is_made_of(text, answer[start:end])
    for piece in pieces:
        assert len(piece.text.encode("utf-16-le")) <= 2 * slack.LIMIT
        assert is_balanced(piece.text)
    assert code(answer) == "".join(code(text) for text in told)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(CORPUS) - {"cut_off_code"}))
def test_a_long_answer_arrives_whole(name: str) -> None:
    assert_whole((CORPUS[name] + "\n\n") * (1 + 30_000 // len(CORPUS[name])))


@pytest.mark.slow
@settings(max_examples=30, database=None)
@given(ANSWERS)
def test_any_long_answer_arrives_whole(answer: str) -> None:
    assert_whole((answer + "\n\n") * (1 + 15_000 // len(answer)))


@pytest.mark.parametrize("text", ["@here ", "🎉", "<@U1>\n", "漢字。"])
def test_the_limit_is_kept_however_it_is_counted(text: str) -> None:
    pieces = slack.pieces(text * 7_000)

    assert len(pieces) > 1
    assert all(len(piece.text.encode("utf-16-le")) <= 2 * slack.LIMIT for piece in pieces)


def test_thirty_kilobytes_of_code_are_three_messages() -> None:
    pieces = slack.pieces(CORPUS["code_30kb"])

    assert [piece.text.count("```") for piece in pieces] == [2, 2, 2]
    assert all(piece.text.startswith("```python\n") for piece in pieces[1:])


def test_no_message_is_blank() -> None:
    pieces = slack.pieces("One." + "\n" * 30_000 + "Two." + "\n" * 30_000)

    assert [piece.text.strip() for piece in pieces] == ["One.", "Two."]
    assert pieces[-1].ends_at == 60_008


def test_a_blank_answer_is_no_message() -> None:
    assert slack.pieces(" \n") == []
