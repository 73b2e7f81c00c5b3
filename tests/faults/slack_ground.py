"""Slack's fake, which kills the worker at a request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from memory.keys import PersonKey, PlaceKey
from tests.faults.ground import START_SECONDS, WAIT_SECONDS
from tests.faults.striker import Striker
from tests.servers.faults import Fate, Request
from tests.servers.slack.people import Person, Workspace
from tests.servers.slack.server import Slack, serving
from tests.servers.slack.socket import Delivery, Moment, Pace
from tests.servers.slack.world import Channel, Message

LINES = 500  # more than one message holds
REQUESTS = (
    "users.info of Ann 1",  # is she a guest?
    "acknowledgement of app_mention 1",
    "acknowledgement of message 1",
    "assistant.threads.setStatus 1",
    "conversations.info 1",
    "conversations.replies 1",
    "chat.postMessage 1",
    "chat.update 1",
    "chat.update 2",
    "chat.postMessage 2",
)
"""All that the worker sends for one question."""

_NEVER = 3600.0
_PACE = Pace(retry_after=(_NEVER,) * 100)  # what was not acknowledged comes again when we say so


@dataclass(slots=True)
class Question:
    """Ann asks in a thread that Bob began."""

    ann: Person
    bob: Person
    channel: Channel
    root: Message | None = None
    asked: Message | None = None

    @property
    def thread(self) -> str:
        return self.root.ts if self.root else ""


class SlackGround:
    def __init__(self, slack: Slack, questions: int) -> None:
        self.striker = Striker()
        self.is_edited = asyncio.Event()
        self._slack = slack
        self._home = slack.workspace()
        self._questions = [_question(self._home, number) for number in range(questions)]
        self._current = self._questions[0]
        slack.decide(self._fate)
        self._home.hub.watch = self._watch

    @property
    def environment(self) -> Mapping[str, str]:
        return self._slack.environment()

    @property
    def askers(self) -> Sequence[PersonKey]:
        return [PersonKey("slack", self._home.team, each.ann.id) for each in self._questions]

    async def met(self) -> None:
        await self._slack.until(lambda: self._home.hub.connections, START_SECONDS)

    async def left(self) -> None:
        await self._slack.until(
            lambda: (
                not self._home.hub.connections and all(each.status for each in self._slack.requests)
            )
        )

    async def ask(self, number: int, text: str) -> PlaceKey:
        question = self._current = self._questions[number]
        question.root = await question.bob.says(question.channel, "The parcel was wet.")
        await self.settled()
        self.striker.requests.clear()
        self.is_edited.clear()
        question.asked = await question.ann.says(
            question.channel, f"<@bot> {text}", thread=question.thread
        )
        return PlaceKey("slack", self._home.team, question.channel.id, question.thread)

    async def tell_again(self, *, acknowledged: bool) -> None:
        if acknowledged:
            self._current.asked = None  # of which nothing is counted any more
            await self._slack.again(*self._slack.deliveries)
        else:
            self._home.hub.hurry()

    async def settled(self) -> None:
        await self._slack.until(
            lambda: (
                all(each.settled for each in self._slack.deliveries)
                and all(each.status for each in self._slack.requests)
            ),
            WAIT_SECONDS,
        )

    @property
    def sends(self) -> int:
        return sum(each.method.startswith("chat.") for each in self._slack.requests)

    def answer(self, number: int) -> Sequence[str]:
        question = self._questions[number]
        return [each.text for each in self._home.own(question.channel, question.thread)]

    def wrong(self) -> Sequence[str]:
        threads = {(each.channel.id, each.thread) for each in self._questions}
        strays = [
            f"In no thread of a question: {each.text[:60]}"
            for channel in self._home.channels.values()
            for each in self._home.own(channel)
            if (channel.id, each.thread) not in threads
        ]
        statuses = [f"A status is left: {text}" for _, _, text in self._home.statuses()]
        whispers = [
            f"Only one sees: {each.text}" for told in self._home.whispers.values() for each in told
        ]
        return [*strays, *statuses, *whispers, *self._slack.checked]

    def story(self) -> str:
        return self._slack.story()

    def _fate(self, request: Request) -> Fate:
        if request.method == "chat.update":
            self.is_edited.set()
        return self.striker.fate(self._name(request))

    def _watch(self, delivery: Delivery, moment: Moment) -> None:
        asked = self._current.asked
        if moment != "acked" or asked is None or delivery.event.get("ts") != asked.ts:
            return
        fate = self.striker.hit(f"acknowledgement of {delivery.event['type']}")
        if fate is not None:
            delivery.acked = fate == "after"
            self.striker.kill()

    def _name(self, request: Request) -> str:
        names = {self._current.ann.id: " of Ann", self._current.bob.id: " of Bob"}
        return request.method + names.get(request.arguments.get("user", ""), "")


def _question(home: Workspace, number: int) -> Question:
    ann, bob = home.person(f"Ann {number}"), home.person(f"Bob {number}")
    return Question(ann, bob, home.channel(f"room-{number}", ann, bob))


@asynccontextmanager
async def slack_ground(questions: int) -> AsyncIterator[SlackGround]:
    async with serving(pace=_PACE) as slack:
        yield SlackGround(slack, questions)
