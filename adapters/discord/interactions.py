"""Answering what is typed as a slash command or clicked: seen by one person only, and told within
three seconds that an answer comes."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discord import Client
from discord.http import Route

from adapters.discord.answers import DiscordError
from adapters.discord.decode import in_lines
from adapters.discord.guilds import Json
from adapters.discord.web import asked

EPHEMERAL = 1 << 6
COMMAND, COMPONENT = 2, 3  # kinds of interactions
_ANSWER_LATER, _CHANGE_LATER = 5, 6  # kinds of responses

HOOK = "/webhooks/{webhook_id}/{webhook_token}"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Interaction:
    """Its token lives for 15 minutes."""

    client: Client
    told: Json

    @property
    def id(self) -> str:
        return str(self.told["id"])

    @property
    def user(self) -> Json:
        """Who did it."""
        found: Json = (self.told.get("member") or {}).get("user") or self.told["user"]
        return found

    @property
    def custom_id(self) -> str:
        """What stands in the button that was clicked; empty for a command."""
        return str((self.told.get("data") or {}).get("custom_id") or "")

    async def promise(self, *, instead: bool = False) -> None:
        """An answer comes, `instead` of the message whose button was clicked."""
        later = {"type": _ANSWER_LATER, "data": {"flags": EPHEMERAL}}
        route = self.route("POST", "/interactions/{webhook_id}/{webhook_token}/callback", self.id)
        await self._call(route, {"type": _CHANGE_LATER} if instead else later)

    async def answer(self, text: str, buttons: list[Mapping[str, Any]] | None = None) -> None:
        """Once it was promised."""
        rows = [{"type": 1, "components": buttons}] if buttons else []
        body = {"content": in_lines(text), "components": rows, "allowed_mentions": {"parse": []}}
        await self._call(
            self.route("PATCH", f"{HOOK}/messages/@original", self.told["application_id"]), body
        )

    async def strip(self) -> None:
        """Take the buttons from the message that was clicked."""
        body = {"components": [], "allowed_mentions": {"parse": []}}
        path, message = "/channels/{channel_id}/messages/{message_id}", self.told["message"]["id"]
        channel = self.told["channel_id"]
        await self._call(Route("PATCH", path, channel_id=channel, message_id=message), body)

    def route(self, method: str, path: str, owner: str) -> Route:
        """By these names discord.py knows that no two interactions share a rate, and lets none
        wait for another."""
        return Route(method, path, webhook_id=owner, webhook_token=self.told["token"])

    async def _call(self, route: Route, body: Mapping[str, Any]) -> None:
        """It is not promised to arrive."""
        try:
            await asked(self.client.http.request(route, json=body))
        except DiscordError as error:
            _log.warning("Not answered: %s", error, extra={"action": "discord.not_answered"})
