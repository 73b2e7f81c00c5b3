"""Platforms on which one turn's answer is shown, for the suite that every reply passes."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from io import StringIO
from typing import Protocol

from adapters.slack.posts import Posts
from adapters.slack.rates import Governor
from adapters.slack.reply import SlackReply
from adapters.slack.web import open_client
from adapters.terminal.reply import TerminalOutlet
from adapters.terminal.screen import Screen
from bot.platform import Delivery, Reply, SentPart
from tests.played_network import ARRIVES, REFUSED, RESPONSE_LOST, Fate, Request
from tests.played_platform import PlayedPlatform
from tests.servers.slack import faults
from tests.servers.slack.people import Workspace
from tests.servers.slack.server import Slack, serving
from tests.servers.slack.world import Channel, Message
from tests.slack_in_process import installation


def no_objection() -> None:
    """The turn is ours."""


class Stage(Protocol):
    """A platform and one turn on it."""

    def reply(
        self, sent: Sequence[SentPart] = (), guard: Callable[[], None] = no_objection
    ) -> Reply: ...

    async def look(self) -> Sequence[SentPart]: ...

    def standing(self) -> list[str]: ...


class NetStage(Stage, Protocol):
    """Where messages can be edited, and are sent over a network."""

    def next_fate(self, fate: Fate) -> None: ...

    async def busy(self) -> bool:
        """Whether a status or typing shows, which may take a moment to appear."""
        ...


@dataclass
class TerminalStage:
    """What was printed stands for ever, so an answer can only be gone on with."""

    paper: StringIO = field(default_factory=StringIO)
    outlet: TerminalOutlet = field(init=False)

    def __post_init__(self) -> None:
        self.outlet = TerminalOutlet(Screen(self.paper, StringIO()))

    def reply(
        self, sent: Sequence[SentPart] = (), guard: Callable[[], None] = no_objection
    ) -> Reply:
        return self.outlet.reply(Delivery("t1", {}, guard, send_ms=0, sent=sent))

    async def look(self) -> Sequence[SentPart]:
        return [SentPart(one.remote_id) for one in await self.outlet.own_messages({}, 0)]

    def standing(self) -> list[str]:
        return self.paper.getvalue().splitlines()


@dataclass
class PlayedStage:
    fates: list[Fate] = field(default_factory=list)
    platform: PlayedPlatform = field(init=False)

    def __post_init__(self) -> None:
        self.platform = PlayedPlatform(lambda: 0, characters=10_000, remembers=0, fate=self._fate)

    def _fate(self, _request: Request) -> Fate:
        return self.fates.pop() if self.fates else ARRIVES

    def _delivery(self, sent: Sequence[SentPart], guard: Callable[[], None]) -> Delivery:
        return Delivery("t1", {"place": "p"}, guard, send_ms=0, sent=sent)

    def reply(
        self, sent: Sequence[SentPart] = (), guard: Callable[[], None] = no_objection
    ) -> Reply:
        return self.platform.reply(self._delivery(sent, guard))

    async def look(self) -> Sequence[SentPart]:
        own = await self.platform.own_messages({"place": "p"}, 0)
        return [SentPart(message.remote_id) for message in own if message.turn == "t1"]

    def next_fate(self, fate: Fate) -> None:
        self.fates.append(fate)

    def standing(self) -> list[str]:
        return [posted.text for posted in self.platform.own("t1")]

    async def busy(self) -> bool:
        return bool(self.platform.statuses)


@dataclass
class SlackStage:
    """Slack on the loopback, with a question in a thread."""

    slack: Slack
    home: Workspace
    posts: Posts
    channel: Channel
    question: Message

    @classmethod
    @asynccontextmanager
    async def open(cls) -> AsyncIterator[NetStage]:
        async with serving() as slack:
            home = slack.workspace()
            ann = home.person("Ann")
            channel = home.channel("general", ann)
            question = await ann.says(channel, "<@bot> May I?")
            async with open_client(home.bot_token, slack.api_url) as client:
                posts = Posts(client, installation(home), Governor(lambda: 0, {}))
                yield cls(slack, home, posts, channel, question)

    def reply(
        self, sent: Sequence[SentPart] = (), guard: Callable[[], None] = no_objection
    ) -> Reply:
        return SlackReply(self.posts, Delivery("t1", self._address, guard, 4_000, sent))

    async def look(self) -> Sequence[SentPart]:
        own = await self.posts.own_messages(self._address, 0)
        return [SentPart(message.remote_id) for message in own if message.turn == "t1"]

    def next_fate(self, fate: Fate) -> None:
        fates = {RESPONSE_LOST: faults.Fate(after=faults.dropped)}
        fates[REFUSED] = faults.Fate(before=faults.refused("is_archived"))
        self.slack.decide(faults.nth(1, fates[fate], "chat.postMessage"))

    def standing(self) -> list[str]:
        return [message.text for message in self.home.own(self.channel, self.question.ts)]

    async def busy(self) -> bool:
        await self.slack.until(self._all_arrived)
        return bool(self.home.statuses())

    def _all_arrived(self) -> bool:
        calls = self.slack.requests
        return bool(calls) and all(call.status for call in calls)

    @property
    def _address(self) -> dict[str, str]:
        ts = self.question.ts
        return {"channel": self.channel.id, "thread": ts, "message": ts}
