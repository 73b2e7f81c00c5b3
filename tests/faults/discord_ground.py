"""Discord's fake, which kills the worker at a request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from memory.keys import PersonKey, PlaceKey
from tests.faults.ground import START_SECONDS, WAIT_SECONDS
from tests.faults.striker import Striker
from tests.servers.discord.people import Person
from tests.servers.discord.server import Discord, serving
from tests.servers.discord.world import SYSTEM, Channel, Message
from tests.servers.faults import Fate, Request

LINES = 80  # more than one message holds
REQUESTS = (
    "GET channels/*/messages/* 1",
    "POST channels/*/messages/*/threads 1",
    "POST channels/*/typing 1",
    "POST channels/*/messages 1",
    "PATCH channels/*/messages/* 1",
    "PATCH channels/*/messages/* 2",
    "POST channels/*/messages 2",
    "PATCH channels/*/messages/* 3",  # both parts lose the button by which they are known
    "PATCH channels/*/messages/* 4",
)
"""All that the worker sends for one question."""

_HEARD_SECONDS = 1.0  # nothing tells that a worker has read an event


@dataclass(slots=True)
class Question:
    """Ann asks at the top of a channel; a thread is made from what she says."""

    ann: Person
    channel: Channel
    asked: Message | None = None

    @property
    def thread(self) -> Channel | None:
        return self.asked.thread if self.asked else None


class DiscordGround:
    def __init__(self, discord: Discord, questions: int) -> None:
        self.striker = Striker()
        self.is_edited = asyncio.Event()
        self._discord = discord
        discord.realm.remembers = 0  # a nonce helps only for a while, and must not be needed
        self._bot = discord.bot()
        self._server = discord.guild("acme", self._bot)
        self._questions = [self._question(number) for number in range(questions)]
        discord.decide(self._fate)

    @property
    def environment(self) -> Mapping[str, str]:
        return self._discord.environment()

    @property
    def askers(self) -> Sequence[PersonKey]:
        return [PersonKey("discord", "", each.ann.id) for each in self._questions]

    async def met(self) -> None:
        await self._discord.until(lambda: self._bot.hub.ready, START_SECONDS)

    async def left(self) -> None:
        await self._discord.until(lambda: not self._bot.hub.connections)
        await self.settled()

    async def ask(self, number: int, text: str) -> PlaceKey:
        question = self._questions[number]
        self.striker.requests.clear()
        self.is_edited.clear()
        question.asked = await question.ann.says(question.channel, f"<@nimbus> {text}")
        return PlaceKey("discord", self._server.id, "-", question.asked.id)

    async def tell_again(self, *, acknowledged: bool) -> None:
        """Discord knows no acknowledgement, and repeats nothing to who begins a new session."""
        if acknowledged:
            told = [x for x in self._discord.deliveries if x.name.startswith("MESSAGE")]
            await self._discord.again(*told)
            await asyncio.sleep(_HEARD_SECONDS)

    async def settled(self) -> None:
        await self._discord.until(
            lambda: all(each.status for each in self._discord.requests), WAIT_SECONDS
        )

    @property
    def sends(self) -> int:
        methods = [each.method for each in self._discord.requests]
        return sum("/messages" in each and not each.startswith("GET") for each in methods)

    def answer(self, number: int) -> Sequence[str]:
        thread = self._questions[number].thread
        return [] if thread is None else [each.content for each in self._said(thread)]

    def wrong(self) -> Sequence[str]:
        threads = {each.thread.id for each in self._questions if each.thread}
        strays = [
            f"In no thread of a question: {each.content[:60]}"
            for channel in self._discord.realm.channels()
            if channel.id not in threads
            for each in self._said(channel)
        ]
        typing = [f"It types in {channel}." for channel, _ in self._discord.typing]
        whispers = [f"Only one sees: {each.content}" for each in self._discord.realm.whispers]
        return [*strays, *typing, *whispers, *self._discord.checked]

    def story(self) -> str:
        return self._discord.story()

    def _question(self, number: int) -> Question:
        ann = self._discord.person(f"Ann {number}", self._server)
        return Question(ann, self._server.channel(f"room-{number}"))

    def _said(self, channel: Channel) -> list[Message]:
        return [each for each in self._bot.own(channel) if each.kind not in SYSTEM]

    def _fate(self, request: Request) -> Fate:
        if request.method.startswith("PATCH channels/*/messages"):
            self.is_edited.set()
        return self.striker.fate(request.method)


@asynccontextmanager
async def discord_ground(questions: int) -> AsyncIterator[DiscordGround]:
    async with serving() as discord:
        yield DiscordGround(discord, questions)
