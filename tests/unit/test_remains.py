"""What is left of somebody's words in those of others."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import strategies as st

from memory.messages import Image, Message, Text, ToolCall, ToolResult, assistant, tool, user
from memory.remains import REMOVED, Gathering, removed_from_message
from tests.properties import for_all

SAID = "The blue door opens at midnight"
WORDS = st.sampled_from(
    [*SAID.split(), "the", "door,", "order", "1042", "T-0007", *"门在午夜打开", "Ünder", REMOVED]
)
TEXTS = st.lists(st.tuples(WORDS, st.sampled_from([" ", " – ", "\n", ", "])), max_size=25).map(
    lambda pairs: "".join(word + gap for word, gap in pairs)
)


def left_of(said: str, text: str, *, name: str = "", answered: str = "") -> str:
    """The text without what remains in it of what was said."""
    gathering = Gathering()
    gathering.say(user(said))
    gathering.answer(assistant(answered))
    gathering.call(name)
    return gathering.remains.removed_from(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("He says the blue door opens at noon.", "He says [removed] noon."),
        ("THE BLUE, door – opens (at) midnight!", "[removed]!"),
        ("The blue door opens", "The blue door opens"),  # four words are anybody's
        ("the blue door opens up at midnight", "the blue door opens up at midnight"),
        ("the blue door opens at the blue door opens at", "[removed]"),
    ],
)
def test_a_run_of_five_words_goes_however_it_is_written(text: str, left: str) -> None:
    assert left_of(SAID, text) == left


@pytest.mark.parametrize(
    ("said", "text", "left"),
    [
        ("my order is 1042", "Order #1042, or 10422?", "Order #[removed], or 10422?"),
        ("ticket T-0007", "your t-0007 and 0007", "your [removed] and [removed]"),
        ("write to ann7@mail.example", "to ANN7@mail.example!", "to [removed]!"),
        ("on 2026-11-30", "30 days, 2026-11-30", "30 days, [removed]"),
        ("in 7 days", "7 days", "[removed] days"),
        ("订单1042号", "关于订单 1042", "关于订单 [removed]"),
        ("１０４２", "1042", "[removed]"),
        ("no number", "no 1042", "no 1042"),
    ],
)
def test_every_identifier_goes(said: str, text: str, left: str) -> None:
    assert left_of(said, text) == left


@pytest.mark.parametrize(
    ("name", "text", "left"),
    [
        ("Bob", "Ask BOB, not Bobby.", "Ask [removed], not Bobby."),
        (
            "Bob Stone",
            "bob stone, or Stone, and a stone",
            "[removed], or [removed], and a stone",
        ),
        ("王小明", "王小明说了", "[removed]说了"),
        ("王", "王说", "[removed]说"),
        ("I", "I think", "I think"),
        ("", "nobody", "nobody"),
        ("--", "a -- b", "a -- b"),
        ("Jose\u0301", "José said", "[removed] said"),
        ("B\u200bob", "Bob said", "[removed] said"),
    ],
)
def test_the_name_goes(name: str, text: str, left: str) -> None:
    assert left_of("", text, name=name) == left


def test_in_chinese_each_letter_is_a_word() -> None:
    assert left_of("蓝色的门在午夜打开", "他说：蓝色的，门在！然后") == "他说：[removed]！然后"


def test_what_they_were_told_counts_but_its_small_numbers_do_not() -> None:
    told = "Order 1042 was paid 3 days ago"

    assert left_of("", "1042, and 3 of mine", answered=told) == "[removed], and 3 of mine"


def test_of_an_image_nothing_is_looked_for() -> None:
    gathering = Gathering()
    gathering.say(Message("user", (Image("F1", "image/png"),)))

    assert gathering.remains.removed_from("F1") == "F1"


def test_how_a_platform_writes_them_goes() -> None:
    gathering = Gathering()
    gathering.identify("U01BOB")
    gathering.identify("bob")

    assert gathering.remains.removed_from("<@U01BOB> and bob") == "<@[removed]> and bob"


def test_json_stays_json_and_its_frame_is_nobodys() -> None:
    told = {"order": 1042, "paid": True, "note": SAID, "rows": [{"total": 1.5, "left": None}]}
    gathering = Gathering()
    gathering.answer(tool(ToolResult("c", "look", json.dumps(told))))
    gathering.answer(assistant("", ToolCall("c", "look", '{"order": 1042}')))
    other = {**told, "order": 1043, "rows": [{"total": 2.5, "left": None}], SAID: 1042}
    message = tool(ToolResult("d", "look", json.dumps(other)))

    [result] = removed_from_message(message, gathering.remains).results
    assert json.loads(result.text) == {
        "order": 1043,
        "paid": True,
        "note": REMOVED,
        "rows": [{"total": 2.5, "left": None}],
        REMOVED: REMOVED,
    }


def test_what_is_no_json_is_cleaned_as_text() -> None:
    gathering = Gathering()
    gathering.say(tool(ToolResult("c", "look", SAID)))
    message = assistant("", ToolCall("d", "look", f"{{{SAID}"))

    [call] = removed_from_message(message, gathering.remains).calls
    assert call.arguments == "{[removed]"


def test_a_providers_rendering_that_repeats_it_goes_and_every_other_stays() -> None:
    gathering = Gathering()
    gathering.say(user(SAID))
    thought = Message("assistant", (Text("Yes."),), {"gemini": {"thought": [SAID], "index": 1}})
    clean = Message("user", (Text("Yes."), Image("F1", "image/png")), {"gemini": {"index": 1}})

    assert removed_from_message(thought, gathering.remains) == assistant("Yes.")
    assert removed_from_message(clean, gathering.remains) is clean


@for_all(TEXTS, TEXTS, st.sampled_from(["", "Bob", "opens At", "夜打"]))
def test_nothing_is_left_the_second_time(said: str, text: str, name: str) -> None:
    left = left_of(said, text, name=name)

    assert left_of(said, left, name=name) == left
    assert "1042" not in left or "1042" not in said


@for_all(TEXTS, TEXTS)
def test_what_is_left_stands_as_it_stood(said: str, text: str) -> None:
    kept_to = 0
    for piece in left_of(said, text).split(REMOVED):
        kept_to = text.index(piece, kept_to) + len(piece)


@for_all(TEXTS)
def test_what_has_nothing_of_it_stays_byte_for_byte(text: str) -> None:
    assert left_of("something else that is long enough", text) == text


@for_all(TEXTS)
def test_how_letters_are_encoded_makes_no_difference(said: str) -> None:
    composed = unicodedata.normalize("NFC", said)

    assert left_of(unicodedata.normalize("NFD", said), composed) == left_of(composed, composed)
