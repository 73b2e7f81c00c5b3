"""What was forgotten on Slack stays forgotten: the forget table, on real Bolt."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from bot.settings import Settings
from memory.database import Clock, wall_clock
from memory.engines import open_database
from tests.forget_rules import CHANNEL, By, Case, ForgetScene, Line, Witness, cases, play
from tests.servers.slack.people import Person, Workspace
from tests.servers.slack.server import Slack, serving
from tests.servers.slack.world import Channel, ChannelKind, Message, Whisper
from tests.wire.slack_house import said, working

CHANNELS: Mapping[str, ChannelKind] = {"thread": "public", "private": "private"}


@dataclass
class SlackForgets(ForgetScene):
    """The case's place on Slack; `threads` are the roots of those that were begun."""

    slack: Slack
    home: Workspace
    case: Case
    witness: Witness
    people: dict[str, Person] = field(init=False)
    channels: dict[str, Channel] = field(init=False)
    threads: dict[str, Message] = field(default_factory=dict)
    lines: list[tuple[Person, Message]] = field(default_factory=list)
    commands: list[Message] = field(default_factory=list)
    whisper: Whisper | None = None
    process: AsyncExitStack = field(default_factory=AsyncExitStack)

    def __post_init__(self) -> None:
        names = ("ann", "bob", "cy")
        self.people = {name: self.home.person(name) for name in names}
        self.people["root"] = self.home.person("root", admin=True)
        everybody = self.people.values()
        kind = CHANNELS.get(self.case.place, "public")
        self.channels = {
            name: self.home.channel(name, *everybody, kind=kind) for name in ("here", "other")
        }

    async def start(self) -> None:
        settings = self._settings()
        await self.process.enter_async_context(
            working(self.slack, self.witness.url, model=self.witness.model, settings=settings)
        )

    async def stop(self) -> None:
        await self.process.aclose()

    async def say(self, line: Line) -> None:
        words = line.words.replace("@Nimbus", "<@bot>")
        person, message = self.people[line.who], await self._write(line, words)
        self.lines.append((person, message))
        await self._taken(message)

    async def shows(self, place: str, text: str) -> None:
        channel, thread = self._channel(place, self.case.forget.who), self._thread(place)
        await self.slack.until(
            lambda: any(text in each for each in said(self.home, channel, thread))
        )

    async def forget(self, forget: Line, by: By) -> str:
        person = self.people[forget.who]
        before = self._whispers()
        if by == "mention":
            self.commands.append(await self._write(forget, f"<@bot> {forget.words}"))
        else:
            await person.commands(
                self._channel(forget.place, forget.who), f"/nimbus {forget.words}"
            )
        await self.slack.until(lambda: self._whispers() > before and self.slack.quiet)
        assert self._whispers() == before + 1
        self.whisper = person.whispers[-1]
        return self.whisper.text

    async def press(self, forget: Line, *, confirm: bool) -> str:
        whisper = self.whisper
        assert whisper is not None
        asked = whisper.text
        action = "nimbus_confirm" if confirm else "nimbus_cancel"
        await self.people[forget.who].clicks(whisper, action)
        await self.slack.until(lambda: whisper.text != asked and self.slack.quiet)
        return whisper.text

    async def repeat(self) -> None:
        for message in [*(message for _, message in self.lines), *self.commands]:
            await self.slack.again(*self.slack.about(message))
            await self._taken(message)

    async def edit(self) -> None:
        for person, message in self.lines:
            await person.edits(message, f"{message.text} (edited)")
            await self._taken(message)

    async def quiet(self) -> None:
        await self.slack.until(lambda: self.slack.quiet)

    async def _write(self, line: Line, words: str) -> Message:
        """The first line of a thread begins it."""
        channel, thread = self._channel(line.place, line.who), self._thread(line.place)
        message = await self.people[line.who].says(channel, words, thread=thread)
        self.threads.setdefault(line.place, message)
        return message

    def _whispers(self) -> int:
        return sum(len(each) for each in self.home.whispers.values())

    async def _taken(self, message: Message) -> None:
        await self.slack.until(lambda: all(each.settled for each in self.slack.about(message)))

    def _channel(self, place: str, who: str) -> Channel:
        if self.case.place == "direct":
            return self.home.direct(self.people[who])
        return self.channels[place.rpartition("/")[0] or "here"]

    def _thread(self, place: str) -> str:
        is_flat = self.case.place == "direct" and "slack_dm" not in self.case.settings
        root = None if is_flat or place == CHANNEL else self.threads.get(place)
        return root.ts if root else ""

    def _settings(self) -> Settings:
        ids = {name: person.id for name, person in self.people.items()}
        given: dict[str, Any] = {
            name: [ids[each] for each in value] if isinstance(value, list) else value
            for name, value in self.case.settings.items()
        }
        return Settings.model_validate({"database_url": self.witness.url, "tools": (), **given})


@asynccontextmanager
async def on_slack(case: Case, url: str, clock: Clock = wall_clock) -> AsyncIterator[SlackForgets]:
    async with serving(clock=clock) as slack:
        database = await open_database(url)
        scene = SlackForgets(slack, slack.workspace(), case, Witness(url, database))
        try:
            yield scene
        finally:
            await scene.stop()
            await database.close()


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=str(case), marks=() if case.quick else pytest.mark.slow)
        for case in cases(without=["slash commands in threads"])
    ],
)
async def test_what_is_forgotten_stays_forgotten(case: Case, sqlite_url: str) -> None:
    async with on_slack(case, sqlite_url) as scene:
        await play(case, scene, scene.witness)


@pytest.mark.slow
async def test_a_slow_clock_of_ours_does_not_make_a_forget_miss(sqlite_url: str) -> None:
    """Slack does not tell when a slash command was given."""
    case = next(each for each in cases() if each.claim.endswith("one conversation goes at once"))

    async with on_slack(case, sqlite_url, lambda: wall_clock() + 60_000) as scene:
        await play(case, scene, scene.witness)
