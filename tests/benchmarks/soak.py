"""Mixed load for a long while through the real adapters: does anything stay behind?"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from random import Random
from statistics import median

from tests.benchmarks.startup import DATABASE, ROOT, environment
from tests.benchmarks.told import Told, until
from tests.benchmarks.towns import DiscordTown, SlackTown, Town
from tests.benchmarks.worker import THINKING, Pulse
from tests.servers.discord import server as discord_server
from tests.servers.slack import server as slack_server
from tests.servers.slack.socket import Pace

Story = Callable[[Told], Awaitable[None]]

PATIENCE = 90  # seconds for a story
AGAIN = (0.0, 3.0, 10.0)  # seconds until Slack tells again; its own minutes would be idle ones
WHOLE = "That will be seen to."
WARM_UP = 6 * 60  # seconds; discord.py remembers for five of these minutes how often it may ask
DISTURBED = 20  # seconds between two of a town's lost connections
_LIMITS = ("MESSAGES_PER_MINUTE", "PERSON_TOKENS_PER_DAY", "TOTAL_TOKENS_PER_DAY")
_MAY_GROW = {
    "megabytes": (1.03, 2.0),
    "objects": (1.02, 500.0),
    "tasks": (1.1, 5.0),
    "files": (1.0, 2.0),
}
"""From the first third to the last, of what is left after the warm-up: so many times, or so many
more, whichever is more."""


@asynccontextmanager
async def worker_in_towns(
    folder: Path, *, thinking: float, every: float, hears: Callable[[Pulse], None]
) -> AsyncIterator[Sequence[Town]]:
    """A worker on both platforms, which is told to end when the block does, and ends well."""
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(slack_server.serving(pace=Pace(retry_after=AGAIN)))
        discord = await stack.enter_async_context(discord_server.serving())
        towns = SlackTown(slack), DiscordTown(discord)
        settings = {
            **slack.environment(),
            **discord.environment(),
            **{f"NIMBUS_{limit}": "0" for limit in _LIMITS},
            "NIMBUS_RUNNING_TURNS": "1000",
            THINKING: str(thinking),
        }
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.benchmarks.worker", str(every)),
            cwd=ROOT,
            env=environment(folder, **settings),
            stdout=asyncio.subprocess.PIPE,
        )
        hearing = asyncio.create_task(_hear(process, hears))
        try:
            await slack.until(lambda: slack.workspaces[0].hub.connections, 30)
            await discord.until(lambda: discord.bots[0].hub.ready, 30)
            yield towns
        finally:
            process.send_signal(signal.SIGTERM)
            ended = await process.wait()
            await hearing
        assert ended == 0, f"the worker ended with {ended}"


async def _hear(process: asyncio.subprocess.Process, hears: Callable[[Pulse], None]) -> None:
    assert process.stdout is not None
    async for line in process.stdout:
        hears(Pulse(**json.loads(line)))


class People:
    """Who plays one story after the other in a town, until `ends`."""

    def __init__(self, town: Town, ends: float, random: Random) -> None:
        self.town = town
        self.ends = ends
        self.random = random
        self.played: Counter[str] = Counter()
        self.unanswered: list[str] = []
        self.talks: list[Told] = []

    async def play(self) -> None:
        while time.monotonic() < self.ends:
            name, talk = self.random.choice(list(STORIES)), Told(self.town.talk())
            self.talks.append(talk)
            try:
                async with asyncio.timeout(PATIENCE):
                    await STORIES[name](talk)
            except TimeoutError:
                self.unanswered.append(name)
            self.played[name] += 1

    async def disturb(self, every: float) -> None:
        while time.monotonic() + every < self.ends:
            await asyncio.sleep(every)
            self.town.disturb(roughly=self.random.random() < 0.5)
            self.played["reconnects"] += 1


async def _asks(talk: Told) -> None:
    await talk.says("where is my order?")
    await talk.answered(WHOLE)


async def _asks_on(talk: Told) -> None:
    """Two people, in a thread that grows out of its window."""
    for number in range(12):
        await talk.says(f"what about number {number}? {'please ' * 150}", other=number % 3 == 2)
        await talk.answered(f"number {number}?", WHOLE)


async def _bursts(talk: Told) -> None:
    await _asks(talk)
    for text in ("well.", "one more thing.", "is it blue?"):
        await talk.says(text)
    await talk.answered("is it blue?", WHOLE)


async def _edits(talk: Told) -> None:
    await _asks(talk)
    await talk.says("is it red?")
    await talk.edits_last("is it green?")
    await until(
        lambda: any("is it green?" in each or "is it red?" in each for each in talk.answers())
    )
    await asyncio.sleep(1)


async def _deletes(talk: Told) -> None:
    await _asks(talk)
    await talk.says("is it yellow?")
    await asyncio.sleep(0.3)
    await talk.deletes_last()
    await asyncio.sleep(1)


async def _stops(talk: Told) -> None:
    await _asks(talk)
    await talk.says("tell me all about it.")
    await asyncio.sleep(0.5)
    await talk.says("stop")
    await asyncio.sleep(1)


async def _forgets(talk: Told) -> None:
    await _asks(talk)
    await talk.says("forget")
    await asyncio.sleep(1)
    await talk.says("do you remember?")
    await talk.answered("remember", WHOLE)


async def _begins_anew(talk: Told) -> None:
    await _asks(talk)
    await talk.says("new")
    await asyncio.sleep(0.5)
    await talk.says("what now?")
    await talk.answered("what now?", WHOLE)


STORIES: Mapping[str, Story] = {
    "questions": _asks,
    "long threads": _asks_on,
    "bursts": _bursts,
    "edits": _edits,
    "deletes": _deletes,
    "stops": _stops,
    "forgets": _forgets,
    "beginnings": _begins_anew,
}


def unfinished(database: Path) -> list[str]:
    """What the worker left behind at its end, when all had been answered."""
    with closing(sqlite3.connect(database)) as file:
        messages = "SELECT state || ': ' || remote_id FROM messages WHERE state = 'waiting'"
        turns = "SELECT state || ': ' || id FROM turns WHERE state <> 'done'"
        return [text for [text] in file.execute(f"{messages} UNION ALL {turns}")]


def verdict(pulses: Sequence[Pulse], every: float) -> dict[str, tuple[float, float, bool]]:
    """Medians of the first and the last third of what is left after the warm-up, at least a half,
    and whether it stayed flat between them."""
    steady = pulses[min(len(pulses) // 2, round(WARM_UP / every)) :]
    third = max(1, len(steady) // 3)
    result = {}
    for name, (times, more) in _MAY_GROW.items():
        first = median(getattr(each, name) for each in steady[:third])
        last = median(getattr(each, name) for each in steady[-third:])
        result[name] = (first, last, last <= max(first * times, first + more))
    return result


async def soak(folder: Path, *, minutes: float, every: float, talks: int) -> bool:
    """Print a line each minute, then what came of it; whether all stayed flat."""
    pulses: list[Pulse] = []
    print(
        f"{'minute':>8}{'MB':>8}{'objects':>10}{'tasks':>7}{'files':>7}{'database MB':>13}", end=""
    )
    print(f"{'stories':>9}{'load':>7}")
    async with worker_in_towns(folder, thinking=0.4, every=every, hears=pulses.append) as towns:
        began = time.monotonic()
        random, ends = Random(1), began + 60 * minutes  # noqa: S311 - nothing secret
        crowds = [People(town, ends, random) for town in towns]
        async with asyncio.TaskGroup() as group:
            for crowd in crowds:
                group.create_task(crowd.disturb(DISTURBED))
                for _ in range(talks):
                    group.create_task(crowd.play())
            while (left := ends - time.monotonic()) > 0:
                await asyncio.sleep(min(60, left))
                stories = sum(crowd.played.total() for crowd in crowds)
                _print(pulses[-1], (time.monotonic() - began) / 60, stories)
    wrong = [each for crowd in crowds for talk in crowd.talks for each in talk.wrong()]
    wrong += await asyncio.to_thread(unfinished, folder / DATABASE)
    print("missing, doubled or left over:", *(wrong or ["none"]), sep="\n  ")
    unanswered = [name for crowd in crowds for name in crowd.unanswered]
    for crowd in crowds:
        told = ", ".join(f"{count} {what}" for what, count in sorted(crowd.played.items()))
        print(f"{crowd.town.name}: {told}; without an answer: {crowd.unanswered or 'none'}")
    return _judge(verdict(pulses, every), all_answered=not wrong and not unanswered)


def _judge(found: Mapping[str, tuple[float, float, bool]], *, all_answered: bool) -> bool:
    for what, (first, last, is_flat) in found.items():
        print(f"{what:10}{first:12,.1f} →{last:12,.1f}  {'flat' if is_flat else 'NOT FLAT'}")
    is_flat = all(each[2] for each in found.values())
    print("flat" if is_flat else "not flat", "all answered" if all_answered else "NOT all answered")
    return is_flat and all_answered


def _print(pulse: Pulse, minute: float, stories: int) -> None:
    print(
        f"{minute:8.1f}{pulse.megabytes:8.1f}{pulse.objects:10,}{pulse.tasks:7}{pulse.files:7}"
        f"{pulse.database:13.2f}{stories:9}{os.getloadavg()[0]:7.1f}",
        flush=True,
    )
