"""`forget`, `export`, `purge`, `migrate`, `backup`: keeping what is remembered, or not."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bot import confirming, wording
from bot.cli import pages
from bot.cli.look import Id, read_report
from bot.cli.place import find
from bot.cli.shell import Ending
from bot.cli.shell import run as run_command
from bot.cli.tidy import tidy
from bot.main import open_erasure, open_memory, open_unmigrated
from bot.settings import Settings
from memory import workspaces
from memory.database import Database, wall_clock
from memory.errors import DatabaseLockedError, StorageError
from memory.migrate import migrate as apply
from memory.sqlite import ANY_SIZE
from memory.transfer import backup as copy

_TRIES = 20
_PAUSE_SECONDS = 0.1


def forget(conversation: Id) -> None:
    """Wipe a conversation, at once and for good."""
    run_command(lambda settings: _forget(settings, conversation))


def export(conversation: Id) -> None:
    """Print all that is kept of a conversation as JSON."""
    run_command(lambda settings: _export(settings, conversation))


def purge() -> None:
    """Delete what is past the retention window now."""
    run_command(_purge)


def migrate() -> None:
    """Bring the database to this version's schema; every other command does so, too."""
    run_command(_migrate)


def backup(
    file: Annotated[Path, typer.Argument(help="A file that does not exist yet.")],
) -> None:
    """Copy the whole database into a file, while others work on it."""
    if str(file) == "-":
        raise typer.BadParameter("A copy needs a file; it cannot be written to stdout.")
    run_command(lambda settings: _backup(settings, file))


async def _forget(settings: Settings, conversation: str) -> Ending:
    async with open_memory(settings, rewritten=ANY_SIZE) as database:
        found = await database.read(lambda tx: find(tx, conversation))
        erasure = await open_erasure(settings, database)
        gone = await erasure.forget_conversation(conversation, said_before=wall_clock())
        typer.echo(
            confirming.forgotten(
                confirming.gone(gone.conversations, 0, gone.turns, gone.messages),
                found.place.platform,
            )
        )
        return await empty_log(database)


async def _export(settings: Settings, conversation: str) -> None:
    async with open_memory(settings) as database:
        report = await database.read(lambda tx: read_report(tx, conversation))
    typer.echo(pages.as_json(pages.plain(report)))


async def _purge(settings: Settings) -> Ending:
    async with open_memory(settings, rewritten=ANY_SIZE) as database:
        erasure = await open_erasure(settings, database)
        gone = await tidy(settings, database, erasure, by_hand=True)
        others = await database.read(workspaces.list_all)
        age = wording.days(settings.retention_days)
        own = ", or their workspace's own window" if any(w.retention_days for w in others) else ""
        went = wording.count(gone, "conversation")
        typer.echo(f"Deleted: {went} without activity for {age}{own}.")
        return await empty_log(database)


async def _migrate(settings: Settings) -> None:
    async with open_unmigrated(settings) as database:
        news = await apply(database)
    typer.echo("\n".join(f"Applied {name}." for name in news) or "Nothing was new.")


async def _backup(settings: Settings, file: Path) -> None:
    await copy(settings.database_url, file)
    typer.echo(f"Copied to {file}.")


async def empty_log(database: Database, *, pause_seconds: float = _PAUSE_SECONDS) -> Ending:
    """Until nobody else reads the log, or it takes too long; `run` tries again every sweep. Raise
    StorageError, with what is left to do, when it cannot be emptied at all."""
    for _ in range(_TRIES):
        try:
            if await database.truncate_log():
                return Ending.DONE
        except DatabaseLockedError:
            pass
        except StorageError as error:
            raise StorageError(f"{error} {_STANDS}") from error
        await asyncio.sleep(pause_seconds)
    typer.echo(f"Another program is reading the database. {_STANDS}", err=True)
    return Ending.FAILED


_STANDS = "Until purge has emptied the database's log, erased text may stand there."
