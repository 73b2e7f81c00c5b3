"""What Slack tells, as the core reads it. Pure: no network, no names looked up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from adapters.slack.decode import decode, mentions_others, mentions_us
from bot.platform import Author, Deleted, Edited, Event, Inbound, Removed
from memory.keys import PersonKey, PlaceKey, Surface

Json = Mapping[str, Any]
Dm = Literal["flat", "threads"]
PLATFORM = "slack"

_SAID = frozenset({"", "file_share", "thread_broadcast", "me_message", "bot_message"})
SURFACES: dict[str, Surface] = {
    "im": "direct",
    "app_home": "direct",
    "channel": "public",
    "group": "private",
    "mpim": "private",
    "C": "public",  # as told where somebody joins
    "G": "private",
}


@dataclass(frozen=True, slots=True)
class Installation:
    """Who we are in one workspace, or in one organisation of several (`is_org`)."""

    workspace: str
    team: str
    user: str
    bot: str
    enterprise: str = ""
    is_org: bool = False

    def person(self, user: str) -> PersonKey:
        return PersonKey(PLATFORM, self.workspace, user)

    def is_ours(self, message: Json) -> bool:
        return message.get("user") == self.user or (
            bool(self.bot) and message.get("bot_id") == self.bot
        )


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads events for one installation. `surfaces` are those of channels that were met before:
    a mention's event does not tell its own, and until it is known the channel counts as private.
    """

    us: Installation
    dm: Dm = "flat"
    surfaces: Mapping[str, Surface] = field(default_factory=dict)

    def read(self, body: Json) -> Event | None:
        """The event in this body, or nothing: not a message, or one of our own."""
        event = body.get("event") or {}
        if event.get("type") not in {"message", "app_mention"}:
            return self._removed(body, event)
        match event.get("subtype", ""):
            case "message_changed":
                return self._changed(body, event)
            case "message_deleted":
                return self._deleted(event)
            case subtype if subtype in _SAID and not self.us.is_ours(event):
                return self._said(body, event, event)
            case _:
                return None

    def place(self, channel: str, ts: str, thread: str, surface: Surface) -> PlaceKey:
        """The place in which a message stands, or which its answer would begin."""
        if surface == "direct" and self.dm == "flat":
            return PlaceKey(PLATFORM, self.us.workspace, channel, "")
        return PlaceKey(PLATFORM, self.us.workspace, channel, thread or ts)

    def fetched(self, message: Json, channel: str, surface: Surface) -> Inbound | None:
        """A message as it was read back, from a place whose surface is known."""
        told = {"channel": channel, "surface": surface}
        if message.get("subtype", "") not in _SAID or self.us.is_ours(message):
            return None
        return self._said({}, told, message)

    def surface(self, event: Json) -> Surface:
        kind = event.get("channel_type")
        if kind is not None:
            return SURFACES.get(kind, "private")
        known: Surface = event.get("surface") or self.surfaces.get(event["channel"], "private")
        return known

    def _said(self, body: Json, event: Json, message: Json) -> Inbound | None:
        """`message` is the event itself, or what stands inside an edit."""
        author = message.get("user") or message.get("bot_id")
        if not author:
            return None
        surface = self.surface(event)
        text, ts, thread = message.get("text") or "", message["ts"], message.get("thread_ts", "")
        us = self.us.user
        return Inbound(
            place=self.place(event["channel"], ts, thread, surface),
            surface=surface,
            person=self.us.person(author),
            name="",
            message_id=ts,
            sent_order=sent_order(ts),
            said_at=milliseconds(ts),
            text=decode(text, us),
            address=self._address(event["channel"], surface, message),
            author=self._kind(body, message),
            mentions_us=event.get("type") == "app_mention" or mentions_us(text, us),
            mentions_others=mentions_others(text, us),
        )

    def _changed(self, body: Json, event: Json) -> Event | None:
        now, before = event["message"], event.get("previous_message") or {}
        if self.us.is_ours(now) or self.us.is_ours(before):
            return None
        if now.get("subtype") == "tombstone":  # what is left of a deleted message with replies
            return self._gone(event, before, now["ts"])
        if "edited" not in now or now.get("text") == before.get("text"):
            return None  # a link's preview, a file's thumbnail, a counter
        if now.get("subtype", "") not in _SAID:
            return None
        said = self._said(body, event, now)
        at = milliseconds(now["edited"].get("ts") or event["ts"])
        return said and Edited(said, at)

    def _deleted(self, event: Json) -> Deleted | None:
        before = event.get("previous_message") or {}
        if self.us.is_ours(before):
            return None
        return self._gone(event, before, event["deleted_ts"])

    def _gone(self, event: Json, before: Json, ts: str) -> Deleted:
        thread = before.get("thread_ts", "")
        return Deleted(self.place(event["channel"], ts, thread, self.surface(event)), ts)

    def _removed(self, body: Json, event: Json) -> Removed | None:
        """A channel that is deleted, or we with our token. That other tokens are revoked, such as a
        person's, changes nothing."""
        match event.get("type"):
            case "channel_deleted" | "group_deleted":
                channel = str(event["channel"])
            case "app_uninstalled":
                channel = ""
            case "tokens_revoked" if self.us.user in (event.get("tokens") or {}).get("bot", ()):
                channel = ""
            case _:
                return None
        at = 1000 * (int(body["event_time"]) + 1)  # told in whole seconds
        return Removed(PLATFORM, self.us.workspace, at, channel=channel)

    def _address(self, channel: str, surface: Surface, message: Json) -> dict[str, str]:
        """`thread` is where the answer goes, empty for the top of a flat direct message;
        `message` is what it answers."""
        ts, thread = message["ts"], message.get("thread_ts", "")
        if surface == "direct" and self.dm == "flat":
            thread = "" if thread == ts else thread  # as the root of a thread is told
        else:
            thread = thread or ts
        return {
            "workspace": self.us.workspace,
            "channel": channel,
            "thread": thread,
            "message": ts,
            "user": message.get("user") or "",
            "team": message.get("user_team") or self.us.team,
            "surface": surface,
        }

    def _kind(self, body: Json, message: Json) -> Author:
        if message.get("bot_id"):
            return "bot"
        home = message.get("user_team") or message.get("source_team") or message.get("team")
        ours = {None, self.us.team, self.us.enterprise or self.us.team}
        if home in ours:
            return "member"
        # Inside a Grid organisation the teams differ, and nobody is a stranger for that.
        is_shared = bool(body.get("is_ext_shared_channel"))
        return "external" if is_shared or not self.us.enterprise else "member"


def workspace_of(body: Json) -> str:
    """Which installation a payload is for: an event of a shared channel may come from elsewhere,
    and names ours under `authorizations`."""
    granted: Json = next(iter(body.get("authorizations") or ()), {})
    for given in (granted, _flat(body)):
        if str(given.get("is_enterprise_install")).lower() == "true":
            found = given.get("enterprise_id")
        else:
            found = given.get("team_id")
        if found:
            return str(found)
    return ""


def _flat(body: Json) -> Json:
    """A click names its workspace in another way than an event or a command."""
    if not isinstance(body.get("user"), Mapping):
        return body
    team, enterprise = body.get("team") or {}, body.get("enterprise") or {}
    return {
        "team_id": team.get("id"),
        "enterprise_id": enterprise.get("id"),
        "is_enterprise_install": body.get("is_enterprise_install"),
    }


def sent_order(ts: str) -> str:
    """The same, as text that sorts as Slack sorts."""
    seconds, _, fraction = ts.partition(".")
    return f"{seconds:0>12}.{fraction:0<6}"


def milliseconds(ts: str) -> int:
    seconds, _, fraction = ts.partition(".")
    return int(seconds) * 1000 + int(f"{fraction:0<6}"[:6]) // 1000
