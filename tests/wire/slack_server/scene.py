"""A thread on the loopback, to be called about."""

from __future__ import annotations

from dataclasses import dataclass

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.servers.slack.people import Person, Workspace
from tests.servers.slack.server import Slack
from tests.servers.slack.world import Channel, Message


@dataclass
class Scene:
    """One channel with a thread in it, and the app's client."""

    slack: Slack
    home: Workspace
    client: AsyncWebClient
    ann: Person
    channel: Channel
    root: Message
    reply: Message
    own: Message

    async def refusal(self, method: str, **arguments: object) -> str:
        """The error with which a call fails; empty if it does not."""
        try:
            await self.client.api_call(method, json={"channel": self.channel.id, **arguments})
        except SlackApiError as error:
            code: str = error.response["error"]
            return code
        return ""
