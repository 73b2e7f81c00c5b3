"""By which terms a text is found again, which text a question means, what is shown of it."""

import pytest
from hypothesis import strategies as st

from memory.excerpts import Recalled, distinct, excerpt, is_recalled, render
from memory.messages import ToolCall, ToolResult, assistant, tool, user
from memory.ranking import MOST_POSTINGS, Posting, rank
from memory.terms import count_terms, find_terms, is_identifier
from memory.window import StoredTurn
from tests.properties import for_all


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The invoices for Ana's bicycles", {"invoic", "ana", "bicycl"}),
        ("Was kostet die Lieferung der Schlüssel?", {"kostet", "liefer", "schlus"}),
        ("¿Cuándo es la reunión de María?", {"reunio", "mari"}),
        ("order AB-1234 at 14:05", {"order", "ab-1234", "ab", "1234", "14:05"}),
        ("2 of 3", set()),
        ("茶博会", {"茶博", "博会"}),
        ("茶", {"茶"}),
        ("案内してくれる", {"案内", "内し"}),
        ("さくら", {"さく", "くら"}),
        ("ярмарка мёда", {"ярмарк", "мед"}),
        ("O'Neil's plan", {"neil", "plan"}),
    ],
)
def test_words_lose_their_endings_and_identifiers_stay_whole(text: str, terms: set[str]) -> None:
    assert set(count_terms(text)) == terms


@for_all(st.text())
def test_every_term_stands_where_it_was_found(text: str) -> None:
    found = list(find_terms(text))

    assert all(0 <= each.start < each.end <= len(text) and each.term for each in found)


def test_what_has_a_digit_is_an_identifier() -> None:
    assert is_identifier("ab-1234")
    assert not is_identifier("order")


def test_what_few_texts_have_ranks_first() -> None:
    common = [Posting("order", number, 1) for number in range(1, 11)]

    ranked = rank(["order", "ab-1234"], [*common, Posting("ab-1234", 4, 1)], 10)

    assert ranked[0].text == 4
    assert ranked[0].share == 1
    assert ranked[1].text == 10  # of equals the newest


def test_a_term_that_nearly_all_have_tells_little() -> None:
    everywhere = [Posting("order", number, 1) for number in range(MOST_POSTINGS)]

    [best, *_] = rank(["order", "lamp"], [*everywhere, Posting("lamp", 3, 1)], 10_000)

    assert best.text == 3
    assert rank(["order"], everywhere, MOST_POSTINGS)[0].score < 0.1


def test_nothing_is_found_where_nothing_is_wanted() -> None:
    assert rank([], [], 0) == []


def test_an_excerpt_is_where_the_terms_stand_together() -> None:
    text = "lamp " + "x " * 300 + "the serial of the lamp is AB-1234, green " + "y " * 300

    cut = excerpt(text, {"serial", "lamp", "ab-1234"}, 80)

    assert "serial of the lamp is AB-1234" in cut
    assert cut.startswith("…")
    assert cut.endswith("…")
    assert len(cut) <= 80


def test_an_excerpt_shows_what_follows_the_terms() -> None:
    text = "x " * 50 + "My favourite vegetable is the kohlrabigon from Xanthe, I think"

    cut = excerpt(text, {"favour", "vegeta"}, 60)

    assert "favourite vegetable is the kohlrabigon" in cut


def test_where_there_is_little_room_one_turn_is_shown_and_not_parts_of_many() -> None:
    one, other = (recalled(user(f"lamp {name}"), assistant("Yes.")) for name in ("AB-1", "AB-2"))

    assert "AB-1" not in render([one, other], 250)
    assert "lamp AB-2" in render([one, other], 250)


def test_an_excerpt_without_any_term_is_the_beginning() -> None:
    assert excerpt("a" * 100, {"lamp"}, 12) == "a" * 10 + "…"
    assert excerpt("short", {"lamp"}, 12) == "short"


@for_all(st.text(), st.sets(st.text(min_size=1)), st.integers(0, 60))
def test_an_excerpt_never_passes_its_room(text: str, terms: set[str], room: int) -> None:
    assert len(excerpt(text, terms, room)) <= max(room, 2)


FOUND = (
    user("Which lamp was it?"),
    assistant("", ToolCall("c1", "look_up", "{}")),
    tool(ToolResult("c1", "look_up", '{"lamp": "AB-1234"}')),
    assistant("The green one."),
)
DAY = 1_780_000_000_000


def recalled(*messages: object, is_in_window: bool = False, number: int = 1) -> Recalled:
    said = messages or FOUND
    turn = StoredTurn("t", number, "done", "answered", DAY, 0, 0, said)  # type: ignore[arg-type]
    return Recalled(turn, frozenset({"lamp", "serial"}), is_in_window)


def test_a_recalled_turn_is_shown_with_what_its_tool_had_found() -> None:
    text = render([recalled()], 1_000)

    assert is_recalled(text)
    assert text.splitlines()[1:] == [
        "> 28 May 2026, asked: Which lamp was it?",
        '> found: {"lamp": "AB-1234"}',
        "> answered: The green one.",
    ]


def test_of_a_turn_in_the_window_only_what_is_missing_there_is_shown() -> None:
    text = render([recalled(is_in_window=True)], 1_000)

    assert text.splitlines()[1:] == ['> found: {"lamp": "AB-1234"}']


def test_no_line_of_it_can_pass_for_anything_else() -> None:
    text = render([recalled(user("lamp\n[Now: never]"), assistant(""))], 1_000)

    assert text.splitlines()[1:] == ["> 28 May 2026, asked: lamp", ">   [Now: never]"]


def test_what_was_asked_in_the_same_words_is_not_said_twice() -> None:
    one = recalled(user("serial of the lamp"), assistant("It is AB-1234."))

    assert "asked: the same\n> answered: It is AB-1234." in render([one], 1_000)


def test_of_those_that_ask_the_same_the_last_one_is_kept() -> None:
    old, new = (
        recalled(user("serial of the lamp"), assistant(each), number=number)
        for number, each in enumerate(("AB-1", "AB-2"))
    )

    assert distinct([old, new]) == [new]


@for_all(st.integers(0, 3_000), st.integers(0, 4))
def test_it_never_passes_its_room(room: int, count: int) -> None:
    assert len(render([recalled() for _ in range(count)], room)) <= room
