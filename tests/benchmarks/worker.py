"""A worker in a process of its own, on the fakes of Slack and Discord, that tells of itself.

`python -m tests.benchmarks.worker SECONDS` with the settings in the environment: it writes a line
of JSON each so many seconds, and ends at SIGTERM. On Linux: what it holds stands in /proc.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from adapters.discord.opening import Discord, open_discord
from adapters.slack.opening import Slack, open_slack
from bot.cli.serve import serve
from bot.health import Health
from bot.lease import suspended_clock
from bot.main import Replaced
from bot.model import ModelRequest, ModelResponse, Usage
from bot.platform import Platform
from bot.settings import Limits, Settings, Timing
from bot.tools import Tool, Toolbox
from memory.engines import sqlite_path
from memory.messages import ToolCall, assistant
from tests.benchmarks.house import look_up

THINKING = "NIMBUS_BENCH_THINKING"  # seconds; no setting of Nimbus, so it is taken away
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Pulse:
    """What a worker holds at one moment."""

    megabytes: float
    objects: int
    tasks: int
    files: int
    database: float  # MB, with the log beside it

    @classmethod
    def taken(cls, database: Path) -> Pulse:
        gc.collect()
        resident = int(Path("/proc/self/statm").read_text().split()[1])
        sizes = [Path(f"{database}{end}") for end in ("", "-wal")]
        return cls(
            megabytes=resident * _PAGE / 1e6,
            objects=len(gc.get_objects()),
            tasks=len(asyncio.all_tasks()),
            files=len(list(Path("/proc/self/fd").iterdir())),
            database=sum(each.stat().st_size for each in sizes if each.exists()) / 1e6,
        )


class ThinkingModel:
    """Says what it was asked, in four pieces; about an order it looks something up first."""

    name = "thinking"

    def __init__(self, seconds: float) -> None:
        self._pause = seconds / 4

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        asked = [message for message in request.messages if message.role == "user"][-1]
        question = asked.text.rpartition("\n\n")[2]
        if "order" in question and request.messages[-1] is asked:
            await asyncio.sleep(self._pause)
            call = ToolCall(f"call_{len(request.messages)}", "look_up", '{"order_id": 1042}')
            yield ModelResponse(assistant("", call), "stop", Usage(100, 80, 10))
            return
        answer = f"You asked: {question} That will be seen to."
        for end in range(1, 5):
            await asyncio.sleep(self._pause)
            yield answer[len(answer) * (end - 1) // 4 : len(answer) * end // 4]
        yield ModelResponse(assistant(answer), "stop", Usage(100, 80, 50))

    async def close(self) -> None: ...


async def main(every: float) -> None:
    thinking = float(os.environ.pop(THINKING))
    settings, health, stop = Settings.load(), Health(), asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    replaced = Replaced(
        model=ThinkingModel(thinking),
        toolbox=Toolbox([Tool.of(look_up, risk="read")], Timing(), Limits()),
    )
    async with AsyncExitStack() as stack:
        platforms: list[Platform] = []
        if settings.slack_bot_token:
            slack = Slack(
                [token.get_secret_value() for token in settings.slack_bot_token],
                [token.get_secret_value() for token in settings.slack_app_token],
                settings.slack_api_url,
                tiers={},  # the fake sets no limits, or they alone would be measured
            )
            opened = open_slack(slack, health, suspended_clock())
            platforms.append(await stack.enter_async_context(opened))
        if settings.discord_token is not None:
            discord = Discord(settings.discord_token.get_secret_value(), settings.discord_api_url)
            platforms.append(await stack.enter_async_context(open_discord(discord, health)))
        telling = asyncio.create_task(_tell(sqlite_path(settings.database_url), every))
        await serve(settings, platforms, stop, replaced)
        telling.cancel()
        with suppress(asyncio.CancelledError):
            await telling


async def _tell(database: Path, every: float) -> None:
    while True:
        await asyncio.sleep(every)
        print(json.dumps(asdict(Pulse.taken(database))), flush=True)


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)  # connections are lost on purpose
    asyncio.run(main(float(sys.argv[1])))
