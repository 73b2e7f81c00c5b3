"""The routes about the bot itself: its account, its gateway, its commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.servers.discord import shapes
from tests.servers.discord.calls import BadForm, Call, Refused
from tests.servers.discord.world import Json

COMMANDS = 100
IDENTIFIES_A_DAY = 1_000

_NAME = re.compile(r"[-_'\w]{1,32}")
_OPTIONS = 25


def whoami(call: Call) -> Json:
    return shapes.myself(call.app.user)


def application(call: Call) -> Json:
    return shapes.application(call.app, call.realm.users[call.app.owner])


def gateway(call: Call) -> Json:
    return {"url": call.realm.gateway_url}


def gateway_of_bot(call: Call) -> Json:
    left = IDENTIFIES_A_DAY - call.realm.hubs[call.app.id].identifies
    limit = {"total": IDENTIFIES_A_DAY, "remaining": left, "reset_after": 86_400_000}
    return {**gateway(call), "shards": 1, "session_start_limit": {**limit, "max_concurrency": 1}}


def commands(call: Call) -> list[Json]:
    return call.app.commands.get(_where(call), [])


def put_commands(call: Call) -> list[Json]:
    """In place of all that were there; one that keeps its name keeps its id."""
    where, wanted = _where(call), call.items
    if len(wanted) > COMMANDS:
        problem = "APPLICATION_COMMAND_TOO_MANY", f"Maximum number of commands is {COMMANDS}."
        raise BadForm({"_": problem})
    if problems := dict(_problems(wanted)):
        raise BadForm(problems)
    before = {each["name"]: each["id"] for each in call.app.commands.get(where, [])}
    call.app.commands[where] = [_made(call, each, before, where) for each in wanted]
    call.realm.pulse.beat()
    return call.app.commands[where]


def _where(call: Call) -> str:
    if call.path["application"] != call.app.id:
        raise Refused(20012)
    return call.guild().id if "guild" in call.path else ""


def _made(call: Call, wanted: Json, before: Json, where: str) -> Json:
    made: Json = {
        "type": 1,
        "description": "",
        "options": [],
        "default_member_permissions": None,
        "nsfw": False,
        "contexts": None,
        "integration_types": [0],
        **wanted,
        "id": before.get(wanted["name"]) or call.realm.ids.next(),
        "application_id": call.app.id,
        "version": call.realm.ids.next(),
    }
    if where:
        made["guild_id"] = where
    return made


def _problems(wanted: list[Json]) -> Iterator[tuple[str, tuple[str, str]]]:
    for at, each in enumerate(wanted):
        yield from _command_problems(str(at), each)
    names = [(each.get("name"), each.get("type", 1)) for each in wanted]
    if len(names) != len(set(names)):
        problem = "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique"
        yield str(len(names) - 1), problem


def _command_problems(where: str, one: Json) -> Iterator[tuple[str, tuple[str, str]]]:
    name = str(one.get("name", ""))
    if one.get("type", 1) == 1:
        if not _NAME.fullmatch(name) or name != name.lower():
            problem = "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid"
            yield f"{where}.name", problem
        if not 1 <= len(str(one.get("description", ""))) <= 100:
            problem = "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length."
            yield f"{where}.description", problem
    options = one.get("options") or []
    if len(options) > _OPTIONS:
        yield f"{where}.options", ("BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
    for at, each in enumerate(options):
        yield from _command_problems(f"{where}.options.{at}", {**each, "type": 1})
