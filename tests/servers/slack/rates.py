"""How often a method may be called, for each workspace and, for some, each channel."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field

_CHANNEL = "/channel"


@dataclass(frozen=True, slots=True)
class Tier:
    """So many calls in any span of so many seconds."""

    calls: int
    seconds: float = 60.0


REAL: Mapping[str, Tier] = {
    "auth.test": Tier(600),
    "apps.connections.open": Tier(50),
    "assistant.threads.setStatus/channel": Tier(60),
    "chat.delete": Tier(50),
    "chat.postEphemeral": Tier(100),
    "chat.postMessage": Tier(300),
    "chat.postMessage/channel": Tier(5, 5.0),  # one a second, short bursts are borne
    "chat.update": Tier(50),
    "conversations.history": Tier(50),
    "conversations.info": Tier(50),
    "conversations.open": Tier(50),
    "conversations.replies": Tier(50),
    "reactions.add": Tier(50),
    "users.info": Tier(100),
}
"""As Slack documents them for an app that a company built for itself."""


@dataclass(slots=True)
class Rates:
    """`tiers` by method; "method/channel" counts each channel by itself. What has none is free."""

    tiers: Mapping[str, Tier] = field(default_factory=dict)
    _calls: dict[tuple[str, str], deque[int]] = field(default_factory=lambda: defaultdict(deque))

    def take(self, method: str, team: str, channel: str, now: int) -> float:
        """Count a call and return 0, or the seconds after which it may be made."""
        buckets = [(method, team), (method + _CHANNEL, f"{team} {channel}")]
        waits = [self._wait(*bucket, now) for bucket in buckets]
        if not any(waits):
            for bucket in buckets:
                if bucket[0] in self.tiers:
                    self._calls[bucket].append(now)
        return max(waits)

    def _wait(self, name: str, who: str, now: int) -> float:
        tier = self.tiers.get(name)
        calls = self._calls[name, who]
        if tier is None:
            return 0
        while calls and now - calls[0] >= tier.seconds * 1000:
            calls.popleft()
        if len(calls) < tier.calls:
            return 0
        return tier.seconds - (now - calls[0]) / 1000
