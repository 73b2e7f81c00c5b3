"""A chat at the terminal: line by line, a word that is a command, everything else a question."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

from adapters.terminal.lines import InterruptedLine, Lines
from adapters.terminal.screen import Screen
from memory.errors import StorageError

T = TypeVar("T")
Work = Coroutine[Any, Any, object]

_ENDS = frozenset({"exit", "quit"})
_SLASHED = re.compile(r"/([a-z]+)(\s.*)?", re.IGNORECASE | re.DOTALL)


class Talk(Protocol):
    """What a chat can ask for: an answer, its end, a command's effect."""

    words: frozenset[str]

    async def take_up(self) -> bool:
        """Answer what was asked before and is not answered yet; False: there was nothing."""
        ...

    async def ask(self, text: str) -> None:
        """Return when the question was answered, on the screen."""
        ...

    async def stop(self) -> None: ...

    async def command(self, words: str) -> str:
        """Do what a command says; the text that tells so."""
        ...


class Chat:
    """`is_typed`: a person sits there, whom a Ctrl-C brings back to the prompt."""

    def __init__(self, talk: Talk, lines: Lines, screen: Screen, *, is_typed: bool) -> None:
        self._talk = talk
        self._lines = lines
        self._screen = screen
        self._is_typed = is_typed
        self._is_over = False

    async def run(self) -> None:
        """Until `exit`, Ctrl-D, the last line, or a screen that nobody reads any more."""
        await self._try(attend(self._talk.take_up(), self._stop))
        while not (self._is_over or self._screen.is_broken):
            try:
                line = await self._lines.read()
            except InterruptedLine:
                self._screen.note("Ctrl-D or exit ends the chat.")
            except EOFError:
                self._is_over = True
            else:
                await self._take(line.strip())

    async def _take(self, line: str) -> None:
        command = self._command(line)
        if command in _ENDS:
            self._is_over = True
        elif command:
            await self._try(self._obey(command))
        elif line:
            await self._try(attend(self._talk.ask(line), self._stop))

    def _command(self, line: str) -> str:
        """The command in a line: the word alone, or anything after a slash; empty without."""
        word = line.lower()
        if word in _ENDS or word in self._talk.words:
            return word
        slashed = _SLASHED.fullmatch(line)
        return " ".join(slashed[0][1:].lower().split()) if slashed else ""

    async def _try(self, work: Work) -> None:
        """A person may try again; whatever feeds a pipe must know that it failed."""
        result: object = None
        try:
            result = await work
        except* StorageError as failed:
            if not self._is_typed:
                raise
            self._screen.note("\n".join(map(str, failed.exceptions)))
        if self._is_typed and result is not False:
            self._screen.gap()

    async def _obey(self, command: str) -> None:
        self._screen.say(await self._talk.command(command))

    async def _stop(self) -> None:
        self._is_over = not self._is_typed
        await self._talk.stop()


async def attend(answer: Coroutine[Any, Any, T], stop: Callable[[], Work]) -> T:
    """Wait for an answer; Ctrl-C stops it, and not the program."""
    loop = asyncio.get_running_loop()
    async with asyncio.TaskGroup() as group:
        loop.add_signal_handler(signal.SIGINT, lambda: group.create_task(stop()))
        try:
            return await answer
        finally:
            loop.remove_signal_handler(signal.SIGINT)
