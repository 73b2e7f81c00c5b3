"""A real terminal with a real program in it, and a person who reads and types."""

from __future__ import annotations

import asyncio
import os
import pty
import re
import signal
import subprocess
import sys
import termios
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.benchmarks.startup import ROOT, environment

REFUND = "Can I get a refund for order #1043?"
_PLAIN = {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}  # nobody here tells where the cursor is
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|[\r\x08]")


def nimbus(
    folder: Path, *arguments: str, typed: str = "", **settings: str
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, in pipes."""
    return subprocess.run(
        [sys.executable, "-m", "bot", *arguments],
        cwd=ROOT,
        env=environment(folder, **settings),
        input=typed,
        capture_output=True,
        check=False,
        text=True,
    )


class Terminal:
    """What the program has printed, without the codes that only steer the terminal."""

    def __init__(self, process: int, master: int) -> None:
        self.process = process
        self._master = master
        self.has_ended = False
        self._printed = ""
        self._read_to = 0

    async def until(self, expected: str) -> str:
        """Wait for a text after the last one that was waited for; what stands in between."""
        async with asyncio.timeout(15):
            while (found := self._shown.find(expected, self._read_to)) < 0:
                self._printed += (await asyncio.to_thread(self._read)).decode(errors="replace")
        between = self._shown[self._read_to : found]
        self._read_to = found + len(expected)
        return between

    async def until_asked(self) -> None:
        """Wait for the prompt: before it, keys go to the terminal and not to the program."""
        await self.until("\n>")

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def kill(self) -> None:
        os.kill(self.process, signal.SIGKILL)

    async def end(self) -> int:
        """Wait for the program's end; its code, or the signal that killed it as a negative."""
        _, status = await asyncio.to_thread(os.waitpid, self.process, 0)
        self.has_ended = True
        return os.waitstatus_to_exitcode(status)

    @property
    def _shown(self) -> str:
        return _ESCAPES.sub("", self._printed)

    def _read(self) -> bytes:
        try:
            return os.read(self._master, 65_536)
        except OSError:  # Linux says so when the program has closed the terminal
            raise EOFError(self._shown[self._read_to :]) from None


@asynccontextmanager
async def terminal(folder: Path, *arguments: str, **settings: str) -> AsyncIterator[Terminal]:
    """`nimbus` with these arguments; the block ends when the program has ended."""
    process, master = pty.fork()
    if process == 0:
        os.chdir(ROOT)
        command = [sys.executable, "-m", "bot", *arguments]
        os.execve(sys.executable, command, environment(folder, **_PLAIN, **settings))  # noqa: S606 - the program itself
    termios.tcsetwinsize(master, (50, 200))  # wide enough that no sentence is broken
    nimbus = Terminal(process, master)
    try:
        yield nimbus
    finally:
        if not nimbus.has_ended:  # a thread may still read what it prints
            nimbus.kill()
            await nimbus.end()
        os.close(master)
