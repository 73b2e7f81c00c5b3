"""The terminal: harmless text, an answer that grows and is printed once, lines from a pipe."""

from __future__ import annotations

import asyncio
import io
import os
import re
import termios
from pathlib import Path

import pytest

from adapters.terminal.lines import PipedLines
from adapters.terminal.prompt import TypedLines
from adapters.terminal.reply import TerminalOutlet
from adapters.terminal.screen import Screen, harmless, person_screen
from bot.errors import DeliveryError
from bot.main import open_typed_lines
from bot.platform import Delivery, OwnMessage, SentPart
from memory.errors import Superseded


def allowed() -> None:
    """A guard that lets everything pass."""


def late() -> None:
    raise Superseded("late")


DELIVERY = Delivery("a1b2c3", {}, allowed, 4_000)


class Unwritable(io.StringIO):
    def __init__(self, failure: Exception) -> None:
        super().__init__()
        self._failure = failure

    def write(self, _text: str) -> int:
        raise self._failure


class Terminal:
    """A screen whose text can be read, and its outlet."""

    def __init__(self) -> None:
        self.out = io.StringIO()
        self.screen = Screen(self.out, self.out)
        self.outlet = TerminalOutlet(self.screen)

    @property
    def text(self) -> str:
        return self.out.getvalue()


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("\x1b[2J\x1b]0;title\x07", "�[2J�]0;title�"),
        ("a\r\nb\tc\x7f\x9b31m", "a\nb\tc��31m"),
        ("nul\0 and \ud800", "nul� and �"),
        ("שלום 👩‍👩‍👧 é", "שלום 👩‍👩‍👧 é"),
    ],
)
def test_nothing_in_a_text_can_steer_the_terminal(given: str, shown: str) -> None:
    assert harmless(given) == shown


async def test_an_answer_is_printed_as_it_grows() -> None:
    terminal = Terminal()

    async with terminal.outlet.reply(DELIVERY) as reply:
        await reply.show("Order 10")
        await reply.show("Order 1042")
        assert terminal.text == "Order 1042"
        await reply.finish("Order 1042 is paid.")

    assert terminal.text == "Order 1042 is paid.\n"


async def test_finishing_twice_prints_once() -> None:
    terminal = Terminal()
    reply = terminal.outlet.reply(DELIVERY)

    first = await reply.finish("Done.")
    second = await reply.finish("Done.")
    await reply.show("Done. More.")

    assert first == second == (SentPart("a1b2c3", 5),)
    assert terminal.text == "Done.\n"


async def test_an_answer_that_stands_is_found_and_not_printed_again() -> None:
    terminal = Terminal()
    assert await terminal.outlet.own_messages(DELIVERY.address, 0) == ()
    await terminal.outlet.reply(DELIVERY).finish("Done.")

    found = await terminal.outlet.own_messages(DELIVERY.address, 0)
    await terminal.outlet.reply(DELIVERY).finish("Done.")

    assert found == (OwnMessage("a1b2c3", DELIVERY.turn),)
    assert terminal.text == "Done.\n"


async def test_a_text_that_changed_is_printed_anew_under_a_line_that_says_so() -> None:
    terminal = Terminal()
    reply = terminal.outlet.reply(DELIVERY)

    await reply.show("It is")
    await reply.finish("They are paid.")

    assert terminal.text == "It is\n(the answer changed)\nThey are paid.\n"


async def test_closing_puts_a_notice_below_what_was_shown() -> None:
    terminal = Terminal()
    reply = terminal.outlet.reply(DELIVERY)

    await reply.close("Forgotten.")
    await reply.show("It is")
    await reply.close("Forgotten.")

    assert terminal.text == "It is\nForgotten.\n"


async def test_leaving_a_reply_ends_the_line() -> None:
    terminal = Terminal()

    async with terminal.outlet.reply(DELIVERY) as reply:
        await reply.show("It is")

    assert terminal.text == "It is\n"


async def test_nothing_is_printed_past_the_lease() -> None:
    terminal = Terminal()
    reply = terminal.outlet.reply(Delivery("a1b2c3", {}, late, 4_000))

    with pytest.raises(Superseded):
        await reply.show("It is")

    assert terminal.text == ""


@pytest.mark.parametrize(
    "failure",
    [
        BrokenPipeError(32, "Broken pipe"),
        OSError(28, "No space left on device"),
        ValueError("closed"),
    ],
)
async def test_what_cannot_be_written_is_a_failed_delivery(failure: Exception) -> None:
    screen = Screen(Unwritable(failure), io.StringIO())
    reply = TerminalOutlet(screen).reply(DELIVERY)

    with pytest.raises(DeliveryError) as caught:
        await reply.finish("Done.")

    assert caught.value.permanent
    assert f"{failure}.".endswith(str(caught.value))
    assert screen.is_broken


