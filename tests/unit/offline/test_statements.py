"""What is noted of what people say of themselves; the texts were written by somebody who had not
seen the code, and stay as they are."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adapters.offline.statements import stated
from memory.knowledge import Note, Told, displaced

TEXTS: dict[str, list[dict[str, Any]]] = tomllib.loads(
    (Path(__file__).parents[2] / "conversation" / "remembered.toml").read_text("utf-8")
)


def noted(*texts: str) -> Sequence[Note]:
    """What is known after somebody has said these, one after the other."""
    notes: list[Note] = []
    for at, text in enumerate(texts):
        for said in stated(text):
            told = Told.of(f"{at}{said.text}", said.topic, said.text, said.subject)
            gone = displaced(notes, told, at) or []
            note = Note(told.id, at, "direct", said.topic, told.subject, told.text, at, 0, 0)
            notes = [*(each for each in notes if each not in gone), note]
    return notes


@pytest.mark.parametrize("case", TEXTS["utterance"], ids=lambda case: case["text"])
def test_what_is_said_of_oneself_is_noted_and_nothing_else(case: dict[str, Any]) -> None:
    notes = noted(case["text"])

    if case.get("nothing"):
        assert notes == []
    else:
        assert {note.topic for note in notes} == {case["topic"]}
        assert any(case["contains"] in note.text for note in notes)


@pytest.mark.parametrize("case", TEXTS["correction"], ids=lambda case: case["then"])
def test_what_has_changed_takes_the_place_of_what_was(case: dict[str, Any]) -> None:
    notes = noted(case["first"], case["then"])

    assert [case["contains"] in note.text for note in notes] == [True]
    assert case["gone"] not in notes[0].text


@pytest.mark.parametrize(
    "text",
    [
        "I'm waiting for the parcel since Monday",
        "I want my money back",
        "call me when it's done",
        "Call me tomorrow",
        "I'm in a hurry",
        "I love the headphones!",
        "I prefer the second one",
        "I have an order that was due on Monday",
        "I will wait until tomorrow",
        "I'm the customer of this shop",
        "I'm German",
    ],
)
def test_what_is_said_of_an_order_or_of_the_moment_is_no_note(text: str) -> None:
    assert noted(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my name is robin", "robin"),
        ("I'm Robin", "Robin"),
        ("I live near Munich with my wife", "lives near Munich"),
        ("I hate mushrooms", "hates mushrooms"),
        ("Tomorrow I have an exam", "has an exam Tomorrow"),
        ("Next month we're getting a cat", "is getting a cat Next month"),
    ],
)
def test_what_is_noted_says_what_was_said(text: str, expected: str) -> None:
    assert [note.text for note in noted(text)] == [expected]
