"""One call of the REST API: what it names, and the refusals that many routes share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.servers.discord.permissions import May
from tests.servers.discord.realm import Realm
from tests.servers.discord.world import Application, Channel, Guild, Json, Message

REFUSALS: Mapping[int, tuple[int, str]] = {
    10003: (404, "Unknown Channel"),
    10004: (404, "Unknown Guild"),
    10007: (404, "Unknown Member"),
    10008: (404, "Unknown Message"),
    10013: (404, "Unknown User"),
    10015: (404, "Unknown Webhook"),
    10062: (404, "Unknown interaction"),
    20012: (403, "You are not authorized to perform this action on this application"),
    20016: (429, "This action cannot be performed due to slowmode rate limit"),
    30046: (
        429,
        "Maximum number of edits to messages older than 1 hour reached. Try again later.",
    ),
    40005: (413, "Request entity too large"),
    40060: (400, "Interaction has already been acknowledged."),
    50001: (403, "Missing Access"),
    50003: (403, "Cannot execute action on a DM channel"),
    50005: (403, "Cannot edit a message authored by another user"),
    50006: (400, "Cannot send an empty message"),
    50007: (403, "Cannot send messages to this user"),
    50013: (403, "Missing Permissions"),
    50024: (400, "Cannot execute action on this channel type"),
    50027: (401, "Invalid Webhook Token"),
    50035: (400, "Invalid Form Body"),
    50083: (400, "Thread is archived"),
    50278: (403, "Cannot send messages to this user"),
    160002: (403, "Cannot reply without permission to read message history"),
    160004: (400, "A thread has already been created for this message"),
    160005: (403, "Thread is locked"),
}
"""By code: the status, and what Discord says."""


class Refused(Exception):  # noqa: N818 -- what Discord answers, in its own words
    """`more` stands beside the code and its message."""

    def __init__(self, code: int, **more: object) -> None:
        super().__init__(code)
        self.code = code
        self.status, message = REFUSALS[code]
        wait = {"retry_after": 1.0, "global": False} if self.status == 429 else {}
        self.body: Json = {"message": message, "code": code, **wait, **more}


class BadForm(Refused):
    """`problems` by field ("components.0.label"): a word in capitals, and a sentence."""

    def __init__(self, problems: Mapping[str, tuple[str, str]]) -> None:
        errors: Json = {}
        for path, (code, message) in problems.items():
            place = errors
            for step in path.split("."):
                place = place.setdefault(step, {})
            place["_errors"] = [{"code": code, "message": message}]
        super().__init__(50035, errors=errors)


@dataclass(frozen=True, slots=True)
class Call:
    """`path` has the ids of the address, `query` what stands behind it."""

    realm: Realm
    app: Application
    path: Mapping[str, str]
    query: Mapping[str, str]
    body: Json
    items: list[Json] = field(default_factory=list)  # of a body that is a list
    files: Mapping[str, bytes] = field(default_factory=dict)

    def guild(self) -> Guild:
        """Raise Refused unless the bot is inside."""
        guild = self.realm.guilds.get(self.path["guild"])
        if guild is None or guild.unavailable or self.app.user.id not in guild.members:
            raise Refused(10004)
        return guild

    def channel(self) -> Channel:
        """Raise Refused unless the bot sees it."""
        channel = self.realm.channel(self.path["channel"])
        if channel is None or (channel.guild is not None and channel.guild.unavailable):
            raise Refused(10003)
        if not self.realm.sees(self.app.user, channel):
            raise Refused(50001)
        return channel

    def need(self, channel: Channel, right: May) -> None:
        """Raise Refused unless the bot may do that there."""
        if not self.may(channel, right):
            raise Refused(50013)

    def may(self, channel: Channel, right: May) -> bool:
        return right in self.realm.may(self.app.user, channel)

    def message(self, channel: Channel) -> Message:
        message = channel.find(self.path["message"])
        if message is None:
            raise Refused(10008)
        return message
