"""What was forgotten on Discord stays forgotten: the forget table, on real discord.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from bot.platform import Accepted, Deleted, Edited, Event, Inbound
from bot.settings import Settings
from memory.engines import open_database
from tests.forget_rules import CHANNEL, By, Case, ForgetScene, Line, Witness, cases, play
from tests.servers.discord.homes import Bot, Server
from tests.servers.discord.people import Person
from tests.servers.discord.permissions import May
from tests.servers.discord.server import Discord, serving
from tests.servers.discord.world import Channel, Message
from tests.wire.discord_house import until, working
from tests.wire.through import Through

NAMES = ("ann", "bob", "cy", "root")


@dataclass
class DiscordForgets(ForgetScene):
    """The case's place on Discord; `threads` are the first messages of those that were begun."""

    discord: Discord
    bot: Bot
    home: Server
    case: Case
    witness: Witness
    people: dict[str, Person] = field(init=False)
    channels: dict[str, Channel] = field(init=False)
    threads: dict[str, Message] = field(default_factory=dict)
    lines: list[tuple[Person, Message]] = field(default_factory=list)
    commands: list[Message] = field(default_factory=list)
    told: Message | None = None
    heard: Counter[str] = field(default_factory=Counter)
    process: AsyncExitStack = field(default_factory=AsyncExitStack)

    def __post_init__(self) -> None:
        self.people = {name: self.discord.person(name, self.home) for name in NAMES}
        self.home.role("moderators", May.MANAGE_MESSAGES, self.people["root"])
        everybody: list[Person | Bot] = [*self.people.values(), self.bot]
        seen_by = everybody if self.case.place == "private" else []
        self.channels = {
            name: self.home.channel(name, "text", *seen_by) for name in ("here", "other")
        }

    async def start(self) -> None:
        settings = self._settings()
        seen_as = partial(Through, hear=self._hear)
        await self.process.enter_async_context(
            working(
                self.discord,
                self.witness.url,
                model=self.witness.model,
                settings=settings,
                seen_as=seen_as,
            )
        )

    async def stop(self) -> None:
        await self.process.aclose()

    async def say(self, line: Line) -> None:
        words = line.words.replace("@Nimbus", "<@nimbus>")
        person, message = self.people[line.who], await self._write(line, words)
        self.lines.append((person, message))
        await self._taken(message)

    async def shows(self, place: str, text: str) -> None:
        def is_shown() -> bool:
            return any(text in each.content for each in self._own(place))

        await until(is_shown)

    async def forget(self, forget: Line, by: By) -> str:
        person = self.people[forget.who]
        if by == "mention":
            command = await self._write(forget, f"<@nimbus> {forget.words}")
            self.commands.append(command)
            await until(lambda: self._replies(command))
            [self.told] = self._replies(command)
        else:
            before = len(person.whispers)
            word = forget.words.replace(" ", "-")
            await person.commands(await self._where(forget), f"/nimbus {word}")
            await self.discord.until(lambda: len(person.whispers) > before and self.discord.quiet)
            self.told = person.whispers[-1]
        return self.told.content

    async def press(self, forget: Line, *, confirm: bool) -> str:
        told = self.told
        assert told is not None
        asked = told.content
        await self.people[forget.who].clicks(told, "nimbus:forget" if confirm else "nimbus:keep")
        await self.discord.until(lambda: told.content != asked and self.discord.quiet)
        return told.content

    async def repeat(self) -> None:
        for message in [*(message for _, message in self.lines), *self.commands]:
            await self.discord.again(*self.discord.about(message))
            await self._taken(message)

    async def edit(self) -> None:
        for person, message in self.lines:
            await person.edits(message, f"{message.content} (edited)")
            await self._taken(message)

    async def quiet(self) -> None:
        await self.discord.until(lambda: self.discord.quiet)

    async def _write(self, line: Line, words: str) -> Message:
        """The first line of a thread begins it."""
        message = await self.people[line.who].says(await self._where(line), words)
        self.threads.setdefault(line.place, message)
        return message

    async def _where(self, line: Line) -> Channel:
        """A thread that nobody made yet is made by who wants to write in it."""
        person, root = self.people[line.who], self.threads.get(line.place)
        if self.case.place == "direct":
            return self.bot.direct(person)
        if line.place == CHANNEL or root is None:
            return self.channels[line.place.rpartition("/")[0] or "here"]
        return root.thread or await person.starts_thread(root, "talk")

    def _own(self, place: str) -> list[Message]:
        """What Nimbus said in the place, or in the channel that it belongs to."""
        if self.case.place == "direct":
            return self.bot.own(self.bot.direct(self.people[self.case.forget.who]))
        root = self.threads.get(place)
        channel = self.channels[place.rpartition("/")[0] or "here"]
        inside = self.bot.own(root.thread) if root and root.thread else []
        return [*inside, *self.bot.own(channel)]

    def _replies(self, to: Message) -> list[Message]:
        return [each for each in self.bot.own(to.channel) if each.replies_to == to.id]

    def _hear(self, event: Event, _accepted: Accepted) -> None:
        match event:
            case Inbound() | Deleted():
                self.heard[event.message_id] += 1
            case Edited():
                self.heard[event.message.message_id] += 1

    async def _taken(self, message: Message) -> None:
        """Until as much was heard of it as was told; what is no edit is not heard."""

        def told() -> int:
            return sum(
                each.sent
                for each in self.discord.about(message)
                if each.name != "MESSAGE_UPDATE" or each.payload["edited_timestamp"]
            )

        await until(lambda: self.heard[message.id] >= told())

    def _settings(self) -> Settings:
        ids = {name: person.id for name, person in self.people.items()}
        given: dict[str, Any] = {
            name: [ids[each] for each in value] if isinstance(value, list) else value
            for name, value in self.case.settings.items()
        }
        return Settings.model_validate({"database_url": self.witness.url, "tools": (), **given})


@asynccontextmanager
async def on_discord(case: Case, url: str) -> AsyncIterator[DiscordForgets]:
    async with serving() as discord:
        database = await open_database(url)
        bot = discord.bot()
        home = discord.guild("acme", bot)
        scene = DiscordForgets(discord, bot, home, case, Witness(url, database))
        try:
            yield scene
        finally:
            await scene.stop()
            await database.close()
        assert discord.checked == []


@pytest.mark.slow
@pytest.mark.parametrize("case", cases(without=["threads in direct messages"]), ids=str)
async def test_what_is_forgotten_stays_forgotten(case: Case, sqlite_url: str) -> None:
    async with on_discord(case, sqlite_url) as scene:
        await play(case, scene, scene.witness)
