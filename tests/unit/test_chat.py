"""The chat's loop: what is a command, what is a question, what ends it."""

from __future__ import annotations

import asyncio
import io
import os
import signal
from collections.abc import Callable, Container, Sequence

import pytest

from adapters.terminal.chat import Chat, Left
from adapters.terminal.lines import InterruptedLine, Lines
from adapters.terminal.screen import Screen
from memory.errors import DatabaseFullError, DatabaseGoneError


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


def press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


class RecordedTalk:
    """Notes what is asked of it; a question "wait" is answered only when it is stopped, "for ever"
    never, and "why" without an answer."""

    words: Container[str] = frozenset({"forget", "status"})

    def __init__(self, *, others: asyncio.Event | None = None) -> None:
        self.heard: list[str] = []
        self.has_taken_leave = False
        self._others = others
        self._stopped = asyncio.Event()

    async def take_leave(self) -> None:
        self.has_taken_leave = True

    async def is_busy_elsewhere(self) -> bool:
        return self._others is not None

    async def wait_for_others(self) -> None:
        assert self._others is not None
        self.heard.append("wait for others")
        await self._others.wait()

    async def take_up(self) -> bool:
        if self._others is not None:
            self.heard.append("take up")
        return self._others is not None

    async def ask(self, text: str) -> bool:
        self.heard.append(f"ask {text}")
        if text == "full":
            raise DatabaseFullError("The disk is full.")
        if text == "gone":
            raise DatabaseGoneError("The file is gone.")
        if text == "wait":
            press_ctrl_c()
            await self._stopped.wait()
        if text == "for ever":
            press_ctrl_c()
            await self._stopped.wait()
            press_ctrl_c()
            await asyncio.Event().wait()
        return text not in {"why", "wait"}

    async def stop(self) -> None:
        self.heard.append("stop")
        self._stopped.set()

    async def command(self, words: str) -> str:
        self.heard.append(f"command {words}")
        return f"{words}: done"


async def chat(*lines: str | None, is_typed: bool = True) -> tuple[list[str], str]:
    talk, out = RecordedTalk(), io.StringIO()
    early = SaidLines([]) if is_typed else None
    await Chat(talk, SaidLines(lines), Screen(out, out), early=early).run()
    return talk.heard, out.getvalue()


class HeldLines(SaidLines):
    """After its last line nothing comes; then `at_end` is done."""

    def __init__(self, *lines: str, at_end: Callable[[], object]) -> None:
        super().__init__(lines)
        self._at_end = at_end

    async def read(self) -> str:
        if self._lines:
            return await super().read()
        self._at_end()
        await asyncio.Event().wait()
        raise AssertionError


async def waited(early: Callable[[asyncio.Event], Lines]) -> tuple[list[str], str]:
    """A chat that begins while another program works on an answer."""
    others, out = asyncio.Event(), io.StringIO()
    talk = RecordedTalk(others=others)
    await Chat(talk, SaidLines(["later"]), Screen(out, out), early=early(others)).run()
    return talk.heard, out.getvalue()


async def test_what_is_asked_while_another_program_answers_is_asked_afterwards() -> None:
    heard, shown = await waited(lambda others: HeldLines("one", "", "status", at_end=others.set))

    assert heard == ["wait for others", "command status", "take up", "ask one", "ask later"]
    assert shown.startswith("status: done\n\n")


async def test_ctrl_c_leaves_while_another_program_answers() -> None:
    heard, _ = await waited(lambda _others: HeldLines(at_end=press_ctrl_c))

    assert heard == ["wait for others"]


@pytest.mark.parametrize("lines", [[], ["exit", "one"]])
async def test_ctrl_d_and_exit_leave_while_another_program_answers(lines: list[str]) -> None:
    heard, _ = await waited(lambda _others: SaidLines(lines))

    assert heard == ["wait for others"]


async def test_a_failure_while_another_program_answers_is_raised() -> None:
    with pytest.raises(DatabaseGoneError):
        await waited(lambda _others: BrokenLines([]))


class BrokenLines(SaidLines):
    async def read(self) -> str:
        raise DatabaseGoneError("The file is gone.")


async def test_a_second_ctrl_c_leaves_at_once() -> None:
    talk, out = RecordedTalk(), io.StringIO()

    with pytest.raises(Left):
        await Chat(talk, SaidLines(["for ever", "one"]), Screen(out, out)).run()

    assert talk.heard == ["ask for ever", "stop"]
    assert talk.has_taken_leave


async def test_a_chat_tells_whether_every_question_was_answered() -> None:
    for lines, expected in ((["one", "two"], True), (["one", "why", "two"], False)):
        out = io.StringIO()
        assert await Chat(RecordedTalk(), SaidLines(lines), Screen(out, out)).run() is expected


@pytest.mark.parametrize("is_typed", [True, False])
async def test_a_database_that_is_gone_ends_the_chat(*, is_typed: bool) -> None:
    with pytest.raises(ExceptionGroup) as caught:
        await chat("gone", "one", is_typed=is_typed)

    assert caught.group_contains(DatabaseGoneError)


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
