"""All commands under one name."""

from __future__ import annotations

import typer

from bot.cli import keep, look, serve, talk, tend
from bot.cli.shell import open_what_is_closed, replace_what_cannot_be_written

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
)


def build() -> typer.Typer:
    app = typer.Typer(
        name="nimbus",
        help="A chat bot with a memory, in this terminal.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    for command in _COMMANDS:
        app.command(command.__name__.partition("_")[0])(command)
    return app


def main() -> None:
    open_what_is_closed()
    replace_what_cannot_be_written()
    build()(prog_name="nimbus")
