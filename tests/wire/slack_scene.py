"""A workspace with people in it, and a worker to be."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tests.servers.slack.people import Person, Workspace
from tests.servers.slack.server import Slack, serving
from tests.servers.slack.socket import Pace
from tests.servers.slack.world import Channel, Whisper
from tests.wire.slack_house import answered


@dataclass(frozen=True)
class Scene:
    """A workspace with Ann, Bob and a channel of theirs, and where the worker remembers."""

    slack: Slack
    home: Workspace
    ann: Person
    bob: Person
    channel: Channel
    url: str

    async def asks(self, person: Person, text: str, answer: str) -> str:
        """Somebody asks by mention and is answered; the thread."""
        root = await person.says(self.channel, f"<@bot> {text}")
        await self.answered(answer, root.ts)
        return root.ts

    async def answered(self, text: str, thread: str = "", channel: Channel | None = None) -> None:
        await answered(self.slack, self.home, channel or self.channel, thread, text=text)

    async def whispered(self, person: Person, text: str) -> Whisper:
        """What only this person sees, once it is there and all is quiet."""

        def found() -> Whisper | None:
            whispers = (each for each in person.whispers if text in each.text)
            return next(whispers, None) if self.slack.quiet else None

        whisper = await self.slack.until(found)
        assert whisper is not None
        return whisper


@asynccontextmanager
async def open_scene(url: str, pace: Pace | None = None) -> AsyncIterator[Scene]:
    async with serving(pace=pace) as slack:
        home = slack.workspace()
        ann, bob = home.person("Ann"), home.person("Bob")
        yield Scene(slack, home, ann, bob, home.channel("general", ann, bob), url)
