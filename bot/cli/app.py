"""All commands under one name."""

from __future__ import annotations

from typing import Annotated

import typer

from bot import __version__
from bot.cli import keep, look, serve, talk, tend
from bot.cli.shell import PROGRAM, open_what_is_closed, replace_what_cannot_be_written

_COMMANDS = (
    talk.chat,
    talk.ask,
    look.list_conversations,
    look.show,
    keep.forget,
    keep.export,
    keep.purge,
    keep.migrate,
    keep.backup,
    serve.run,
    tend.tools,
    tend.link,
    tend.retention,
)


def _tell_version(is_asked: bool) -> None:  # noqa: FBT001 - typer calls it so
    if is_asked:
        typer.echo(f"nimbus {__version__}")
        raise typer.Exit


def build() -> typer.Typer:
    app = typer.Typer(
        name="nimbus",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_about)
    for command in _COMMANDS:
        app.command(command.__name__.partition("_")[0])(command)
    return app


def _about(
    *,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """A chat bot with a memory, in this terminal."""


def main() -> None:
    open_what_is_closed()
    replace_what_cannot_be_written()
    build()(prog_name=PROGRAM)
