"""A chat at the terminal: line by line, a word that is a command, everything else a question."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Callable, Container, Coroutine
from itertools import count
from typing import Any, Protocol, TypeVar

from adapters.terminal.lines import InterruptedLine, Lines
from adapters.terminal.screen import Screen
from memory.errors import DatabaseGoneError, StorageError

T = TypeVar("T")
Work = Coroutine[Any, Any, object]

_ENDS = frozenset({"exit", "quit"})
_SLASHED = re.compile(r"/([a-z]+)(\s.*)?", re.IGNORECASE | re.DOTALL)


class Talk(Protocol):
    """What a chat can ask for: an answer, its end, a command's effect."""

    words: Container[str]

    async def is_busy_elsewhere(self) -> bool:
        """Whether another program may be working on an answer here, which is said then."""
        ...

    async def wait_for_others(self) -> None:
        """Return when no other program works on an answer here any more."""
        ...

    async def take_up(self) -> bool:
        """Answer what was asked before and is not answered yet; False: there was nothing."""
        ...

    async def ask(self, text: str) -> bool:
        """Return when something about the question is on the screen; True: the model's answer."""
        ...

    async def stop(self) -> None: ...

    async def command(self, words: str) -> str:
        """Do what a command says; the text that tells so."""
        ...

    async def take_leave(self) -> None:
        """Say how to go on."""
        ...


class Left(Exception):  # noqa: N818 - Ctrl-C is not a mistake
    """Ctrl-C again: whoever waits wants to wait no longer."""


class Chat:
    """`is_typed`: a person sits there, whom a Ctrl-C brings back to the prompt. `early` are lines
    that come while there is no prompt yet."""

    def __init__(
        self, talk: Talk, lines: Lines, screen: Screen, *, early: Lines | None = None
    ) -> None:
        self._talk = talk
        self._lines = lines
        self._screen = screen
        self._early = early
        self._is_typed = early is not None
        self._ahead: list[str] = []
        self._is_over = False
        self._has_failed = False

    async def run(self) -> bool:
        """Until `exit`, Ctrl-D, the last line, or a screen that cannot be written to; whether
        every question was answered. Raise Left after a second Ctrl-C."""
        try:
            await self._talk_on()
        except Left:
            await self._talk.take_leave()
            raise
        await self._talk.take_leave()
        return not self._has_failed

    async def _talk_on(self) -> None:
        if self._early and await self._talk.is_busy_elsewhere():
            await self._wait(self._early)
        if not self._is_over and await self._try(attend(self._talk.take_up(), self._stop)):
            self._gap()
        for line in self._ahead:
            await self._take(line)
        while not (self._is_over or self._screen.is_broken):
            try:
                line = await self._lines.read()
            except InterruptedLine:
                self._screen.note("Ctrl-D or exit ends the chat.")
            except EOFError:
                self._is_over = True
            else:
                await self._take(line.strip())

    async def _wait(self, early: Lines) -> None:
        """While another program works here a person may leave, give commands, or ask ahead."""
        waiting = asyncio.ensure_future(self._talk.wait_for_others())
        listening = asyncio.ensure_future(self._listen(early))
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._leave, listening)
        try:
            await asyncio.wait({listening, waiting}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
            for task in (listening, waiting):
                task.cancel()
            ended = await asyncio.gather(listening, waiting, return_exceptions=True)
        for result in ended:
            if isinstance(result, Exception):
                raise result

    def _leave(self, listening: asyncio.Future[None]) -> None:
        self._is_over = True
        listening.cancel()

    async def _listen(self, early: Lines) -> None:
        while not self._is_over:
            try:
                line = (await early.read()).strip()
            except EOFError:
                self._is_over = True
            else:
                if self._command(line):
                    await self._take(line)
                elif line:
                    self._ahead.append(line)

    async def _take(self, line: str) -> None:
        command = self._command(line)
        if command in _ENDS:
            self._is_over = True
        elif command:
            await self._try(self._obey(command))
            self._gap()
        elif line:
            is_answered = await self._try(attend(self._talk.ask(line), self._stop))
            self._has_failed |= not is_answered
            self._gap()

    def _command(self, line: str) -> str:
        """The command in a line: the word alone, or anything after a slash; empty without."""
        word = line.lower()
        if word in _ENDS or word in self._talk.words:
            return word
        slashed = _SLASHED.fullmatch(line)
        return " ".join(slashed[0][1:].lower().split()) if slashed else ""

    async def _try(self, work: Work) -> object:
        """A person may try again; whatever feeds a pipe must know that it failed."""
        result: object = None
        try:
            result = await work
        except* DatabaseGoneError:
            raise
        except* StorageError as failed:
            if not self._is_typed:
                raise
            self._screen.note("\n".join(map(str, failed.exceptions)))
        return result

    def _gap(self) -> None:
        if self._is_typed:
            self._screen.gap()

    async def _obey(self, command: str) -> None:
        self._screen.say(await self._talk.command(command))

    async def _stop(self) -> None:
        self._is_over = not self._is_typed
        await self._talk.stop()


async def attend(answer: Coroutine[Any, Any, T], stop: Callable[[], Work]) -> T:
    """Wait for an answer; Ctrl-C stops it, and not the program. A second one raises Left."""
    loop = asyncio.get_running_loop()
    async with asyncio.TaskGroup() as group:
        answering = group.create_task(answer)
        presses = count(1)

        def pressed() -> None:
            if next(presses) == 1:
                group.create_task(stop())
            else:
                answering.cancel()

        loop.add_signal_handler(signal.SIGINT, pressed)
        try:
            await asyncio.wait({answering})
        finally:
            loop.remove_signal_handler(signal.SIGINT)
    if answering.cancelled():
        raise Left
    return answering.result()
