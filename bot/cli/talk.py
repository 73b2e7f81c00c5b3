"""`chat` and `ask`: talking with Nimbus in this terminal."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated
from uuid import uuid4

import typer

from adapters.terminal.chat import Chat, attend
from adapters.terminal.lines import Lines, PipedLines
from adapters.terminal.reply import TerminalOutlet
from adapters.terminal.screen import Screen, person_screen
from bot.cli.place import TerminalPlace, choose_place, this_person
from bot.cli.shell import Ending, run
from bot.cli.tidy import tidy
from bot.main import assemble, open_memory
from bot.schedule import Schedule
from bot.settings import Settings
from bot.trace import Listener, unheard
from memory.engines import watch_file

Verbose = Annotated[
    bool, typer.Option("-v", "--verbose", help="Print what happens while it happens.")
]

_GRACE_SECONDS = 2.0  # what a retention that still deletes gets at the end


def chat(
    *,
    resume: Annotated[
        str | None, typer.Option(metavar="ID", help="Go on with this conversation.")
    ] = None,
    verbose: Verbose = False,
) -> None:
    """Talk with Nimbus in this terminal."""
    run(lambda settings: _chat(settings, resume, verbose=verbose))


def ask(
    text: Annotated[str, typer.Argument(help="The question.")],
    *,
    conversation: Annotated[
        str | None, typer.Option(metavar="ID", help="Ask in this conversation.")
    ] = None,
    verbose: Verbose = False,
) -> None:
    """Ask one question. The answer, or why there is none, goes to stdout; the conversation's id,
    and what was asked before and is answered only now, go to stderr. Without an answer the code
    is 1."""
    if not text.strip():
        raise typer.BadParameter("There is no question.")
    run(lambda settings: _ask(settings, text, conversation, verbose=verbose))


async def _chat(settings: Settings, resume: str | None, *, verbose: bool) -> Ending:
    is_typed = sys.stdin.isatty() and sys.stdout.isatty()
    screen = person_screen(sys.stdout) if is_typed else Screen(sys.stdout, sys.stderr)
    async with _sit_down(settings, resume, screen, verbose=verbose) as here:
        piped = PipedLines(sys.stdin.fileno())
        await here.greet(at_length=is_typed)
        chat = (
            Chat(here, open_typed_lines("> "), screen, early=piped)
            if is_typed
            else Chat(here, piped, screen)
        )
        is_answered = await chat.run() or is_typed
    return Ending.DONE if is_answered and not screen.is_broken else Ending.FAILED


async def _ask(settings: Settings, text: str, conversation: str | None, *, verbose: bool) -> Ending:
    screen = Screen(sys.stdout, sys.stderr)
    async with _sit_down(settings, conversation, screen, verbose=verbose) as here:
        await here.greet(at_length=False)
        await here.is_busy_elsewhere()
        await here.wait_for_others()
        with screen.aside():
            await attend(here.take_up(), here.stop)
        is_answered = await attend(here.ask(text), here.stop)
    return Ending.DONE if is_answered and not screen.is_broken else Ending.FAILED


@asynccontextmanager
async def _sit_down(
    settings: Settings, resume: str | None, screen: Screen, *, verbose: bool
) -> AsyncIterator[TerminalPlace]:
    """A place in this terminal whose questions are answered while the block lasts."""
    listener: Listener = (lambda event: screen.note(str(event))) if verbose else unheard
    person, worker = this_person(), f"cli:{uuid4().hex}"
    async with open_memory(settings) as database:
        still_there = await watch_file(settings.database_url)
        place = await database.write(lambda tx: choose_place(tx, resume, person))
        outlet = TerminalOutlet(screen)
        async with (
            assemble(
                settings, database, worker=worker, outlets=[outlet], listener=listener
            ) as parts,
            Schedule(database, worker, grace_seconds=_GRACE_SECONDS) as schedule,
            TerminalPlace(
                parts, place, person, screen, outlet=outlet, still_there=still_there
            ).open() as here,
        ):
            schedule.add("retention", partial(tidy, settings, database, parts.erasure))
            yield here


def open_typed_lines(mark: str) -> Lines:
    """Line editing, imported only where a person types."""
    from adapters.terminal.prompt import TypedLines

    return TypedLines(mark)
