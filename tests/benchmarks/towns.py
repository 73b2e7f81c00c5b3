"""Slack and Discord seen alike: people who speak in threads, and what the bot says there."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Protocol

from tests.servers.discord.people import Person as DiscordPerson
from tests.servers.discord.server import Discord
from tests.servers.discord.world import Channel as DiscordChannel
from tests.servers.discord.world import Message as DiscordMessage
from tests.servers.slack.people import Person as SlackPerson
from tests.servers.slack.server import Slack
from tests.servers.slack.world import Channel as SlackChannel
from tests.servers.slack.world import Message as SlackMessage

PEOPLE = 8  # and as many channels


class Talk(Protocol):
    """A thread of two people and the bot. What is said is meant for the bot."""

    async def says(self, text: str, *, other: bool = False) -> None: ...

    async def edits_last(self, text: str) -> None: ...

    async def deletes_last(self) -> None: ...

    def answers(self) -> list[str]:
        """What the bot has said there, as it stands."""
        ...


class Town(Protocol):
    name: str

    def talk(self) -> Talk: ...

    def disturb(self, *, roughly: bool) -> None:
        """The connection is to be made anew, or breaks."""
        ...


class SlackTown:
    name = "Slack"

    def __init__(self, slack: Slack) -> None:
        self._home = slack.workspace()
        self._people = [self._home.person(f"Person{number}") for number in range(PEOPLE)]
        self._channels = [
            self._home.channel(f"channel-{number}", *self._people) for number in range(PEOPLE)
        ]
        self._numbers = count()

    def talk(self) -> Talk:
        number = next(self._numbers)
        people = self._people[number % PEOPLE], self._people[(number + 1) % PEOPLE]
        return _SlackTalk(self._channels[number % PEOPLE], *people)

    def disturb(self, *, roughly: bool) -> None:
        if roughly:
            self._home.hub.abort()
        else:
            self._home.hub.disconnect()


@dataclass
class _SlackTalk:
    channel: SlackChannel
    one: SlackPerson
    two: SlackPerson
    said: list[SlackMessage] = field(default_factory=list)

    async def says(self, text: str, *, other: bool = False) -> None:
        person = self.two if other else self.one
        thread = self.said[0].ts if self.said else ""
        self.said.append(await person.says(self.channel, f"<@bot> {text}", thread=thread))

    async def edits_last(self, text: str) -> None:
        await self.one.edits(self.said[-1], f"<@bot> {text}")

    async def deletes_last(self) -> None:
        await self.one.deletes(self.said[-1])

    def answers(self) -> list[str]:
        own = self.one.workspace.own(self.channel, self.said[0].ts)
        return [message.text for message in own if not message.tombstone]


class DiscordTown:
    name = "Discord"

    def __init__(self, discord: Discord) -> None:
        self._bot = discord.bot()
        home = discord.guild("acme", self._bot)
        self._people = [discord.person(f"Person{number}", home) for number in range(PEOPLE)]
        self._channels = [home.channel(f"channel-{number}") for number in range(PEOPLE)]
        self._numbers = count()

    def talk(self) -> Talk:
        number = next(self._numbers)
        people = self._people[number % PEOPLE], self._people[(number + 1) % PEOPLE]
        return _DiscordTalk(self._bot.id, self._channels[number % PEOPLE], *people)

    def disturb(self, *, roughly: bool) -> None:
        if roughly:
            self._bot.hub.abort()
        else:
            self._bot.hub.reconnect()


@dataclass
class _DiscordTalk:
    """Its thread is there once the bot has made it."""

    bot: str
    channel: DiscordChannel
    one: DiscordPerson
    two: DiscordPerson
    said: list[DiscordMessage] = field(default_factory=list)

    async def says(self, text: str, *, other: bool = False) -> None:
        person = self.two if other else self.one
        place = (self.said[0].thread if self.said else None) or self.channel
        self.said.append(await person.says(place, f"<@nimbus> {text}"))

    async def edits_last(self, text: str) -> None:
        await self.one.edits(self.said[-1], f"<@nimbus> {text}")

    async def deletes_last(self) -> None:
        await self.one.deletes(self.said[-1])

    def answers(self) -> list[str]:
        thread = self.said[0].thread
        messages = thread.messages if thread else []
        return [each.content for each in messages if each.author.id == self.bot]
