"""The real worker on a Slack on the loopback: from its tokens to an answer, and to its end."""

from __future__ import annotations

import asyncio
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.benchmarks.startup import ROOT, environment
from tests.servers.slack.people import Workspace
from tests.servers.slack.server import Slack, serving

pytestmark = pytest.mark.slow


@asynccontextmanager
async def running(folder: Path, **settings: str) -> AsyncIterator[Process]:
    program = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "bot", "run"),
        cwd=ROOT,
        env=environment(folder, **settings),
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=PIPE,
    )
    try:
        yield program
    finally:
        if program.returncode is None:
            program.kill()
            await program.wait()


async def ended(program: Process) -> str:
    """What it noted, until its end."""
    _, noted = await program.communicate()
    return noted.decode()


async def mentioned(slack: Slack, home: Workspace, text: str) -> str:
    """The answer to a mention."""
    ann = home.person("Ann")
    channel = home.channel("general", ann)
    root = await ann.says(channel, f"<@bot> {text}")
    await slack.until(lambda: home.own(channel, root.ts) and slack.quiet, seconds=20)
    [answer] = home.own(channel, root.ts)
    return answer.text


async def test_a_mention_is_answered_and_the_end_is_in_order(tmp_path: Path) -> None:
    async with serving() as slack:
        home = slack.workspace()
        async with running(tmp_path, **slack.environment()) as program:
            await slack.until(lambda: home.hub.connections, seconds=20)
            answer = await mentioned(slack, home, "What can you do?")
            program.send_signal(signal.SIGTERM)
            noted = await ended(program)

        assert answer
        assert program.returncode == 0
        assert "Slack 1: connected" in noted
        assert "What can you do?" not in noted
        assert not any(token in noted for token in (home.bot_token, home.app_token))
        assert home.hub.connections == []


async def test_what_slack_refuses_is_a_mistake_of_configuration(tmp_path: Path) -> None:
    async with serving() as slack:
        home = slack.workspace()
        home.scopes.remove("users:read")
        home.hub.enabled = False
        async with running(tmp_path, **slack.environment()) as program:
            noted = await ended(program)

    assert program.returncode == 3
    assert "lacks the scope users:read" in noted
    assert "Reinstall to Workspace" in noted


async def test_a_token_that_is_revoked_while_it_runs_ends_it(tmp_path: Path) -> None:
    async with serving() as slack:
        home = slack.workspace()
        async with running(tmp_path, **slack.environment()) as program:
            await slack.until(lambda: home.hub.connections, seconds=20)
            home.token_error = "token_revoked"
            home.hub.close()
            noted = await ended(program)

    assert program.returncode == 3
    assert "No chat platform is left" in noted
    assert "SLACK_APP_TOKEN" in noted
