"""What is told to somebody who wrote a message, and is not the answer of a turn."""

from __future__ import annotations

import logging

from discord import Client
from discord.http import Route

from adapters.discord.answers import DiscordError
from adapters.discord.decode import in_lines
from adapters.discord.web import asked
from bot.platform import Address

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
