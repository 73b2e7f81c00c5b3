"""How often a route may be used, and how Discord tells what is left."""

from __future__ import annotations

import hashlib
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Limit:
    """So many calls in a window of so many seconds, which opens with the first of them."""

    calls: int
    seconds: float


REAL: Mapping[str, Limit] = {
    "POST channels/*/messages": Limit(5, 5.0),
    "PATCH channels/*/messages/*": Limit(5, 5.0),
    "DELETE channels/*/messages/*": Limit(5, 1.0),
    "GET channels/*/messages": Limit(5, 5.0),
    "POST channels/*/typing": Limit(5, 5.0),
    "POST channels/*/messages/*/threads": Limit(50, 300.0),
    "POST channels/*/threads": Limit(50, 300.0),
}
"""About what is seen of the real one, for each channel; Discord promises nothing of it."""
EVERYWHERE = Limit(50, 1.0)
"""For all routes together but those of interactions."""


@dataclass(frozen=True, slots=True)
class Taken:
    """`wait` is 0 where the call may be made."""

    headers: Mapping[str, str]
    wait: float = 0.0
    scope: str = "user"


@dataclass
class Rates:
    """By the loop's time, since clients wait by it. What has no limit is free."""

    time: Callable[[], float]
    now: Callable[[], int]
    limits: Mapping[str, Limit] = field(default_factory=dict)
    everywhere: Limit | None = None
    _windows: dict[tuple[str, str], tuple[float, int]] = field(default_factory=dict)
    _all: dict[str, deque[float]] = field(default_factory=lambda: defaultdict(deque))

    def take(self, route: str, token: str, major: str) -> Taken:
        """Count a call; `major` is the channel or server by which the route is counted."""
        if wait := self._wait_everywhere(route, token):
            return Taken({}, wait, "global")
        limit = self.limits.get(route)
        if limit is None:
            return Taken({})
        ends, used = self._windows.get((route, major), (0.0, 0))
        now = self.time()
        if now >= ends:
            ends, used = now + limit.seconds, 0
        refused = used >= limit.calls
        self._windows[route, major] = ends, used + (not refused)
        left = ends - now
        headers = {
            "X-RateLimit-Limit": str(limit.calls),
            "X-RateLimit-Remaining": str(max(0, limit.calls - used - 1)),
            "X-RateLimit-Reset": f"{self.now() / 1000 + left:.3f}",
            "X-RateLimit-Reset-After": f"{left:.3f}",
            "X-RateLimit-Bucket": hashlib.sha256(route.encode()).hexdigest()[:32],
        }
        return Taken(headers, left if refused else 0.0)

    def _wait_everywhere(self, route: str, token: str) -> float:
        if self.everywhere is None or " interactions/" in route or " webhooks/" in route:
            return 0.0
        calls, now = self._all[token], self.time()
        while calls and now - calls[0] >= self.everywhere.seconds:
            calls.popleft()
        if len(calls) >= self.everywhere.calls:
            return self.everywhere.seconds - (now - calls[0])
        calls.append(now)
        return 0.0
