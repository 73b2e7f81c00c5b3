"""Who people are and what channels are called in one workspace; remembered for a while."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from adapters.chat.kept import MOST, Kept
from adapters.slack.events import SURFACES
from adapters.slack.paced import paced
from adapters.slack.rates import Governor
from adapters.slack.web import SlackError
from bot.lease import Clock
from bot.platform import Author
from memory.keys import Surface

_NOT_THERE = frozenset({"user_not_found", "user_not_visible", "channel_not_found"})
SOMEBODY = "somebody"
_SOMEWHERE = "a-channel"


@dataclass(frozen=True, slots=True)
class Profile:
    """`rules` are the workspace and the organisation in which somebody is an administrator."""

    name: str = SOMEBODY
    kind: Author = "member"
    rules: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Channel:
    name: str = _SOMEWHERE
    surface: Surface = "private"


class Directory:
    """Asks Slack once in an hour for each."""

    def __init__(
        self, client: AsyncWebClient, governor: Governor, clock: Clock, *, most: int = MOST
    ) -> None:
        self._client = client
        self._governor = governor
        self._people: Kept[Profile] = Kept(clock, self._ask_for_person, most)
        self._channels: Kept[Channel] = Kept(clock, self._ask_for_channel, most)

    async def person(self, user: str, *, is_fresh: bool = False) -> Profile:
        """Raise SlackError; who is not there is somebody. `is_fresh`: as it is now."""
        return await self._people.get(user, is_fresh=is_fresh)

    async def channel(self, channel: str) -> Channel:
        """Raise SlackError; what is not to be seen is a channel without a name."""
        return await self._channels.get(channel)

    async def _ask_for_person(self, user: str) -> Profile:
        if not user.startswith(("U", "W")):
            return Profile()  # a classic bot has no account
        try:
            ask = partial(self._client.users_info, user=user)
            response = await paced(self._governor, "users.info", "", ask)
        except SlackError as error:
            if error.code in _NOT_THERE:
                return Profile()
            raise
        return profile(response["user"])

    async def _ask_for_channel(self, channel: str) -> Channel:
        try:
            ask = partial(self._client.conversations_info, channel=channel)
            response = await paced(self._governor, "conversations.info", channel, ask)
        except SlackError as error:
            if error.code in _NOT_THERE:
                return Channel()
            raise
        found = response["channel"]
        return Channel(found.get("name") or _SOMEWHERE, SURFACES[channel_type(found)])


def profile(user: dict[str, Any]) -> Profile:
    """What `users.info` tells."""
    shown = user.get("profile") or {}
    name = shown.get("display_name") or shown.get("real_name") or user.get("name") or SOMEBODY
    kind: Author = "member"
    if user.get("is_bot"):
        kind = "bot"
    elif user.get("is_stranger"):
        kind = "external"
    elif user.get("is_restricted") or user.get("is_ultra_restricted"):
        kind = "guest"
    rules = kind == "member" and bool(user.get("is_admin") or user.get("is_owner"))
    return Profile(name, kind, _homes(user) if rules else frozenset())


def _homes(user: dict[str, Any]) -> frozenset[str]:
    """A workspace that we share a channel with has administrators, too."""
    organisation = user.get("enterprise_user") or {}
    homes = (user.get("team_id"), organisation.get("enterprise_id"))
    return frozenset(each for each in homes if each)


def channel_type(channel: dict[str, Any]) -> str:
    """What `conversations.info` tells, as events tell it."""
    if channel.get("is_im"):
        return "im"
    if channel.get("is_mpim"):
        return "mpim"
    return "group" if channel.get("is_private") else "channel"
