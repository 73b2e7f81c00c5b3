"""Who looks for words and secrets in every line of the log finds them."""

from __future__ import annotations

import logging

import pytest

from tests.planted import Listener, found_in, planted

_log = logging.getLogger("nimbus.planted")


@pytest.mark.parametrize(
    "said", [planted("road"), "xoxb-1-2", "xapp-1-A1", "key sk-abc", "Bearer abc", "Bot a1.b2"]
)
def test_it_hears_what_a_line_says(said: str) -> None:
    assert len(_heard("It was %s", said)) == 1


def test_it_hears_what_a_stack_says() -> None:
    try:
        raise ValueError(planted("road"))
    except ValueError:
        assert len(_heard("It broke.", exc_info=True)) == 1


def test_it_leaves_other_lines_alone() -> None:
    assert _heard("turn %s answered, by a Bot", 1) == []


def _heard(line: str, *values: object, exc_info: bool = False) -> list[str]:
    listener = Listener()
    _log.addHandler(listener)
    _log.propagate = False  # the one that hears the whole suite would object
    _log.warning(line, *values, exc_info=exc_info)
    _log.removeHandler(listener)
    return listener.leaks


def test_a_word_is_found_in_bytes_and_tells_its_road() -> None:
    word = planted("road")

    assert found_in(b"\x00\xff" + 2 * word.encode() + b"rest") == {word}
    assert "road" in word
