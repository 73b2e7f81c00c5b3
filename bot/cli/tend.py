"""`tools` and `link`: what the operator looks after."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.shell import Refusal
from bot.cli.shell import run as run_command
from bot.main import open_memory, open_toolbox
from bot.settings import Settings
from memory import people
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


async def _tools(settings: Settings) -> None:
    toolbox = await open_toolbox(settings)
    for spec in toolbox.specs:
        risk = "reads" if toolbox.is_read(spec.name) else "changes something"
        typer.echo(f"{spec.name} ({risk})\n    {' '.join(spec.description.split())}")
    if not toolbox.specs:
        typer.echo("There are no tools; NIMBUS_TOOLS names the modules that have some.", err=True)


async def _link(settings: Settings, person: str, customer: str) -> None:
    key = _person(person)
    if not customer.strip() or not customer.isprintable():
        raise Refusal("CUSTOMER must be the id that the customer has in the shop.")
    async with open_memory(settings) as database:
        await database.write(lambda tx: people.link(tx, key, customer))
    typer.echo(f"{key} is customer {customer} now.")


_FORMS = {"slack": 3, "discord": 2, "terminal": 2}  # in how many parts a person is written


def _person(text: str) -> PersonKey:
    """Raise Refusal for what no platform calls a person."""
    parts = text.split(":")
    if _FORMS.get(parts[0]) != len(parts) or not all(map(str.strip, parts)):
        raise Refusal(
            "PERSON must be written as list shows it: slack:T1:U1, discord:U9 or terminal:robin."
        )
    return PersonKey.parse(text)
