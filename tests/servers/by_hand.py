"""Servers that a person starts, and ends."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import threading
from pathlib import Path


def nimbus(*words: str) -> str:
    """A command of the bot, for the Python that runs this, as a person would type it here."""
    python = Path(sys.executable)
    if python.is_relative_to(Path.cwd()):
        python = python.relative_to(Path.cwd())
    return " ".join([str(python), "-m", "bot", *words])


async def until_it_ends() -> None:
    """Until Ctrl-C, or until whoever started it is gone: then stdin ends."""
    loop = asyncio.get_running_loop()
    over = asyncio.Event()
    for ending in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(ending, over.set)
    threading.Thread(target=_await_end_of_input, args=(loop, over), daemon=True).start()
    await over.wait()


def _await_end_of_input(loop: asyncio.AbstractEventLoop, over: asyncio.Event) -> None:
    while sys.stdin.readline():
        pass
    with contextlib.suppress(RuntimeError):  # the loop is closed already
        loop.call_soon_threadsafe(over.set)
