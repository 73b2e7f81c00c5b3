"""How a command runs and ends: one sentence for every failure that has a name, and its code."""

from __future__ import annotations

import asyncio
import logging
import os
import shlex
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from enum import IntEnum
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn

import typer

from adapters.terminal.chat import Left
from bot.errors import AlreadyRunningError, ConfigError
from bot.settings import Settings
from bot.trace import set_up_logging
from memory.errors import ConstraintError, StorageError, UnknownConversationError


class Ending(IntEnum):
    """Exit codes; 2 is typer's, for usage."""

    DONE = 0
    FAILED = 1
    CONFIGURATION = 3
    DATABASE = 4
    ALREADY_RUNNING = 5


def typed(argument: str, python: str, folder: Path) -> str:
    """What a person types to start this program again, who stands in the folder."""
    if Path(argument).name != "__main__.py":
        return Path(argument).name
    path = Path(python)
    known = path.relative_to(folder) if path.is_relative_to(folder) else path
    return f"{shlex.quote(str(known))} -m bot"


PROGRAM = typed(sys.argv[0], sys.executable, Path.cwd())


class Refusal(Exception):  # noqa: N818 - the command did what it should: it said no
    """The command does not do what was asked; one sentence that says why."""


_ENDINGS: dict[type[BaseException], Ending] = {
    ConfigError: Ending.CONFIGURATION,
    StorageError: Ending.DATABASE,
    ConstraintError: Ending.DATABASE,  # a table's rule is in the way: the file is damaged
    AlreadyRunningError: Ending.ALREADY_RUNNING,
    UnknownConversationError: Ending.FAILED,
    Refusal: Ending.FAILED,
    OSError: Ending.FAILED,
    KeyboardInterrupt: Ending.FAILED,
    Left: Ending.FAILED,
}
_NAMED: tuple[type[BaseException], ...] = (BaseExceptionGroup, *_ENDINGS)

Command = Callable[[Settings], Awaitable[Ending | None]]


def run(command: Command, *, is_service: bool = False) -> NoReturn:
    """Run a command to its end and leave the program with its code."""
    level = logging.INFO if is_service else logging.WARNING
    handler = set_up_logging(sys.stderr, level, is_service=is_service)
    try:
        ending = asyncio.run(_with_settings(command)) or Ending.DONE
        sys.stdout.flush()
    except _NAMED as error:
        ending = _tell(error)
    finally:
        logging.getLogger().removeHandler(handler)
        drop_what_cannot_be_written()
    raise typer.Exit(ending)


def open_what_is_closed() -> None:
    """Who starts a program may close its streams (`>&-`). Their numbers must not go to the next
    file that is opened: that is the database. To write an answer fails all the same."""
    if sys.stdin is None:
        sys.stdin = open(os.open(os.devnull, os.O_RDONLY))  # noqa: PTH123, SIM115 - a number
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w")  # noqa: PTH123, SIM115 - as above
    if sys.stderr is None:
        sys.stderr = open(os.open(os.devnull, os.O_WRONLY), "w")  # noqa: PTH123, SIM115 - as above


def replace_what_cannot_be_written() -> None:
    """A terminal that knows few characters shows others as `?`; that is no reason to fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


async def _with_settings(command: Command) -> Ending | None:
    return await command(Settings.load())


def _tell(error: BaseException) -> Ending:
    """Say on stderr what happened. Raise what has no name: a defect must be seen."""
    for leaf in _leaves(error):
        for kind, ending in _ENDINGS.items():
            if isinstance(leaf, kind):
                if not isinstance(leaf, BrokenPipeError | KeyboardInterrupt | Left):
                    with suppress(OSError):  # the code tells it where nobody reads
                        typer.echo(_sentence(leaf), err=True)
                return ending
    raise error


def drop_what_cannot_be_written() -> None:
    """Or the interpreter would try again at its end, and complain in words of its own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _sentence(error: BaseException) -> str:
    match error:
        case UnknownConversationError():
            return "There is no conversation with this id; list shows those that there are."
        case OSError():
            return f"{error.filename or 'Input or output'}: {error.strerror or 'failed'}."
        case _:
            return str(error)
