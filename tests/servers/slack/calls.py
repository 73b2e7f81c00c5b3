"""One call of the Web API: its arguments, and the refusals that many methods share."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.servers.slack.installation import Installation
from tests.servers.slack.world import SCOPE_FAMILIES, Channel, Json, Message


class Refused(Exception):  # noqa: N818 -- what Slack answers, in its own words
    """`more` stands beside the error's code."""

    def __init__(self, error: str, **more: object) -> None:
        super().__init__(error)
        self.body: Json = {"ok": False, "error": error, **more}


@dataclass(frozen=True, slots=True)
class Call:
    workspace: Installation
    arguments: Json

    def get(self, name: str) -> str:
        """Empty when it is not there."""
        value = self.arguments.get(name)
        return "" if value is None else str(value)

    def flag(self, name: str) -> bool:
        return self.get(name).lower() in {"1", "true"}

    def structure(self, name: str, error: str) -> object:
        """JSON, which forms carry as text."""
        value = self.arguments.get(name)
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except ValueError:
            raise Refused(error) from None

    def need(self, scope: str) -> None:
        """Raise Refused unless the app was given the scope."""
        have = self.workspace.scopes
        if scope not in have:
            raise Refused("missing_scope", needed=scope, provided=",".join(sorted(have)))

    def channel(self, name: str = "channel") -> Channel:
        """Raise Refused unless the app can know of it."""
        channel = self.workspace.channels.get(self.get(name))
        if channel is None or (channel.kind != "public" and not self.inside(channel)):
            raise Refused("channel_not_found")
        return channel

    def inside(self, channel: Channel) -> bool:
        return self.workspace.bot.id in channel.members

    def need_of(self, channel: Channel, right: str) -> None:
        """Each kind of channel has scopes of its own."""
        self.need(f"{SCOPE_FAMILIES[channel.kind]}:{right}")

    def message(self, channel: Channel, ts: str) -> Message:
        message = channel.find(ts)
        if message is None or message.tombstone:
            raise Refused("message_not_found")
        return message
