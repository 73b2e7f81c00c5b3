"""`/nimbus <word>`, as Discord offers it to people, and what becomes of it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from discord import Client

from adapters.discord import files
from adapters.discord.answers import DiscordError
from adapters.discord.buttons import Confirm, Keep, Stop, asking_buttons, read_button
from adapters.discord.events import DIRECT, IN_A_GUILD, PLATFORM, Reader, milliseconds
from adapters.discord.guilds import THREADS, Json
from adapters.discord.interactions import COMMAND, Interaction
from adapters.discord.web import asked
from bot import wording
from bot.commands import OF_ONE_PLACE
from bot.noting import MEMORY
from bot.platform import Answer, Called, Reception
from memory.keys import PlaceKey

Insist = Callable[[Callable[[], Awaitable[Answer]]], Awaitable[Answer | None]]
"""Does it until it is done; None: that took too long."""

NAME = "nimbus"
WORDS = {
    "forget": "Wipe what I remember here, at once and for good",
    "forget-me": "Wipe all that I keep about you, wherever you said it",
    "new": "Start afresh; what was said before is kept",
    "stop": "End the answer that is being written",
    "mute": "In a thread: answer only when I am mentioned",
    "unmute": "In a thread: listen again",
    "status": "Model, size, and when this conversation is deleted",
    "export": "All that I keep of you, as files, only to you",
    "memory": "What I have noted about you: see it, delete it, switch it off",
    "help": "What I can do, and how long I keep what you say",
}
ACTION = {"type": 3, "name": "action", "description": "delete 3, delete all, off, on"}
"""What stands after `memory`, if anything: a text."""

_SUBCOMMAND, _CHAT_INPUT = 1, 1
_IN_GUILDS, _IN_DIRECT = 0, 1

_log = logging.getLogger(__name__)


def offered() -> dict[str, Any]:
    """The command as Discord is told of it."""
    return {
        "name": NAME,
        "type": _CHAT_INPUT,
        "description": "Forget, begin anew, stop, mute, status, export, memory, help",
        "contexts": [_IN_GUILDS, _IN_DIRECT],
        "integration_types": [0],
        "options": [
            {"type": _SUBCOMMAND, "name": word, "description": text, **_more(word)}
            for word, text in WORDS.items()
        ],
    }


def _more(word: str) -> dict[str, Any]:
    return {"options": [ACTION]} if word == MEMORY else {}


async def offer(client: Client, application: str) -> None:
    """Tell Discord of the command, unless it knows it as it is: a change takes a while to arrive
    everywhere. Without an answer the rest works all the same."""
    try:
        known = await asked(client.http.get_global_commands(application))
        if [_known(each) for each in known] != [offered()]:
            await asked(client.http.bulk_upsert_global_commands(application, [offered()]))
            _log.info("Offered /%s", NAME, extra={"action": "discord.offered"})
    except DiscordError as error:
        _log.warning("Not offered: /%s: %s", NAME, error, extra={"action": "discord.not_offered"})


async def interacted(
    reception: Reception, reader: Reader, interaction: Interaction, insist: Insist
) -> None:
    """Promise an answer, do it, answer."""
    called = read_called(reader, interaction)
    match read_button(interaction.custom_id):
        case Stop(turn):
            called = replace(called, words="stop", turn=turn)
            answer = await _run(reception, interaction, called, insist)
            if answer is not None and answer.comes_late:
                await interaction.strip()  # its worker died before it could
        case Confirm(user, said_at, words):
            await interaction.promise(instead=True)
            if user == called.person.user:
                called = replace(called, words=words, said_at=said_at)
                answer = await insist(lambda: reception.command(called, confirmed=True))
                await _tell(interaction, called, answer)
        case Keep():
            await interaction.promise(instead=True)
            await interaction.answer(wording.KEPT)
        case None if interaction.told["type"] == COMMAND:
            await _run(reception, interaction, called, insist)


async def _run(
    reception: Reception, interaction: Interaction, called: Called, insist: Insist
) -> Answer | None:
    await interaction.promise()
    is_anywhere = called.surface != "direct" and not (called.place.thread or called.turn)
    if called.words in OF_ONE_PLACE and is_anywhere:
        answer: Answer | None = Answer(wording.in_its_thread(reception.name, called.words))
    else:
        answer = await insist(lambda: reception.command(called))
    await _tell(interaction, called, answer)
    return answer


async def _tell(interaction: Interaction, called: Called, answer: Answer | None) -> None:
    if answer is None:
        await interaction.answer(wording.NOT_DONE)
        return
    if answer.files is not None:
        await files.answer(interaction, answer.text, answer.files)
        return
    asked = Confirm(called.person.user, called.said_at, called.words)
    await interaction.answer(await answer.tell(), asking_buttons(asked) if answer.asks else None)


def read_called(reader: Reader, interaction: Interaction) -> Called:
    """Who did it, and where; for a click the words are missing."""
    told = interaction.told
    guild, channel = told.get("guild_id") or "", told["channel_id"]
    user = interaction.user["id"]
    options: Sequence[Json] = (told.get("data") or {}).get("options") or ({},)
    place, parent = _place(guild, channel, told.get("channel") or {})
    surface = reader.surface(guild, channel)
    return Called(
        words=_words(options[0]),
        person=reader.person(user),
        place=place,
        surface=surface,
        said_at=milliseconds(interaction.id),
        address={
            "guild": guild,
            "channel": channel,
            "message": "",
            "user": user,
            "thread": "",
            "parent": parent,
            "surface": surface,
            "permissions": str((told.get("member") or {}).get("permissions") or ""),
        },
    )


def _words(option: Json) -> str:
    """The subcommand, and what was typed after it."""
    typed = (str(each.get("value") or "") for each in option.get("options") or ())
    name = (option.get("name") or "help").replace("-", " ")
    return " ".join(" ".join([name, *typed]).lower().split())


def _place(guild: str, channel: str, shape: Json) -> tuple[PlaceKey, str]:
    """An interaction tells what its channel is."""
    if not guild:
        return PlaceKey(PLATFORM, DIRECT, channel, ""), ""
    if shape.get("type") in THREADS:
        return PlaceKey(PLATFORM, guild, IN_A_GUILD, channel), shape.get("parent_id") or ""
    return PlaceKey(PLATFORM, guild, channel, ""), channel


def _known(command: Json) -> dict[str, Any]:
    """What Discord knows of a command, as far as we say it."""
    known = {each: command.get(each) for each in offered()}
    known["options"] = list(map(_known_option, command.get("options") or ()))
    return known


def _known_option(option: Json) -> dict[str, Any]:
    told = {each: option.get(each) for each in ("type", "name", "description")}
    inner = [_known_option(each) for each in option.get("options") or ()]
    return {**told, "options": inner} if inner else told
