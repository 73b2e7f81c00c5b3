"""Fifty people ask at the same moment, in threads that were there before: the whole worker with
Slack's real limits in virtual time. All are answered, and Slack never says 429."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from adapters.slack.outlet import SlackOutlet, furnished
from adapters.slack.platform import SlackPlatform
from adapters.slack.socket import Connected, Socket, Take, unheard
from bot.main import Parts, Replaced, assemble
from bot.model import ModelRequest, ModelResponse
from bot.reception import FrontDesk
from bot.recovery import RUN_WORKERS
from bot.settings import Limits, Settings, Timing
from bot.tools import Toolbox
from memory.messages import Message, Text
from memory.sqlite import SQLite
from tests.fakes import USAGE
from tests.faults.inline import connect
from tests.faults.virtual import VirtualLoop, run
from tests.servers.slack.people import Workspace
from tests.servers.slack.rates import REAL, Rates
from tests.servers.slack.socket import Delivery
from tests.servers.slack.world import Channel
from tests.servers.slack.world import Message as SlackMessage
from tests.slack_in_process import ClientInProcess, Line, installation, workspace

pytestmark = [pytest.mark.slow, pytest.mark.inline]

PEOPLE = 50
CHANNELS = [1, 7, PEOPLE]


class Writer:
    """A model that writes for up to a minute, and ends with what it was told last."""

    name = "writer"

    def __init__(self, seed: int) -> None:
        self.requests: list[ModelRequest] = []
        self._random = Random(seed)  # noqa: S311 - nothing secret

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        self.requests.append(request)
        random = Random(self._random.random())  # noqa: S311 - nothing secret
        said = ""
        for word in range(random.randrange(20, 300)):
            await asyncio.sleep(random.uniform(0.05, 0.2))
            said += f"word{word} " * random.randrange(1, 12)
            yield said[-12:]
        said += request.messages[-1].text
        yield ModelResponse(Message("assistant", (Text(said),)), "stop", USAGE, self.name)

    async def close(self) -> None: ...


class Ear(Socket):
    """Hears what the workspace has to tell, all at once, and does what comes after."""

    def __init__(self, home: Workspace) -> None:
        self._home = home

    async def listen(self, take: Take, connected: Connected = unheard) -> None:
        del connected
        async with asyncio.TaskGroup() as group:
            for delivery in self._home.hub.held or []:
                group.create_task(self._tell(take, delivery))

    async def _tell(self, take: Take, delivery: Delivery) -> None:
        after = await take(delivery.payload)
        if after is not None:
            await after()


@dataclass(frozen=True)
class Rush:
    """`questions` stand in threads that somebody else began."""

    line: Line
    questions: list[tuple[Channel, SlackMessage]]
    model: Writer
    seconds: float

    def answer(self, number: int) -> str:
        channel, asked = self.questions[number]
        return "".join(each.text for each in self.line.home.own(channel, asked.thread_ts))


@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("seed", [1, 2])
def test_all_are_answered_and_slack_never_says_429(
    channels: int, seed: int, sqlite_url: str
) -> None:
    file = Path(sqlite_url.removeprefix("sqlite:///"))

    rush = run(lambda loop: rushed(loop, channels, seed, file))

    assert [each for each in rush.line.calls if each.error == "ratelimited"] == []
    assert all(rush.answer(number).endswith(f"question {number}?") for number in range(PEOPLE))
    assert rush.line.home.statuses() == []
    assert told(rush, "[From somebody]") == 0
    print(_figures(rush, channels))  # noqa: T201 - figures to look at


def told(rush: Rush, words: str) -> int:
    """How often the model was told this."""
    return sum(words in repr(request.messages) for request in rush.model.requests)


def _figures(rush: Rush, channels: int) -> str:
    return (
        f"{channels} channels: {rush.seconds:.0f} s, {len(rush.line.calls)} calls, "
        f"{PEOPLE - told(rush, 'It is broken')} without what was said before"
    )


async def rushed(loop: VirtualLoop, channels: int, seed: int, file: Path) -> Rush:
    random = Random(seed)  # noqa: S311 - nothing secret
    home = workspace(loop.milliseconds)
    line = Line(home, Rates(REAL), travel=lambda: random.uniform(0.05, 0.25))
    questions = await asked(home, channels)
    model = Writer(seed)
    place = furnished(installation(home), ClientInProcess(line), loop.milliseconds)
    platform = SlackPlatform(SlackOutlet([place]), [Ear(home)], [place], knows_guests=False)
    async with working(loop, file, platform, model) as parts:
        await platform.listen(FrontDesk(parts.intake, parts.commands))
        while not _all_there(home, questions):  # noqa: ASYNC110 - Slack tells nobody here
            await asyncio.sleep(1)
    return Rush(line, questions, model, loop.time())


async def asked(home: Workspace, channels: int) -> list[tuple[Channel, SlackMessage]]:
    """By fifty people; nobody has heard of it yet."""
    zoe = home.person("Zoe")
    people = [home.person(f"Person {number}") for number in range(PEOPLE)]
    places = [home.channel(f"c{number}", zoe, *people) for number in range(channels)]
    roots = [
        (places[number % channels], await zoe.says(places[number % channels], "It is broken"))
        for number in range(PEOPLE)
    ]
    home.hub.held = []
    return [
        (channel, await people[number].says(channel, _question(number), thread=root.ts))
        for number, (channel, root) in enumerate(roots)
    ]


def _question(number: int) -> str:
    return f"<@bot> question {number}?"


def _all_there(home: Workspace, questions: list[tuple[Channel, SlackMessage]]) -> bool:
    return all(
        home.own(channel, asked.thread_ts)
        and home.own(channel, asked.thread_ts)[-1].text.endswith("?")
        for channel, asked in questions
    )


@asynccontextmanager
async def working(
    loop: VirtualLoop, file: Path, platform: SlackPlatform, model: Writer
) -> AsyncIterator[Parts]:
    """All but the sweep: the bell is enough."""
    database = await SQLite.open(file, clock=loop.milliseconds, connect=connect)
    replaced = Replaced(
        model=model, toolbox=Toolbox([], Timing(), Limits()), clock=loop.milliseconds
    )
    async with (
        assemble(
            Settings(tools=()),
            database,
            worker=f"{RUN_WORKERS}rush",
            outlets=[platform.outlet],
            replaced=replaced,
        ) as parts,
        asyncio.TaskGroup() as group,
    ):
        work = group.create_task(parts.queue.work(parts.turns.answer, parts.turns.interrupted))
        yield parts
        parts.queue.stop()
        await work
    await database.close()
