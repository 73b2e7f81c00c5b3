"""How people reach a bot's commands and buttons."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from tests.servers.discord.interactions import COMMAND_USED, PRESSED, Interaction, begin
from tests.servers.discord.permissions import May
from tests.servers.discord.realm import Realm
from tests.servers.discord.world import Application, Channel, Json, Message, User, pressables
from tests.servers.people import NotPossible

SUBCOMMANDS = {1, 2}


def use_command(
    realm: Realm, user: User, channel: Channel, line: str, options: Mapping[str, object]
) -> Interaction:
    """`line` are the names of a command and what is below it: "nimbus forget"."""
    name, *below = line.removeprefix("/").split()
    found = _offered(realm, user, channel, name)
    if found is None:
        raise NotPossible(f"there is no command /{name} here")
    app, command = found
    data = {"id": command["id"], "name": name, "type": 1}
    data["options"] = _chosen(command, below, options)
    if "guild_id" in command:
        data["guild_id"] = command["guild_id"]
    return begin(realm, _made(realm, app, user, channel, data))


def press(realm: Realm, user: User, message: Message, custom_id: str, *values: str) -> Interaction:
    """The button (or menu) whose id begins so."""
    begins = (each for each in pressables(message.components))
    button = next((each for each in begins if str(each["custom_id"]).startswith(custom_id)), None)
    if button is None:
        raise NotPossible(f"there is no {custom_id} on: {message.content}")
    if button.get("disabled"):
        raise NotPossible(f"{custom_id} is disabled on: {message.content}")
    if message.only_for not in {"", user.id} or not realm.sees(user, message.channel):
        raise NotPossible(f"{user.name} does not see: {message.content}")
    app = realm.hubs[message.author.id].app
    data: Json = {"custom_id": button["custom_id"], "component_type": button["type"], "id": 1}
    if values:
        data["values"] = list(values)
    return begin(realm, _made(realm, app, user, message, data))


def _made(
    realm: Realm, app: Application, user: User, place: Channel | Message, data: Json
) -> Interaction:
    """With a message as its place something on that was pressed."""
    message = place if isinstance(place, Message) else None
    channel = place.channel if isinstance(place, Message) else place
    kind = PRESSED if message else COMMAND_USED
    token = secrets.token_urlsafe(48)
    ids = realm.ids.next(), token
    return Interaction(*ids, app, user, channel, kind, data, realm.clock(), message)


def _offered(
    realm: Realm, user: User, channel: Channel, name: str
) -> tuple[Application, Json] | None:
    """What the person finds behind a slash there, and of which bot."""
    if channel.guild is not None and May.USE_APPLICATION_COMMANDS not in realm.may(user, channel):
        raise NotPossible(f"{user.name} may not use commands there")
    for app in (each.app for each in realm.hubs.values()):
        command = app.command(channel.guild, name)
        if command is not None and _is_offered(app, command, user, channel):
            return app, command
    return None


def _is_offered(app: Application, command: Json, user: User, channel: Channel) -> bool:
    guild = channel.guild
    context = 0 if guild else 1
    contexts = command.get("contexts")
    if context not in ([0, 1, 2] if contexts is None else contexts):
        return False
    here = channel.members if guild is None else guild.members
    kinds = command.get("integration_types") or [0]
    return (0 in kinds and app.user.id in here) or (1 in kinds and user.id in app.installed_by)


def _chosen(command: Json, below: list[str], values: Mapping[str, object]) -> list[Json]:
    """The options as the wire has them: a subcommand holds its own."""
    offered = {each["name"]: each for each in command.get("options") or []}
    subcommands = {name for name, each in offered.items() if each["type"] in SUBCOMMANDS}
    if not below:
        if subcommands:
            raise NotPossible(f"choose one of {sorted(subcommands)}")
        return _filled(offered, values)
    name, *rest = below
    if name not in subcommands:
        raise NotPossible(f"there is no {name} below /{command['name']}")
    inside = _chosen(offered[name], rest, values)
    return [{"name": name, "type": offered[name]["type"], "options": inside}]


def _filled(offered: Mapping[str, Json], values: Mapping[str, object]) -> list[Json]:
    unknown = values.keys() - offered.keys()
    missing = [n for n, each in offered.items() if each.get("required") and n not in values]
    if unknown or missing:
        raise NotPossible(f"no such options: {sorted(unknown)}; missing: {missing}")
    return [
        {"name": name, "type": offered[name]["type"], "value": value}
        for name, value in values.items()
    ]
