"""How often Slack may be asked, method by method: we slow down before it has to say so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Clock = Callable[[], float]
"""Milliseconds; only differences mean anything."""

_MINUTE = 60_000
_LONGEST_CLOSED = 5 * _MINUTE  # nobody means a longer "retry after"
_CHANNEL = "/channel"


@dataclass(frozen=True, slots=True)
class Tier:
    """So many calls at once, and then one every so many milliseconds."""

    burst: int
    every: float


def per_minute(calls: int, *, share: float = 0.25) -> Tier:
    """No minute sees more calls, those of the burst included, which is a share of them; a tenth is
    left for a network that is quicker for one call than for another."""
    burst = int(share * calls)
    return Tier(burst, _MINUTE / (0.9 * calls - burst))


def looking(calls: int) -> Tier:
    """What is asked when many begin to talk at once, and then for an hour not again."""
    return per_minute(calls, share=0.5)


REAL: Mapping[str, Tier] = {
    "assistant.threads.setStatus": per_minute(300),
    "assistant.threads.setStatus/channel": per_minute(60),
    "chat.delete": per_minute(50),
    "chat.postEphemeral": per_minute(100),
    "chat.postMessage": per_minute(300),
    "chat.postMessage/channel": Tier(1, 1_100),
    "chat.update": per_minute(50),
    "conversations.history": looking(50),
    "conversations.info": looking(50),
    "conversations.open": per_minute(50),
    "conversations.replies": looking(50),
    "users.info": looking(100),
}
"""Slack's, for each workspace and, with "/channel", for each channel in it. A method that is not
named is not limited here."""

PAUSES = (0.5, 2.0, 8.0)
"""Seconds between two tries of a call that may be made twice."""


class Governor:
    """Lets the calls to one workspace through; each process has its own, and a 429 tells of others.

    What must be sent waits for its turn, in order. What is only shown meanwhile goes at once or
    not at all: it finds nothing while anybody waits, and leaves what is reserved.
    """

    def __init__(
        self,
        clock: Clock,
        tiers: Mapping[str, Tier] = REAL,
        pauses: Sequence[float] = PAUSES,
    ) -> None:
        self.pauses = pauses
        self._clock = clock
        self._tiers = tiers
        self._buckets: dict[tuple[str, str], _Bucket] = {}

    def may_show(self, method: str, channel: str) -> bool:
        """Whether this call may be made now although nothing depends on it; it counts as made."""
        now, buckets = self._clock(), self._of(method, channel)
        if not all(bucket.has_spare(now) for bucket in buckets):
            return False
        for bucket in buckets:
            bucket.take(now)
        return True

    async def turn(self, method: str, channel: str) -> None:
        """Wait until this call may be made; it counts as made."""
        buckets = self._of(method, channel)
        while True:
            now = self._clock()
            wait = max((bucket.take(now) for bucket in buckets), default=0.0)
            try:
                await asyncio.sleep(wait / 1000)
            except asyncio.CancelledError:
                for bucket in buckets:
                    bucket.give_back()
                raise
            if all(bucket.closed_until <= self._clock() for bucket in buckets):
                return

    def reserve(self, method: str) -> bool:
        """Keep one of the calls that can be made at once, for an end that will need it; at most
        half of them."""
        return all(bucket.reserve(self._clock()) for bucket in self._of(method, ""))

    def release(self, method: str) -> None:
        for bucket in self._of(method, ""):
            bucket.reserved -= 1

    def refused(self, method: str, channel: str, seconds: float) -> None:
        """Slack said 429: nothing for so long."""
        until = self._clock() + min(seconds * 1000, _LONGEST_CLOSED)
        for bucket in self._of(method, channel):
            bucket.close(until)

    def _of(self, method: str, channel: str) -> list[_Bucket]:
        keys = [(method, "")]
        if channel:
            keys.append((method + _CHANNEL, channel))
        return [self._bucket(key) for key in keys if key[0] in self._tiers]

    def _bucket(self, key: tuple[str, str]) -> _Bucket:
        if key not in self._buckets:
            self._buckets[key] = _Bucket(self._tiers[key[0]])
        return self._buckets[key]


@dataclass(slots=True)
class _Bucket:
    """`full_at` is when all of the burst will be there again, if nobody takes anything."""

    tier: Tier
    full_at: float = float("-inf")
    reserved: int = 0
    closed_until: float = float("-inf")

    def take(self, now: float) -> float:
        """The milliseconds until the call may be made."""
        ready = self._ready_at(now, self.tier.burst)
        self.full_at = max(self.full_at, now) + self.tier.every
        return max(ready - now, 0.0)

    def give_back(self) -> None:
        self.full_at -= self.tier.every

    def has_spare(self, now: float) -> bool:
        return self._ready_at(now, self.tier.burst - self.reserved) <= now

    def reserve(self, now: float) -> bool:
        may = 2 * self.reserved + 2 <= self.tier.burst and self.has_spare(now)
        self.reserved += may
        return may

    def close(self, until: float) -> None:
        """Afterwards there is no burst."""
        self.closed_until = max(self.closed_until, until)
        self.full_at = max(self.full_at, until + (self.tier.burst - 1) * self.tier.every)

    def _ready_at(self, now: float, burst: int) -> float:
        return max(self.full_at, now) - (burst - 1) * self.tier.every
