"""Discord as a stage for the suite that every reply passes."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from adapters.discord.api import Line
from adapters.discord.events import Reader
from adapters.discord.outlet import DiscordOutlet
from adapters.discord.web import open_client
from adapters.discord.wire import Wire
from bot.platform import Delivery, Reply, SentPart
from tests.contracts.stages import NetStage, no_objection
from tests.discord_in_process import LineInProcess, discord_here
from tests.fakes import FakeClock
from tests.played_network import REFUSED, RESPONSE_LOST, Fate
from tests.servers.discord import faults
from tests.servers.discord.homes import Bot
from tests.servers.discord.server import Discord, serving
from tests.servers.discord.world import Message

NOON = 1_796_040_000_000


async def _asked(discord: Discord) -> tuple[Bot, Message]:
    bot = discord.bot()
    home = discord.guild("acme", bot)
    ann = discord.person("Ann", home)
    return bot, await ann.says(home.channel("general"), "<@nimbus> May I?")


class DiscordStage:
    """A question at the top of a channel, from which a thread is made."""

    def __init__(self, discord: Discord, bot: Bot, question: Message, line: Line) -> None:
        self.discord = discord
        self.bot = bot
        self.question = question
        self.outlet = DiscordOutlet(line, Reader(bot.id), discord.realm.clock)

    @classmethod
    @asynccontextmanager
    async def here(cls) -> AsyncIterator[NetStage]:
        """Without a network."""
        discord = discord_here(FakeClock(NOON))
        bot, question = await _asked(discord)
        yield cls(discord, bot, question, LineInProcess(discord, bot))

    @classmethod
    @asynccontextmanager
    async def open(cls) -> AsyncIterator[NetStage]:
        """Through discord.py."""
        async with serving(clock=FakeClock(NOON)) as discord:
            bot, question = await _asked(discord)
            async with open_client(bot.token, discord.api_url) as client:
                yield cls(discord, bot, question, Wire(client))

    def reply(
        self, sent: Sequence[SentPart] = (), guard: Callable[[], None] = no_objection
    ) -> Reply:
        return self.outlet.reply(Delivery("t1", self._address, guard, 600, sent))

    async def look(self) -> Sequence[SentPart]:
        own = await self.outlet.own_messages(self._address, 1)
        return [SentPart(message.remote_id) for message in own if message.turn == "t1"]

    def next_fate(self, fate: Fate) -> None:
        fates = {RESPONSE_LOST: faults.Fate(after=faults.held(asyncio.Event()))}
        fates[REFUSED] = faults.Fate(before=faults.refused(50007))
        self.discord.decide(faults.nth(1, fates[fate], "POST channels/*/messages"))

    def standing(self) -> list[str]:
        return [
            each.content for each in self.bot.own(self.question.thread or self.question.channel)
        ]

    async def busy(self) -> bool:
        """Whether it was seen to type since the last look, for it is seen for ten seconds."""
        await self.discord.until(self._has_typed)
        typing = bool(self.discord.typing)
        for each in self.discord.realm.channels():
            each.typing.clear()
        return typing

    def _has_typed(self) -> bool:
        return any(each.status for each in self.discord.requests if each.method.endswith("/typing"))

    @property
    def _address(self) -> dict[str, str]:
        channel = self.question.channel
        return {
            "guild": channel.guild.id if channel.guild else "",
            "channel": channel.id,
            "message": self.question.id,
            "thread": "auto",
            "parent": channel.id,
            "surface": "public",
        }
