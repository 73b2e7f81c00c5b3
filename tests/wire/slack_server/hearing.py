"""What an app on the loopback hears."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.servers.slack.server import Slack
from tests.servers.slack.world import Json


@dataclass
class Ears:
    """What the app heard. It refuses so many events first."""

    refuses: int = 0
    bodies: list[Json] = field(default_factory=list)

    async def __call__(self, body: Json) -> None:
        self.bodies.append(body)
        if len(self.bodies) <= self.refuses:
            raise RuntimeError("not stored")

    @property
    def events(self) -> list[Json]:
        return [body["event"] for body in self.bodies]

    @property
    def texts(self) -> list[str]:
        return [event["text"] for event in self.events]


async def settle(slack: Slack) -> None:
    """Until everything is acknowledged, or given up."""
    await slack.until(lambda: all(each.settled for each in slack.deliveries))
