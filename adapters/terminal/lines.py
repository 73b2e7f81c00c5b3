"""Where questions come from: a person who types, or a pipe or a file, where each line is one."""

from __future__ import annotations

import asyncio
import os
from typing import Protocol

_PIECE = 65_536


class InterruptedLine(Exception):  # noqa: N818 - Ctrl-C is not a mistake
    """Ctrl-C at the prompt: the line is dropped, the chat goes on."""


class Lines(Protocol):
    async def read(self) -> str:
        """The next line. Raise EOFError at the end, InterruptedLine on Ctrl-C."""
        ...


class PipedLines(Lines):
    """Reads only when asked, so that a pipe holds back what was not answered yet."""

    def __init__(self, source: int) -> None:
        self._source = source
        self._held = b""
        self._is_over = False

    async def read(self) -> str:
        while b"\n" not in self._held and not self._is_over:
            piece = await self._read_piece()
            self._is_over = not piece
            self._held += piece
        if not self._held:
            raise EOFError
        line, _, self._held = self._held.partition(b"\n")
        return line.decode("utf-8", "replace").removesuffix("\r")

    async def _read_piece(self) -> bytes:
        """Wait without a thread, which could not be ended while nothing comes."""
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        try:
            loop.add_reader(self._source, ready.set)
        except (NotImplementedError, PermissionError):
            return await asyncio.to_thread(os.read, self._source, _PIECE)  # a file: never waits
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._source)
        return await asyncio.to_thread(os.read, self._source, _PIECE)
