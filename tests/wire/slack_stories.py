"""What people do on Slack in one short story, and what came of it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import closing
from dataclasses import dataclass

from adapters.slack import rates
from adapters.slack.rates import Tier
from bot.model import Finish, ModelRequest, ModelResponse
from bot.settings import Settings, Timing
from memory.messages import Message, Text
from tests.fakes import USAGE
from tests.servers.slack.faults import Fates
from tests.servers.slack.people import Person
from tests.wire.slack_house import working
from tests.wire.slack_scene import Scene, open_scene

Story = Callable[[Scene], Awaitable[None]]

SEND = 600  # ms
TIMING = Timing(send=SEND, pause=20, sweep=20)
TIERS: Mapping[str, Tier] = {method: Tier(100, 1) for method in rates.REAL}
"""They slow nobody down until Slack says 429."""


class Repeating:
    """A model that says what it was told, in two pieces."""

    name = "repeating"

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        told = request.messages[-1].parts[1:]  # without the time of day
        first = "Let me see. "
        second = " ".join(["I was told:", *(part.text for part in told if isinstance(part, Text))])
        yield first
        yield second
        finish: Finish = "stop"
        yield ModelResponse(Message("assistant", (Text(first + second),)), finish, USAGE, self.name)

    async def close(self) -> None: ...


@dataclass(frozen=True)
class Outcome:
    """What people see in the end, and what is remembered."""

    shown: list[tuple[str, str]]  # where, what
    whispers: list[tuple[str, str]]  # to whom, what
    statuses: list[tuple[str, str, str]]
    memory: list[tuple[object, ...]]


@dataclass(frozen=True)
class Played:
    outcome: Outcome
    methods: frozenset[str]


async def a_mention(scene: Scene) -> None:
    """In a thread that is there already."""
    root = await scene.bob.says(scene.channel, "The printer is broken")
    await scene.slack.until(lambda: scene.slack.quiet)
    await scene.ann.says(scene.channel, "<@bot> did <@Bob> break it?", thread=root.ts)
    await scene.answered("I was told", root.ts)


async def a_direct_message(scene: Scene) -> None:
    channel = scene.home.direct(scene.ann)
    await scene.ann.says(channel, "Hello")
    await scene.answered("I was told", channel=channel)


async def a_slash_command(scene: Scene) -> None:
    await scene.ann.commands(scene.channel, "/nimbus help")
    await scene.whispered(scene.ann, "I am Nimbus.")


async def a_command_by_mention(scene: Scene) -> None:
    """By somebody who may say it because the platform says so."""
    root = await scene.ann.says(scene.channel, "<@bot> Hello")
    await scene.answered("I was told", root.ts)
    while not is_at_rest(scene.url):  # noqa: ASYNC110 - a row tells nobody
        await asyncio.sleep(0.01)
    await administrator(scene).says(scene.channel, "<@bot> forget", thread=root.ts)
    await scene.whispered(administrator(scene), "Forgotten: 1 conversation")


async def a_first_look(scene: Scene) -> None:
    channel = await scene.ann.opens_app()
    await scene.answered("Hello, I am Nimbus.", channel=channel)


async def an_invitation(scene: Scene) -> None:
    await scene.ann.invites_bot(scene.channel)
    await scene.whispered(scene.ann, "Thanks for the invitation.")


STORIES: Mapping[str, Story] = {
    "a mention": a_mention,
    "a direct message": a_direct_message,
    "a slash command": a_slash_command,
    "a command by mention": a_command_by_mention,
    "a first look": a_first_look,
    "an invitation": an_invitation,
}


def administrator(scene: Scene) -> Person:
    return next(
        Person(each, scene.home) for each in scene.home.people.values() if each.name == "Root"
    )


async def play(story: Story, url: str, fates: Fates | None = None) -> Played:
    """The story with a worker of its own, which is started for it, until all has come to rest."""
    settings = Settings(database_url=url, tools=())
    async with open_scene(url) as scene:
        scene.home.person("Root", admin=True)
        if fates is not None:
            scene.slack.decide(fates)
        async with working(
            scene.slack, url, model=Repeating(), settings=settings, tiers=TIERS, timing=TIMING
        ):
            await story(scene)
        return Played(outcome(scene), frozenset(each.method for each in scene.slack.requests))


def outcome(scene: Scene) -> Outcome:
    home = scene.home
    return Outcome(
        shown=[
            (f"{channel.name}, {'in a thread' if each.thread_ts else 'at the top'}", each.text)
            for channel in home.channels.values()
            for each in channel.messages
        ],
        whispers=[
            (home.people[user].name, each.text)
            for user, whispers in home.whispers.items()
            for each in whispers
        ],
        statuses=home.statuses(),
        memory=_memory(scene.url),
    )


def is_at_rest(url: str) -> bool:
    """Whether all that was begun is known to stand on Slack."""
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database:
        return not database.execute(
            """
            SELECT 1 FROM turns WHERE state IN ('running', 'sending')
            UNION ALL SELECT 1 FROM messages WHERE state = 'waiting'
            """
        ).fetchall()


def _memory(url: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database:
        return database.execute(
            """
            SELECT t.number, t.state, t.outcome, m.role, m.state, m.author_name, m.content,
              (SELECT count(*) FROM deliveries d
                WHERE d.conversation = m.conversation AND d.turn = m.turn AND d.state = 'sent')
            FROM messages m
            JOIN conversations c ON c.id = m.conversation
            LEFT JOIN turns t ON t.conversation = m.conversation AND t.number = m.turn
            ORDER BY c.place, t.number, m.position
            """
        ).fetchall()
