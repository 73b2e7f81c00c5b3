"""Files for one person: seen by nobody else, or in their direct messages."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any

import discord
from discord import Client
from discord.http import Route

from adapters.discord import notices
from adapters.discord.answers import DiscordError
from adapters.discord.decode import in_lines
from adapters.discord.interactions import EPHEMERAL, HOOK, Interaction
from adapters.discord.web import asked
from bot import wording
from bot.platform import Inbound
from bot.told import File

_UPLOAD_MS = 60_000
_log = logging.getLogger(__name__)


async def send(client: Client, route: Route, body: Mapping[str, Any], file: File) -> None:
    """A message with a file. Raise DiscordError."""
    told = {**body, "attachments": [{"id": 0, "filename": file.name}]}
    content = discord.File(io.BytesIO(file.content), file.name)
    form: list[dict[str, Any]] = [
        {"name": "payload_json", "value": json.dumps(told)},
        {
            "name": "files[0]",
            "value": content.fp,
            "filename": file.name,
            "content_type": "application/json",
        },
    ]
    await asked(client.http.request(route, files=[content], form=form), _UPLOAD_MS)


async def answer(interaction: Interaction, text: str, files: AsyncIterator[File]) -> None:
    """Once an answer was promised: files that nobody else sees, each in a message of its own."""
    owner = interaction.told["application_id"]
    body: dict[str, Any] = {"content": in_lines(text), "allowed_mentions": {"parse": []}}
    route = interaction.route("PATCH", f"{HOOK}/messages/@original", owner)
    try:
        async for file in files:
            await send(interaction.client, route, body, file)
            route = interaction.route("POST", HOOK, owner)
            body = {**body, "content": "", "flags": EPHEMERAL}
    except DiscordError as error:
        _log.warning("Files were not sent: %s", error, extra={"action": "discord.files_not_sent"})
        await interaction.answer(wording.EXPORT_NOT_SENT)


async def hand_over(client: Client, said: Inbound, text: str, files: AsyncIterator[File]) -> None:
    """Into the direct messages of who asked for them in a message, and say so there."""
    told = wording.EXPORT_SENT
    try:
        opened = await asked(client.http.start_private_message(int(said.person.user)))
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=opened["id"])
        async for file in files:
            body = {"content": in_lines(text), "allowed_mentions": {"parse": []}}
            await send(client, route, body, file)
            text = ""
    except DiscordError as error:
        _log.warning("Files were not sent: %s", error, extra={"action": "discord.files_not_sent"})
        told = wording.EXPORT_NOT_SENT
    await notices.tell(client, said.address, told)
