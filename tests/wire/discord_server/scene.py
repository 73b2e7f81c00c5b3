"""A server with one channel on the loopback, and a bot that listens."""

from __future__ import annotations

from dataclasses import dataclass

from discord import HTTPException, MessageReference, PartialMessageable
from discord.http import Route

from tests.fakes import FakeClock
from tests.servers.discord.homes import Bot, Server
from tests.servers.discord.people import Person
from tests.servers.discord.server import Discord
from tests.servers.discord.world import Channel, Json, Message
from tests.wire.discord_app import Client


@dataclass
class Scene:
    """`client` is the bot's, connected or only logged in."""

    discord: Discord
    bot: Bot
    home: Server
    ann: Person
    channel: Channel
    client: Client
    time: FakeClock

    def place(self, channel: Channel | None = None) -> PartialMessageable:
        """The channel as the bot has it, without asking for it."""
        return self.client.get_partial_messageable(int((channel or self.channel).id))

    async def call(self, method: str, path: str, body: Json | None = None) -> None:
        await self.client.http.request(Route(method, path), json=body or {})

    async def refusal(self, method: str, path: str, body: Json | None = None) -> tuple[int, int]:
        """The status and the code with which a request fails; zeros if it does not."""
        try:
            await self.call(method, path, body)
        except HTTPException as error:
            return error.status, error.code
        return 0, 0

    async def reply_to(self, message: Message, *, fail_if_not_exists: bool = True) -> None:
        reference = MessageReference(
            message_id=int(message.id),
            channel_id=int(message.channel.id),
            fail_if_not_exists=fail_if_not_exists,
        )
        await self.place(message.channel).send("Hi.", reference=reference)
