"""How a command ends: one sentence for every failure that has a name, and its exit code."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from enum import IntEnum
from typing import NoReturn

import typer

from bot.errors import AlreadyRunningError, ConfigError
from bot.settings import Settings
from memory.errors import StorageError, UnknownConversationError


class Ending(IntEnum):
    """Exit codes; 2 is typer's, for usage."""

    DONE = 0
    FAILED = 1
    CONFIGURATION = 3
    DATABASE = 4
    ALREADY_RUNNING = 5


class Refusal(Exception):  # noqa: N818 - the command did what it should: it said no
    """The command does not do what was asked; one sentence that says why."""


_ENDINGS: dict[type[BaseException], Ending] = {
    ConfigError: Ending.CONFIGURATION,
    StorageError: Ending.DATABASE,
    AlreadyRunningError: Ending.ALREADY_RUNNING,
    UnknownConversationError: Ending.FAILED,
    Refusal: Ending.FAILED,
    OSError: Ending.FAILED,
    KeyboardInterrupt: Ending.FAILED,
}


_NAMED: tuple[type[BaseException], ...] = (BaseExceptionGroup, *_ENDINGS)


def run(command: Callable[[Settings], Awaitable[Ending]]) -> NoReturn:
    """Run a command to its end and leave the program with its code."""
    try:
        ending = asyncio.run(_with_settings(command))
        sys.stdout.flush()
    except BrokenPipeError:
        ending = Ending.FAILED
        _leave_quietly()
    except _NAMED as error:
        ending, sentence = _explain(error)
        typer.echo(sentence, err=True, nl=bool(sentence))
    raise typer.Exit(ending)


async def _with_settings(command: Callable[[Settings], Awaitable[Ending]]) -> Ending:
    return await command(Settings.load())


def _explain(error: BaseException) -> tuple[Ending, str]:
    """Raise what has no name: a defect must be seen."""
    for leaf in _leaves(error):
        for kind, ending in _ENDINGS.items():
            if isinstance(leaf, kind):
                return ending, _sentence(leaf)
    raise error


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _sentence(error: BaseException) -> str:
    match error:
        case KeyboardInterrupt():
            return ""
        case UnknownConversationError():
            return "There is no conversation with this id. `list` shows those that there are."
        case OSError():
            return f"{error.filename or 'Input or output'}: {error.strerror or 'failed'}."
        case _:
            return str(error)


def _leave_quietly() -> None:
    """The reader went away: nobody is left to tell, at the interpreter's end either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
