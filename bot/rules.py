"""Is it for us: answered, kept as context, or none of our business. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Literal, Self

from bot.platform import Inbound
from bot.settings import Settings
from memory.follow import Standing
from memory.inbox import Verdict

FollowUp = Literal["auto", "mention", "always"]


@dataclass(frozen=True, slots=True)
class Rules:
    """What whoever runs Nimbus decides about who is answered. Lists hold the platform's ids of
    channels and people; an empty one allows everybody."""

    name: str = "Nimbus"
    follow_up: FollowUp = "auto"
    observe: bool = True
    allow_external: bool = False
    allow_bots: bool = False
    allow_channels: frozenset[str] = frozenset()
    deny_channels: frozenset[str] = frozenset()
    allow_people: frozenset[str] = frozenset()
    deny_people: frozenset[str] = frozenset()

    @classmethod
    def of(cls, settings: Settings) -> Self:
        return cls(**{each.name: getattr(settings, each.name) for each in fields(cls)})

    def glance(self, inbound: Inbound) -> Literal["addressed", "overheard", "ignored", "refused"]:
        """What can be told from the message alone."""
        if inbound.author == "bot" and not (self.allow_bots and inbound.mentions_us):
            return "ignored"
        if not is_addressed(inbound):
            return "overheard" if self._is_allowed_channel(inbound) else "ignored"
        return "addressed" if self._is_welcome(inbound) else "refused"

    def judge(self, inbound: Inbound, standing: Standing) -> Verdict:
        """What an overheard message is in a place that has a conversation."""
        if standing.muted:
            return "ignored"
        if self._is_welcome(inbound) and self._follows_up(inbound, standing):
            return "waiting"
        return "observed" if self.observe and self._is_welcome(inbound) else "noted"

    def _follows_up(self, inbound: Inbound, standing: Standing) -> bool:
        if self.follow_up != "auto":
            return self.follow_up == "always"
        if _begins_with(self.name, inbound.text):
            return True
        means_others = inbound.mentions_others or inbound.replies_to == "other"
        return standing.knows_author and not (standing.others_since or means_others)

    def _is_welcome(self, inbound: Inbound) -> bool:
        user = inbound.person.user
        return (
            self._is_allowed_channel(inbound)
            and (self.allow_external or inbound.author not in {"guest", "external"})
            and user not in self.deny_people
            and (not self.allow_people or user in self.allow_people)
        )

    def _is_allowed_channel(self, inbound: Inbound) -> bool:
        channel = inbound.parent or inbound.place.channel
        is_listed = not self.allow_channels or channel in self.allow_channels
        return inbound.surface == "direct" or (is_listed and channel not in self.deny_channels)


def is_addressed(inbound: Inbound) -> bool:
    """Whether it is said to us, whatever was said before it."""
    is_alone_with_us = inbound.surface in {"direct", "terminal"}
    return is_alone_with_us or inbound.mentions_us or inbound.replies_to == "us"


def _begins_with(name: str, text: str) -> bool:
    return re.match(rf"\W*{re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None
