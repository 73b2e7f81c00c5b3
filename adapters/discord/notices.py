"""What is told to somebody who wrote a message, and is not the answer of a turn."""

from __future__ import annotations

import logging

from discord import Client
from discord.http import Route

from adapters.discord.answers import DiscordError
from adapters.discord.decode import in_lines
from adapters.discord.web import asked
from bot import wording
from bot.platform import Address, Inbound

_log = logging.getLogger(__name__)
_NO_PREVIEWS = 1 << 2


async def tell(client: Client, address: Address, text: str) -> None:
    """Without a ping, and without a turn's mark, so that it never passes for an answer. It is not
    promised to arrive."""
    body = {
        "content": in_lines(text),
        "flags": _NO_PREVIEWS,
        "allowed_mentions": {"parse": [], "replied_user": False},
        "message_reference": {"message_id": address["message"], "fail_if_not_exists": False},
    }
    route = Route("POST", "/channels/{channel_id}/messages", channel_id=address["channel"])
    try:
        await asked(client.http.request(route, json=body))
    except DiscordError as error:
        _log.warning("Not told: %s", error, extra={"action": "discord.not_told"})


async def tell_alone(client: Client, said: Inbound, text: str) -> None:
    """In the direct messages of who wrote it; where they wrote it only that it is there."""
    if said.surface == "direct":
        await tell(client, said.address, text)
        return
    told = wording.TOLD_ALONE
    try:
        opened = await asked(client.http.start_private_message(int(said.person.user)))
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=opened["id"])
        body = {"content": in_lines(text), "allowed_mentions": {"parse": []}}
        await asked(client.http.request(route, json=body))
    except DiscordError as error:
        _log.warning("Not told: %s", error, extra={"action": "discord.not_told"})
        told = wording.NOT_TOLD_ALONE
    await tell(client, said.address, told)
