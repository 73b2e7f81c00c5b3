"""`list` and `show`: what is remembered, and what of it would be sent."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

from adapters.terminal.screen import harmless
from bot.cli import pages
from bot.cli.place import find
from bot.cli.shell import run
from bot.context import Context, ContextBuilder
from bot.equipment import build_contexts, open_toolbox
from bot.main import open_memory
from bot.settings import Settings
from bot.shown import Reported, estimate, render
from memory import history, reports
from memory.database import Transaction
from memory.messages import user

_MOST = 200  # lines of a list that a person reads
_ALL_TURNS = 2**62  # before this turn's number

Id = Annotated[str, typer.Argument(metavar="ID", help="The conversation's id.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def list_conversations(*, as_json: Json = False) -> None:
    """List the conversations, the newest activity first."""
    run(lambda settings: _list(settings, as_json=as_json))


def show(
    conversation: Id,
    *,
    context: Annotated[
        bool, typer.Option("--context", help="Print what the next question would send.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="With --context: also the system prompt and tools.")
    ] = False,
    question: Annotated[
        str | None, typer.Option(metavar="TEXT", help="With --context: the next question.")
    ] = None,
    trace: Annotated[bool, typer.Option("--trace", help="Print every step, and its cost.")] = False,
    as_json: Json = False,
) -> None:
    """Print a conversation."""
    if not context and (full or question is not None):
        raise typer.BadParameter("--full and --question belong to --context.")
    if context and trace:
        raise typer.BadParameter("Choose one of --context and --trace.")
    if context:
        run(
            lambda settings: _show_context(
                settings, conversation, question, full=full, as_json=as_json
            )
        )
    run(lambda settings: _show(settings, conversation, trace=trace, as_json=as_json))


async def _list(settings: Settings, *, as_json: bool) -> None:
    async with open_memory(settings) as database:
        found = await database.read(lambda tx: reports.list_conversations(tx, limit=_MOST))
    if as_json:
        typer.echo(pages.as_json([asdict(each) for each in found]))
    elif found:
        typer.echo(harmless("\n".join(map(pages.line, found))))
    else:
        typer.echo("Nothing was said yet.", err=True)


async def _show(settings: Settings, conversation: str, *, trace: bool, as_json: bool) -> None:
    async with open_memory(settings) as database:
        report = await database.read(lambda tx: read_report(tx, conversation))
    if as_json:
        typer.echo(pages.as_json(pages.plain(report)))
    else:
        lines = pages.trace(report) if trace else pages.transcript(report, settings.name)
        typer.echo(harmless("\n".join(lines)))


async def _show_context(
    settings: Settings, conversation: str, question: str | None, *, full: bool, as_json: bool
) -> None:
    asked = () if question is None else (user(question),)
    async with open_memory(settings) as database:
        toolbox = await open_toolbox(settings, database)
        contexts = await asyncio.to_thread(build_contexts, settings, toolbox)

        async def build(tx: Transaction) -> tuple[Context, Reported]:
            await find(tx, conversation)
            context = await contexts.build(tx, conversation, asked, _ALL_TURNS, await tx.now())
            return context, await _read_reported(tx, conversation, contexts)

        context, reported = await database.read(build)
    if as_json:
        typer.echo(pages.as_json(asdict(context)))
    else:
        typer.echo(harmless(render(context, full=full, reported=reported)))


async def _read_reported(tx: Transaction, conversation: str, contexts: ContextBuilder) -> Reported:
    """The estimate is measured at what the newest turn of one request has sent, built again."""
    sent = await reports.read_sent(tx, conversation)
    counted = await reports.find_counted(tx, conversation)
    if counted is None:
        return Reported(sent)
    turns = await history.read_turns(tx, conversation, [counted.number])
    asked = [each for turn in turns for each in turn.messages if each.role == "user"]
    context = await contexts.build(tx, conversation, asked, counted.number, counted.asked_at)
    return Reported.of(sent, counted.input_tokens, estimate(context))


async def read_report(tx: Transaction, conversation: str) -> reports.Report:
    """Raise UnknownConversationError, also for what can be no id."""
    await find(tx, conversation)
    return await reports.read(tx, conversation)
