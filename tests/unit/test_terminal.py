"""The terminal: harmless text, an answer that grows and is printed once, lines from a pipe."""

from __future__ import annotations

import io

import pytest

from adapters.terminal.reply import TerminalOutlet
from adapters.terminal.screen import Screen, harmless
from bot.errors import DeliveryError
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
