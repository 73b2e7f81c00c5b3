"""`tools`, `link`, `retention`: what the operator looks after."""

from __future__ import annotations

from typing import Annotated

import typer

from bot import wording
from bot.cli.shell import Refusal
from bot.cli.shell import run as run_command
from bot.equipment import open_toolbox
from bot.main import open_memory
from bot.settings import Settings
from memory import people, workspaces
from memory.keys import PersonKey


def tools() -> None:
    """Name the tools that the model may use."""
    run_command(_tools)


def link(
    person: Annotated[str, typer.Argument(help="As list shows it, for example slack:T1:U1.")],
    customer: Annotated[str, typer.Argument(help="The customer's id in the shop.")],
) -> None:
    """Say which customer of the shop a person is."""
    run_command(lambda settings: _link(settings, person, customer))


def retention(
    workspace: Annotated[
        str | None,
        typer.Argument(help="As list shows it: slack:T1, discord:99; discord:@me is direct talk."),
    ] = None,
    days: Annotated[
        str | None, typer.Argument(help="Days, or default: as NIMBUS_RETENTION_DAYS says.")
    ] = None,
) -> None:
    """Say how long a workspace's conversations are kept; alone, list what was said."""
    if workspace is not None and days is None:
        raise typer.BadParameter("DAYS is missing.")
    run_command(lambda settings: _retention(settings, workspace, days or ""))


async def _tools(settings: Settings) -> None:
    async with open_memory(settings) as database:
        toolbox = await open_toolbox(settings, database)
    for spec in toolbox.specs:
        risk = "reads" if toolbox.is_read(spec.name) else "changes something"
        typer.echo(f"{spec.name} ({risk})\n    {' '.join(spec.description.split())}")
    if not settings.tools:
        typer.echo("There are no others; NIMBUS_TOOLS names the modules that have some.", err=True)


async def _link(settings: Settings, person: str, customer: str) -> None:
    key = _person(person)
    if not customer.strip() or not customer.isprintable():
        raise Refusal("CUSTOMER must be the id that the customer has in the shop.")
    async with open_memory(settings) as database:
        await database.write(lambda tx: people.link(tx, key, customer))
    typer.echo(f"{key} is customer {customer} now.")


async def _retention(settings: Settings, workspace: str | None, days: str) -> None:
    async with open_memory(settings) as database:
        if workspace is not None:
            key, window = _workspace(workspace), _window(days)
            await database.write(lambda tx: workspaces.set_window(tx, *key, window))
        all_of_them = await database.read(workspaces.list_all)
    known = [each for each in all_of_them if each.retention_days is not None]
    for each in known:
        typer.echo(f"{each.platform}:{each.workspace}  {wording.days(each.retention_days or 0)}")
    typer.echo(f"{'elsewhere' if known else 'everywhere'}  {wording.days(settings.retention_days)}")


def _workspace(text: str) -> tuple[str, str]:
    """Raise Refusal for what is no platform's."""
    platform, _, workspace = text.partition(":")
    if platform not in _FORMS or not workspace.strip() or ":" in workspace:
        raise Refusal("WORKSPACE must be written as list shows it: slack:T1, discord:99.")
    return platform, workspace


def _window(days: str) -> int | None:
    """Raise Refusal for what is no number of days."""
    if days == "default":
        return None
    if not (days.isascii() and days.isdigit() and 1 <= int(days) <= _MOST_DAYS):
        raise Refusal(f"DAYS must be a whole number from 1 to {_MOST_DAYS}, or default.")
    return int(days)


_MOST_DAYS = 36_500  # as of the setting
_FORMS = {"slack": 3, "discord": 2, "terminal": 2}  # in how many parts a person is written


def _person(text: str) -> PersonKey:
    """Raise Refusal for what no platform calls a person."""
    parts = text.split(":")
    if _FORMS.get(parts[0]) != len(parts) or not all(map(str.strip, parts)):
        raise Refusal(
            "PERSON must be written as list shows it: slack:T1:U1, discord:U9 or terminal:robin."
        )
    return PersonKey.parse(text)
