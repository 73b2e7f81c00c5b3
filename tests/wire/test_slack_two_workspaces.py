"""Two workspaces, one process: whatever is said at the same moment stays where it was said."""

from __future__ import annotations

import re
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass, replace

import pytest

from bot.model import ModelRequest, ModelResponse
from bot.settings import Settings
from memory.messages import Message, Text
from tests.fakes import USAGE
from tests.servers.slack.people import Person, Workspace
from tests.servers.slack.server import Slack, serving
from tests.servers.slack.world import Channel
from tests.wire.slack_house import said, working

pytestmark = pytest.mark.slow

THREADS = 50
WORD = re.compile(r"word-[a-z]+-\d+")
NAMES = ("Ann", "Bob", "Cem", "Dia", "Eve")


class Finder:
    """A model that says which planted words it was sent, wherever they stood."""

    name = "finder"

    def __init__(self) -> None:
        self.found: list[set[str]] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        found = set(WORD.findall(repr(request)))
        self.found.append(found)
        text = f"I know: {' '.join(sorted(found))}"
        yield text
        yield ModelResponse(Message("assistant", (Text(text),)), "stop", USAGE, self.name)

    async def close(self) -> None: ...


@dataclass(frozen=True)
class Thread:
    home: Workspace
    channel: Channel
    ts: str
    person: Person
    word: str

    @property
    def answers(self) -> list[str]:
        return said(self.home, self.channel, self.ts)


async def test_fifty_threads_in_each_of_two_workspaces_never_mix(sqlite_url: str) -> None:
    model = Finder()
    settings = Settings(database_url=sqlite_url, tools=())
    async with serving() as slack:
        homes = twins(slack)
        async with working(slack, sqlite_url, model=model, settings=settings):
            began = time.monotonic()
            threads = [await begun(home, number) for number in range(THREADS) for home in homes]
            await all_answered(slack, threads, times=1)
            for thread in threads:
                await thread.person.says(thread.channel, "Which one?", thread=thread.ts)
            await all_answered(slack, threads, times=2)
            seconds = time.monotonic() - began

    assert all(thread.answers == [f"I know: {thread.word}"] * 2 for thread in threads)
    assert Counter(map(len, model.found)) == {1: 2 * len(threads)}
    assert sorted(places(sqlite_url)) == sorted(
        (thread.home.team, thread.ts, thread.word) for thread in threads
    )
    print(f"{2 * len(threads)} turns in {seconds:.1f} s")  # noqa: T201 - a figure to look at


def twins(slack: Slack) -> tuple[Workspace, Workspace]:
    """Two workspaces in which channels and people have the same ids: only the team tells."""
    one, other = slack.workspace("one"), slack.workspace("other")
    people = [one.person(name) for name in NAMES]
    channel = one.channel("general", *people)
    other.people = {key: replace(each, team=other.team) for key, each in one.people.items()}
    members = {*(person.id for person in people), other.bot.id}
    other.channels[channel.id] = Channel(channel.id, "general", "public", other.team, members)
    return one, other


async def begun(home: Workspace, number: int) -> Thread:
    [channel] = home.channels.values()
    people = [Person(profile, home) for profile in home.people.values()]
    person, word = people[number % len(people)], f"word-{home.name}-{number}"
    root = await person.says(channel, f"<@bot> my word is {word}")
    return Thread(home, channel, root.ts, person, word)


async def all_answered(slack: Slack, threads: list[Thread], *, times: int) -> None:
    homes = {thread.home.team: thread.home for thread in threads}.values()
    channels = [(home, channel) for home in homes for channel in home.channels.values()]
    await slack.until(
        lambda: (
            sum(len(home.own(channel)) for home, channel in channels) == times * len(threads)
            and slack.quiet
        ),
        seconds=60,
    )


def places(url: str) -> list[tuple[str, str, str]]:
    """Workspace, thread and each word that is remembered there."""
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database:
        rows = database.execute(
            """
            SELECT c.workspace, c.thread, m.content
            FROM messages m JOIN conversations c ON c.id = m.conversation
            """
        )
        return sorted(
            {(team, thread, word) for team, thread, text in rows for word in WORD.findall(text)}
        )
