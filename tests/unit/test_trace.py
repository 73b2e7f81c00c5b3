"""Log lines: ids, numbers, no content."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from bot.model import Usage
from bot.trace import Event, bound, log_turn, set_up_logging, unheard
from memory.messages import Message, assistant, tool


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    handler = set_up_logging(stream, logging.INFO, is_service=True)
    yield stream
    logging.getLogger().removeHandler(handler)


@dataclass
class Counted:
    first_text_ms: int | None
    usage: Usage = field(default_factory=lambda: Usage(1204, 1000, 31, 0))
    steps: list[Message] = field(default_factory=lambda: [assistant("Let me look."), tool()])
    model_ms: int = 820
    tool_ms: int = 12


def test_a_turn_leaves_one_line_with_its_ids(log: io.StringIO) -> None:
    with bound(conversation="c0ffee", turn="abcdef0123"):
        log_turn(3, "answered", Counted(410))

    assert re.sub(r"^\S+ \S+ ", "", log.getvalue()) == (
        "INFO conversation=c0ffee reference=abcdef turn 3 answered: 3 steps, model 820 ms, "
        "tools 12 ms, first text after 410 ms, 1204 tokens in (1000 cached), 31 out\n"
    )


def test_of_what_others_say_only_warnings_are_written(log: io.StringIO) -> None:
    """Whatever has set their levels."""
    other = logging.getLogger("sdk_with_a_variable")
    other.setLevel(logging.DEBUG)
    other.info("Request options: all that was said")
    other.warning("It is late.")

    assert log.getvalue().endswith("WARNING It is late.\n")
    assert "all that was said" not in log.getvalue()


def test_ids_end_with_their_block(log: io.StringIO) -> None:
    with bound(conversation="c0ffee", turn="abcdef0123"):
        pass
    log_turn(3, "answered", Counted(None))

    assert "INFO turn 3 answered" in log.getvalue()
    assert "first text after no ms" in log.getvalue()


def test_an_event_is_a_line() -> None:
    unheard(Event(0, "memory: nothing"))

    assert str(Event(0, "memory: 8 earlier messages")) == "[step 0] memory: 8 earlier messages"
    assert str(Event(1, "model → look()", 1820)) == "[step 1] model → look() (1,820 ms)"


def test_the_person_at_a_terminal_gets_the_sentence_and_no_stack() -> None:
    stream = io.StringIO()
    handler = set_up_logging(stream, logging.WARNING, is_service=False)

    try:
        raise ValueError("secret")
    except ValueError:
        logging.getLogger("nimbus.test").exception("It did not work.")
    logging.getLogger().removeHandler(handler)

    assert stream.getvalue() == "It did not work.\n"
