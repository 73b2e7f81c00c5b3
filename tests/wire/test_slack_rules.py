"""The thread rules on Slack: real Bolt, real events, and whoever the people in them are."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from bot.platform import Accepted, Edited, Event, Inbound
from bot.settings import Settings
from memory.database import Database
from memory.engines import open_database
from tests.servers.slack.people import Person, Workspace
from tests.servers.slack.server import Slack, serving
from tests.servers.slack.world import Channel, ChannelKind, PersonKind
from tests.thread_rules import Case, Line, Patient, Verdict, cases, play, verdict
from tests.wire.slack_house import working
from tests.wire.through import Through

pytestmark = pytest.mark.slow

PEOPLE: Mapping[str, PersonKind] = {
    "ann": "member",
    "bob": "member",
    "gus": "guest",
    "eve": "external",
    "rob": "bot",
}
CHANNELS: Mapping[str, ChannelKind] = {"private": "private"}


@dataclass
class SlackScene:
    slack: Slack
    people: Mapping[str, Person]
    channel: Channel
    thread: str
    model: Patient
    database: Database
    heard: dict[str, Accepted] = field(default_factory=dict)

    def hear(self, event: Event, accepted: Accepted) -> None:
        """Of twins and copies the first that was taken counts."""
        if isinstance(event, Inbound | Edited) and accepted.how != "repeated":
            message = event.message if isinstance(event, Edited) else event
            self.heard.setdefault(message.message_id, accepted)

    async def say(self, line: Line) -> Verdict:
        words = re.sub(r"@(\w+)", self._mention, line.words)
        said = await self.people[line.who].says(self.channel, words, thread=self.thread)
        await self.slack.until(lambda: all(each.settled for each in self.slack.about(said)))
        heard = self.heard.get(said.ts)
        return verdict(heard) if heard else "ignored"

    async def answered(self) -> None:
        await self.model.lets_all_be_answered(self.database)

    def _mention(self, found: re.Match[str]) -> str:
        return "<@bot>" if found[1] == "Nimbus" else self.people[found[1]].mention


@asynccontextmanager
async def on_slack(case: Case, url: str) -> AsyncIterator[SlackScene]:
    async with serving() as slack:
        home = slack.workspace()
        people = {name: home.person(name, kind=kind) for name, kind in PEOPLE.items()}
        channel = place_of(case, home, people)
        thread = ""
        if case.place in {"thread", "private"}:
            root = await home.person("zoe").says(channel, "This is about lunch")
            thread = root.ts
        database = await open_database(url)
        scene = SlackScene(slack, people, channel, thread, Patient(), database)
        settings = settings_of(case, url, people, channel)
        seen_as = partial(Through, hear=scene.hear)
        try:
            async with working(slack, url, model=scene.model, settings=settings, seen_as=seen_as):
                yield scene
                scene.model.may.set()
        finally:
            await database.close()


def place_of(case: Case, home: Workspace, people: Mapping[str, Person]) -> Channel:
    if case.place == "direct":
        return home.direct(people[case.said.who])
    return home.channel("here", *people.values(), kind=CHANNELS.get(case.place, "public"))


def settings_of(case: Case, url: str, people: Mapping[str, Person], channel: Channel) -> Settings:
    ids = {"here": channel.id, "elsewhere": "C0ELSEWHERE"}
    ids |= {name: person.id for name, person in people.items()}
    given: dict[str, Any] = {
        name: [ids[each] for each in value] if isinstance(value, list) else value
        for name, value in case.settings.items()
    }
    return Settings.model_validate({"database_url": url, "tools": (), **given})


@pytest.mark.parametrize("case", cases(without="replies"), ids=str)
async def test_what_is_said_is(case: Case, sqlite_url: str) -> None:
    async with on_slack(case, sqlite_url) as scene:
        assert await play(case, scene) == case.expected
