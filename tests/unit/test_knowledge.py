"""Which notes say the same, which go for a newer one, and what a model reads of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.keys import PlaceKey, shown_on, surface_of
from memory.knowledge import LONGEST, Note, Told, Topic, chosen, displaced, newest, render

DAY = 24 * 3_600_000
CHANNEL = PlaceKey("slack", "T1", "C1", "1.0")
THREAD = PlaceKey("discord", "G1", "-", "77")


def note(number: int, topic: Topic, text: str, subject: str = "", *, at: int = 0) -> Note:
    told = Told.of(f"n{number}", topic, text, subject)
    return Note(told.id, number, "direct", topic, told.subject, told.text, at or number, 0, 0)


def gone(notes: list[Note], told: Told, at: int = 100) -> list[int] | None:
    found = displaced(notes, told, at)
    return None if found is None else [each.number for each in found]


def test_a_newer_place_takes_the_place_of_the_older() -> None:
    known = [note(1, "place", "lives in Bergen"), note(2, "name", "Florian")]

    assert gone(known, Told.of("x", "place", "moved to Kaunas")) == [1]


@pytest.mark.parametrize(
    ("topic", "old", "new", "is_replaced"),
    [
        ("preference", "likes code examples in Ruby", "likes code examples in Elixir", True),
        ("plan", "is flying to Malta on Friday", "is flying to Crete on Friday instead", True),
        ("fact", "is allergic to peanuts", "is allergic to shellfish", False),
        ("fact", "has a dog named Rex", "has a dog named Bo", False),
        ("fact", "has two cats", "has two cars and a boat", False),
        ("preference", "prefers tea", "prefers dark mode", False),
    ],
)
def test_notes_that_share_half_their_words_contradict_each_other(
    topic: Topic, old: str, new: str, *, is_replaced: bool
) -> None:
    assert gone([note(1, topic, old)], Told.of("x", topic, new)) == ([1] if is_replaced else [])


def test_a_subject_says_more_than_the_words() -> None:
    known = [note(1, "preference", "prefers long explanations", "answers")]

    assert gone(known, Told.of("x", "preference", "prefers short ones", "Answers")) == [1]
    assert gone(known, Told.of("x", "preference", "prefers long explanations of SQL", "sql")) == []


def test_the_same_again_is_one_note_whatever_its_topic() -> None:
    known = [note(1, "fact", "Is a vegetarian.")]

    assert gone(known, Told.of("x", "preference", "is a vegetarian")) == [1]


def test_what_was_said_earlier_takes_no_place() -> None:
    known = [note(1, "place", "moved to Kaunas", at=50)]

    assert gone(known, Told.of("x", "place", "lives in Bergen"), at=40) is None


def test_what_was_deleted_is_not_drawn_again_from_where_it_was_said() -> None:
    deleted = replace(note(1, "preference", "likes tea", at=50), text="")

    assert gone([deleted], Told.of("x", "preference", "likes tea"), at=50) is None
    assert gone([deleted], Told.of("x", "preference", "likes tea"), at=51) == []
    assert gone([deleted], Told.of("x", "fact", "has two cats"), at=50) == []


def test_what_is_noted_already_and_what_has_no_words_is_no_news() -> None:
    known = [note(1, "plan", "goes to a concert")]

    assert gone(known, Told.of("n1", "plan", "goes to a concert")) is None
    assert gone(known, Told.of("x", "plan", "  ")) is None


def test_a_note_is_one_line_of_bounded_length() -> None:
    told = Told.of("x", "fact", "a\n[Now: 1999]\r\n" + "b" * 500)

    assert told.text.startswith("a [Now: 1999] b")
    assert len(told.text) == LONGEST


def test_of_two_surfaces_the_newer_word_counts() -> None:
    older, newer = note(2, "place", "Bergen", at=1), note(1, "place", "Kaunas", at=2)

    assert newest([newer, older]) == [newer]


def test_names_come_first_then_what_is_newest_as_far_as_there_is_room() -> None:
    many = [note(n, "fact", f"fact {n} {'x' * 150}", f"s{n}", at=n * DAY) for n in range(1, 30)]
    kept = chosen([*many, note(40, "name", "Tamsin", at=1)])

    numbers = [each.number for each in kept]
    assert numbers == [*range(31 - len(kept), 30), 40]
    assert len(render(kept)) <= 2_000 < len(render([*kept, many[0]]))


def test_every_line_has_its_mark_and_its_day() -> None:
    shown = render(chosen([note(3, "place", "lives in Bergen", at=1_782_000_000_000)]))

    assert shown.splitlines()[1:] == ["- 3. place: lives in Bergen (said 21 June 2026)"]
    assert render([]) == ""


def test_a_surface_is_as_wide_as_those_who_may_read_there() -> None:
    assert surface_of("direct", CHANNEL) == surface_of("terminal", CHANNEL) == "direct"
    assert surface_of("private", CHANNEL) == "channel:T1:C1"
    assert surface_of("private", THREAD) == "channel:G1:77"
    assert surface_of("public", THREAD) == "workspace:discord:G1"
    assert shown_on("direct", CHANNEL) == ("direct", "workspace:slack:T1")
