"""The thread rules on Discord: real discord.py, real events."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from bot.platform import Accepted, Event, Inbound
from bot.settings import Settings
from memory.database import Database
from memory.engines import open_database
from tests.servers.discord.homes import Bot, Server
from tests.servers.discord.people import Person
from tests.servers.discord.server import Discord, serving
from tests.servers.discord.world import Channel, Message
from tests.thread_rules import Case, Line, Patient, Verdict, cases, play, verdict
from tests.wire.discord_house import until, working
from tests.wire.through import Through

PEOPLE = ("ann", "bob", "rob")


@dataclass
class DiscordScene:
    bot: Bot
    people: Mapping[str, Person]
    channel: Channel
    model: Patient
    database: Database
    heard: dict[str, Accepted] = field(default_factory=dict)

    def hear(self, event: Event, accepted: Accepted) -> None:
        if isinstance(event, Inbound):
            self.heard.setdefault(event.message_id, accepted)

    async def say(self, line: Line) -> Verdict:
        words = re.sub(r"@(\w+)", self._mention, line.words)
        said = await self.people[line.who].says(self.channel, words, to=self._last(line.to))
        await until(lambda: said.id in self.heard)
        return verdict(self.heard[said.id])

    async def answered(self) -> None:
        await self.model.lets_all_be_answered(self.database)

    def _last(self, name: str | None) -> Message | None:
        """The last message of somebody."""
        if name is None:
            return None
        author = self.bot.id if name == "Nimbus" else self.people[name].id
        return [each for each in self.channel.messages if each.author.id == author][-1]

    def _mention(self, found: re.Match[str]) -> str:
        return "<@nimbus>" if found[1] == "Nimbus" else self.people[found[1]].mention


@asynccontextmanager
async def on_discord(case: Case, url: str) -> AsyncIterator[DiscordScene]:
    async with serving() as discord:
        bot = discord.bot()
        home = discord.guild("acme", bot)
        people = {name: discord.person(name, home) for name in PEOPLE}
        people["rob"].user.bot = True
        here, channel = await place_of(case, discord, home, people)
        database = await open_database(url)
        scene = DiscordScene(bot, people, channel, Patient(), database)
        settings = settings_of(case, url, people, here)
        seen_as = partial(Through, hear=scene.hear)
        try:
            async with working(discord, url, model=scene.model, settings=settings, seen_as=seen_as):
                yield scene
                scene.model.may.set()
        finally:
            await database.close()
        assert discord.checked == []


async def place_of(
    case: Case, discord: Discord, home: Server, people: Mapping[str, Person]
) -> tuple[Channel, Channel]:
    """The channel of the case, and where the lines are said."""
    bot = discord.bots[0]
    if case.place == "direct":
        direct = bot.direct(people[case.said.who])
        return direct, direct
    zoe = discord.person("zoe", home)
    everybody: list[Person | Bot] = [*people.values(), zoe, bot]
    here = home.channel("here", "text", *(everybody if case.place == "private" else ()))
    if case.place == "channel":
        return here, here
    root = await zoe.says(here, "This is about lunch")
    return here, await zoe.starts_thread(root, "lunch")


def settings_of(case: Case, url: str, people: Mapping[str, Person], here: Channel) -> Settings:
    ids = {"here": here.id, "elsewhere": "1"}
    ids |= {name: person.id for name, person in people.items()}
    given: dict[str, Any] = {
        name: [ids[each] for each in value] if isinstance(value, list) else value
        for name, value in case.settings.items()
    }
    return Settings.model_validate({"database_url": url, "tools": (), **given})


@pytest.mark.slow
@pytest.mark.parametrize("case", cases(without="strangers"), ids=str)
async def test_what_is_said_is(case: Case, sqlite_url: str) -> None:
    async with on_discord(case, sqlite_url) as scene:
        assert await play(case, scene) == case.expected
