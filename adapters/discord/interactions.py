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
        body = {
            "type": _CHANGE_LATER if instead else _ANSWER_LATER,
            "data": {"flags": EPHEMERAL},
        }
        await self._call("POST", "/interactions/{id}/{token}/callback", body, id=self.told["id"])

    async def answer(self, text: str, buttons: list[Mapping[str, Any]] | None = None) -> None:
        """Once it was promised."""
        rows = [{"type": 1, "components": buttons}] if buttons else []
        body = {"content": in_lines(text), "components": rows, "allowed_mentions": {"parse": []}}
        application = self.told["application_id"]
        path = "/webhooks/{application}/{token}/messages/@original"
        await self._call("PATCH", path, body, application=application)

    async def strip(self) -> None:
        """Take the buttons from the message that was clicked."""
        body = {"components": [], "allowed_mentions": {"parse": []}}
        ids = {"channel_id": self.told["channel_id"], "message_id": self.told["message"]["id"]}
        await self._call("PATCH", "/channels/{channel_id}/messages/{message_id}", body, **ids)

    async def _call(self, method: str, path: str, body: Mapping[str, Any], **ids: str) -> None:
        """It is not promised to arrive."""
        route = Route(method, path, token=self.told["token"], **ids)
        try:
            await asked(self.client.http.request(route, json=body))
        except DiscordError as error:
            _log.warning("Not answered: %s", error, extra={"action": "discord.not_answered"})
