"""Lines at the terminal: how they are read, and broken where they are shown."""

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
from adapters.terminal.screen import Screen, person_screen
from bot.cli.talk import open_typed_lines


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
