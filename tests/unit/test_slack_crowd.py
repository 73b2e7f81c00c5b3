"""Fifty answers at once, with Slack's real limits: all arrive, and Slack never says 429."""

import asyncio
from dataclasses import dataclass
from random import Random

import pytest

from adapters.slack.posts import Posts
from adapters.slack.rates import Governor
from adapters.slack.reply import SlackReply
from bot.platform import Delivery
from tests.faults.virtual import VirtualLoop, run
from tests.servers.slack.people import Workspace
from tests.servers.slack.rates import REAL, Rates
from tests.servers.slack.world import Channel
from tests.slack_in_process import ClientInProcess, Line, installation, workspace

ANSWERS = 50
SEND_MS = 4_000


@dataclass(frozen=True)
class Thread:
    """A question in a thread of its own, and the answer that it will get."""

    channel: Channel
    ts: str
    answer: str

    @property
    def delivery(self) -> Delivery:
        address = {"channel": self.channel.id, "thread": self.ts, "message": self.ts}
        return Delivery(f"{self.channel.id}-{self.ts}", address, lambda: None, SEND_MS)


@dataclass(frozen=True)
class Outcome:
    """What came of it: the calls, how many answers were seen before they were ready, and when the
    last was there (seconds)."""

    line: Line
    seen: int
    seconds: float


def made_up(*seed: int) -> Random:
    return Random(str(seed))  # noqa: S311 - nothing secret


async def crowd(loop: VirtualLoop, channels: int, seed: int) -> Outcome:
    random = made_up(seed)
    home = workspace(loop.milliseconds)
    line = Line(home, Rates(REAL), travel=lambda: random.uniform(0.05, 0.25))
    posts = Posts(ClientInProcess(line), installation(home), Governor(lambda: 1000 * loop.time()))
    threads = await questions(home, channels, random)
    work = (
        answered(SlackReply(posts, thread.delivery), thread.answer, made_up(seed, number))
        for number, thread in enumerate(threads)
    )
    seen = await asyncio.gather(*work)
    for thread in threads:
        told = [message.text for message in home.own(thread.channel, thread.ts)]
        assert "".join(told) == thread.answer
    assert not home.statuses()
    return Outcome(line, sum(seen), loop.time())


async def questions(home: Workspace, channels: int, random: Random) -> list[Thread]:
    ann = home.person("Ann")
    places = [home.channel(f"c{number}", ann) for number in range(channels)]
    asked = [
        (place, await ann.says(place, "<@bot> ?"))
        for place, _ in zip(places * ANSWERS, range(ANSWERS), strict=False)
    ]
    return [
        Thread(place, message.ts, f"word{number} " * random.randrange(20, 3_500))
        for number, (place, message) in enumerate(asked)
    ]


async def answered(reply: SlackReply, answer: str, random: Random) -> bool:
    """A model writes for up to a minute; whether anything was seen of it meanwhile."""
    async with reply:
        await asyncio.sleep(random.uniform(0.2, 5))
        steps = random.randrange(5, 120)
        for step in range(1, steps):
            await reply.show(answer[: len(answer) * step // steps])
            await asyncio.sleep(random.uniform(0.1, 0.6))
        seen = bool(reply.sent)
        await reply.finish(answer)
    return seen


@pytest.mark.parametrize(
    "channels", [1, *(pytest.param(each, marks=pytest.mark.slow) for each in (7, ANSWERS))]
)
@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 10))]
)
def test_all_arrive_and_slack_never_says_429(channels: int, seed: int) -> None:
    outcome = run(lambda loop: crowd(loop, channels, seed))

    assert outcome.line.errors == []
    assert outcome.seen > 0
    assert outcome.seconds < 150