def test_notices_may_stand_apart_from_answers() -> None:
    out, notices = io.StringIO(), io.StringIO()
    screen = Screen(out, notices)

    screen.write("half")
    screen.note("beside")
    screen.say("said\x1b")

    assert out.getvalue() == "half\nsaid�\n"
    assert notices.getvalue() == "beside\n"


def test_an_answer_to_something_else_stands_beside() -> None:
    out, notices = io.StringIO(), io.StringIO()
    screen = Screen(out, notices)

    with screen.aside():
        screen.write("an earlier one")
    screen.say("this one")

    assert (out.getvalue(), notices.getvalue()) == ("this one\n", "an earlier one\n")


def test_a_notice_that_cannot_be_written_is_no_failure() -> None:
    out = io.StringIO()
    screen = Screen(out, Unwritable(OSError(28, "No space left on device")))

    screen.note("beside")
    screen.say("said")

    assert out.getvalue() == "said\n"
    assert not screen.is_broken


def test_notices_are_dim_where_a_person_reads_them() -> None:
    out = io.StringIO()
    screen = Screen(out, out, colour=True)

    screen.write("half")
    screen.note("beside")
    screen.gap()

    assert out.getvalue() == "half\n\x1b[2mbeside\x1b[0m\n\n"


async def all_lines(source: int) -> list[str]:
    lines, read = PipedLines(source), []
    try:
        while True:
            read.append(await lines.read())
    except EOFError:
        return read


async def test_each_line_of_a_pipe_is_read_when_it_comes() -> None:
    reading, writing = os.pipe()
    lines = PipedLines(reading)
    async with asyncio.TaskGroup() as group:
        line = group.create_task(lines.read())
        await asyncio.to_thread(os.write, writing, b"one\r\ntwo\n\xff")

    os.close(writing)
    rest = [await lines.read(), await lines.read()]

    assert [line.result(), *rest] == ["one", "two", "�"]
    with pytest.raises(EOFError):
        await lines.read()
    os.close(reading)


async def test_lines_are_read_from_a_file_too(tmp_path: Path) -> None:
    file = tmp_path / "questions"
    file.write_text("one\n\ntwo")
    source = os.open(file, os.O_RDONLY)

    assert await all_lines(source) == ["one", "", "two"]
    os.close(source)


async def test_waiting_for_a_line_can_be_cancelled() -> None:
    reading, writing = os.pipe()
    waiting = asyncio.ensure_future(PipedLines(reading).read())
    await asyncio.sleep(0)

    waiting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await waiting
    os.close(reading)
    os.close(writing)


@pytest.mark.inline
async def test_a_person_gets_line_editing_whose_history_is_in_memory() -> None:
    assert isinstance(open_typed_lines("> "), TypedLines)


def wrapped(*pieces: str, width: int = 10) -> str:
    out = io.StringIO()
    screen = Screen(out, out, width=lambda: width)
    for piece in pieces:
        screen.write(piece)
    screen.end_line()
    return out.getvalue()


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (["one two three four"], "one two\nthree four\n"),
        (["one two th", "ree f", "our"], "one two\nthree four\n"),
        (["one\n\n  two"], "one\n\n  two\n"),
        (["exactly 10 more"], "exactly 10\nmore\n"),
        (["abcdefghijklmno pqrstu v"], "abcdefghijklmno\npqrstu v\n"),
        (["日本語 日本語"], "日本語\n日本語\n"),
        (["cafe\u0301 cafe\u0301!"], "cafe\u0301 cafe\u0301!\n"),
        (["one ", "  "], "one\n"),
        (["exactly 10 \nmore"], "exactly 10\nmore\n"),
        ([""], ""),
    ],
)
def test_lines_are_broken_between_words(pieces: list[str], shown: str) -> None:
    assert wrapped(*pieces) == shown


def test_a_notice_is_broken_as_well() -> None:
    out = io.StringIO()

    Screen(out, out, width=lambda: 10).note("one two three")

    assert out.getvalue() == "one two\nthree\n"


def test_a_person_sees_lines_as_wide_as_the_terminal_now_is() -> None:
    master, slave = os.openpty()
    with os.fdopen(slave, "w") as terminal:
        person_screen(terminal).note("x" * 79 + " y")  # unknown: 80
        termios.tcsetwinsize(slave, (24, 132))
        person_screen(terminal).note("x" * 79 + " y")
        terminal.flush()
        shown = ""
        while shown.count("y") < 2:  # a terminal hands over what it has, in pieces
            shown += os.read(master, 1000).decode()

    assert re.findall(r"x+\s+y", shown) == ["x" * 79 + "\r\ny", "x" * 79 + " y"]
    os.close(master)
