"""Keys of places and persons as text, and digests that do not tell what they stand for."""

import pytest
from hypothesis import strategies as st

from memory.keys import Digests, PersonKey, PlaceKey
from tests.properties import for_all

PLACE = PlaceKey("slack", "T1", "C1", "1718000000.000100")
PERSON = PersonKey("slack", "T1", "U1")
PIECE = st.text(min_size=1)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (PLACE, "slack:T1:C1:1718000000.000100"),
        (PlaceKey("discord", "@me", "42", ""), "discord:@me:42:"),
        (PERSON, "slack:T1:U1"),
        (PersonKey("discord", "", "U9"), "discord:U9"),
        (PersonKey("terminal", "", "jo doe"), "terminal:jo doe"),
        (PersonKey("terminal", "", "a:b%é"), "terminal:a%3Ab%25%C3%A9"),
    ],
)
def test_a_key_is_text_that_people_can_read(key: PlaceKey | PersonKey, text: str) -> None:
    assert str(key) == text
    assert type(key).parse(text) == key


@for_all(PIECE, PIECE, PIECE, st.text())
def test_a_place_comes_back_from_its_text(
    platform: str, workspace: str, channel: str, thread: str
) -> None:
    place = PlaceKey(platform, workspace, channel, thread)

    assert PlaceKey.parse(str(place)) == place


@for_all(PIECE, st.text(), PIECE)
def test_a_person_comes_back_from_their_text(platform: str, workspace: str, user: str) -> None:
    person = PersonKey(platform, workspace, user)

    assert PersonKey.parse(str(person)) == person


@pytest.mark.parametrize("text", ["", "slack", "slack:T1:C1", "a:b:c:d:e", ":T1:C1:1", "s::C1:1"])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a key of 4 parts"):
        PlaceKey.parse(text)


@pytest.mark.parametrize("text", ["", "slack", "a:b:c:d", ":U1", "slack::U1"])
def test_what_is_no_person_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a key of"):
        PersonKey.parse(text)


def test_a_message_has_one_digest_whatever_thread_it_is_shown_in() -> None:
    digests = Digests(b"secret")
    elsewhere = PlaceKey("slack", "T1", "C1", "another thread")

    assert digests.said(PLACE, "7") == digests.said(elsewhere, "7")
    assert digests.said(PLACE, "7") != digests.said(PLACE, "8")


def test_digests_of_different_things_differ_and_do_not_tell_what_they_are() -> None:
    digests = Digests(b"secret")
    all_kinds = {
        digests.place(PLACE),
        digests.person(PERSON),
        digests.person_in_place(PERSON, PLACE),
        digests.said(PLACE, "7"),
        Digests(b"another secret").place(PLACE),
    }

    assert len(all_kinds) == 5
    assert not any("T1" in digest for digest in all_kinds)
