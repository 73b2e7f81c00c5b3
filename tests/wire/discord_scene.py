"""A server with Ann, Bob and a channel, and a bot that is not started yet."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.platform import Event, Inbound
from tests.servers.discord.gateway import Pace
from tests.servers.discord.homes import Bot, Server
from tests.servers.discord.people import Person
from tests.servers.discord.server import Discord, serving
from tests.servers.discord.world import Channel, Message
from tests.wire.discord_house import Listener, until


@dataclass
class Scene:
    """`desk` is where all is brought, where the adapter runs alone."""

    discord: Discord
    bot: Bot
    home: Server
    ann: Person
    bob: Person
    channel: Channel
    desk: Listener

    async def hears(self, number: int) -> list[str]:
        """The texts of all messages, once there are so many."""
        await until(lambda: len(self.desk.events) >= number)
        return [_text(each) for each in self.desk.events]

    async def whispered(self, person: Person, number: int = 1) -> Message:
        """The last of so many things that only this person sees, once all is quiet."""
        await self.discord.until(lambda: len(person.whispers) >= number and self.discord.quiet)
        return person.whispers[-1]


def _text(event: Event) -> str:
    return event.text if isinstance(event, Inbound) else type(event).__name__


@asynccontextmanager
async def open_scene() -> AsyncIterator[Scene]:
    async with serving(pace=Pace(heartbeat_seconds=0.2)) as discord:
        bot = discord.bot()
        home = discord.guild("acme", bot)
        ann, bob = discord.person("Ann", home), discord.person("Bob", home)
        yield Scene(discord, bot, home, ann, bob, home.channel("general"), Listener())
        assert discord.checked == []
