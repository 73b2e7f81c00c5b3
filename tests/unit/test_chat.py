"""The chat's loop: what is a command, what is a question, what ends it."""

from __future__ import annotations

import asyncio
import io
import os
import signal
from collections.abc import Sequence

import pytest

from adapters.terminal.chat import Chat
from adapters.terminal.lines import InterruptedLine, Lines
from adapters.terminal.screen import Screen
from memory.errors import DatabaseFullError


class SaidLines(Lines):
    """Lines as a person types them; None is Ctrl-C at the prompt."""

    def __init__(self, lines: Sequence[str | None]) -> None:
        self._lines = list(lines)

    async def read(self) -> str:
        if not self._lines:
            raise EOFError
        line = self._lines.pop(0)
        if line is None:
            raise InterruptedLine
        return line


class RecordedTalk:
    """Notes what is asked of it; a question "wait" is answered only when it is stopped."""

    words = frozenset({"forget", "status"})

    def __init__(self) -> None:
        self.heard: list[str] = []
        self._stopped = asyncio.Event()

    async def take_up(self) -> bool:
        return False

    async def ask(self, text: str) -> None:
        self.heard.append(f"ask {text}")
        if text == "full":
            raise DatabaseFullError("The disk is full.")
        if text == "wait":
            os.kill(os.getpid(), signal.SIGINT)
            await self._stopped.wait()

    async def stop(self) -> None:
        self.heard.append("stop")
        self._stopped.set()

    async def command(self, words: str) -> str:
        self.heard.append(f"command {words}")
        return f"{words}: done"


async def chat(*lines: str | None, is_typed: bool = True) -> tuple[list[str], str]:
    talk, out = RecordedTalk(), io.StringIO()
    await Chat(talk, SaidLines(lines), Screen(out, out), is_typed=is_typed).run()
    return talk.heard, out.getvalue()


async def test_a_line_is_a_question_and_an_empty_one_is_nothing() -> None:
    heard, shown = await chat("", "  ", " What about 1042? ")

    assert heard == ["ask What about 1042?"]
    assert shown == "\n"


async def test_a_word_alone_or_behind_a_slash_is_a_command() -> None:
    heard, shown = await chat("Status", "/status", "/Forget  me", "status of 1042?")

    assert heard == ["command status", "command status", "command forget me", "ask status of 1042?"]
    assert shown.startswith("status: done\n\nstatus: done\n\nforget me: done\n\n")


async def test_a_path_is_no_command() -> None:
    heard, _ = await chat("/etc/hosts is what?")

    assert heard == ["ask /etc/hosts is what?"]


async def test_exit_quit_and_the_end_of_the_input_end_the_chat() -> None:
    for end in ("exit", "QUIT", "/exit"):
        heard, _ = await chat("one", end, "two")
        assert heard == ["ask one"]


async def test_ctrl_c_at_the_prompt_drops_the_line_and_says_how_to_end() -> None:
    heard, shown = await chat(None, "one")

    assert heard == ["ask one"]
    assert shown.startswith("Ctrl-D or exit ends the chat.\n")


async def test_ctrl_c_stops_the_answer_and_not_the_chat() -> None:
    heard, _ = await chat("wait", "one")

    assert heard == ["ask wait", "stop", "ask one"]


async def test_ctrl_c_ends_a_chat_that_reads_from_a_pipe() -> None:
    heard, shown = await chat("wait", "one", is_typed=False)

    assert heard == ["ask wait", "stop"]
    assert shown == ""


async def test_a_person_may_try_again_after_a_failing_database() -> None:
    heard, shown = await chat("full", "one")

    assert heard == ["ask full", "ask one"]
    assert shown.startswith("The disk is full.\n")


async def test_a_failing_database_ends_a_chat_that_reads_from_a_pipe() -> None:
    with pytest.raises(ExceptionGroup) as caught:
        await chat("full", "one", is_typed=False)

    assert caught.group_contains(DatabaseFullError)
