"""The real worker at its most talkative, under a umask that closes nothing: its log holds no word
that was said and no secret, its files are its owner's, and nothing forgotten is in them."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.model import ModelRequest
from tests.benchmarks.startup import ROOT, environment
from tests.planted import found_in, planted
from tests.servers.openai.desk import desk
from tests.servers.openai.server import serving as serving_model
from tests.servers.openai.wire import Answer, Failure, Script
from tests.servers.slack.server import serving as serving_slack

pytestmark = pytest.mark.slow

_TALKATIVE = {
    "OPENAI_LOG": "debug",
    "PYTHONASYNCIODEBUG": "1",
    "NIMBUS_MODEL": "openai:desk",
    "NIMBUS_TOOLS": "bot.tools.support",
}
_DEBUG = "import logging; logging.root.setLevel(1); from bot.__main__ import main; main()"
KEY, WORD = "sk-planted-key", planted("said")


def brain(request: ModelRequest) -> Answer:
    """Calls tools; and a provider that repeats in its refusal what it was asked."""
    if "fail" in repr(request.messages[-1]):
        return Script(Failure(400, message=planted("refused")))(request)
    return desk(request)


async def nimbus(settings: Mapping[str, str], log: Path, *words: str) -> Process:
    noted = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    program = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-c", _DEBUG, *words),
        cwd=ROOT,
        env=settings,
        umask=0,
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=noted,
    )
    os.close(noted)
    return program


async def test_neither_the_log_nor_the_files_tell_what_was_said(tmp_path: Path) -> None:
    folder, log = tmp_path / "files", tmp_path / "log"
    folder.mkdir()
    async with serving_slack() as slack, serving_model(brain) as server:
        home = slack.workspace()
        ann = home.person("Ann")
        channel = home.channel("general", ann)
        asked = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": KEY}
        settings = environment(folder, **slack.environment(), **asked, **_TALKATIVE)
        person = f"slack:{ann.profile.team}:{ann.id}"
        await (await nimbus(settings, log, "link", person, "demo")).wait()
        worker = await nimbus(settings, log, "run")
        await slack.until(lambda: home.hub.connections, seconds=20)
        root = await ann.says(channel, f"<@bot> Can I get a refund for order #1043? {WORD}")
        await slack.until(lambda: home.own(channel, root.ts) and slack.quiet, seconds=20)
        await ann.says(channel, f"<@bot> fail {WORD}", thread=root.ts)
        await slack.until(lambda: len(home.own(channel, root.ts)) == 2 and slack.quiet, seconds=20)
        before, modes = _words(folder), _modes(folder)
        await ann.says(channel, "<@bot> forget", thread=root.ts)
        await slack.until(lambda: not _words(folder) and slack.quiet, seconds=20)
        worker.terminate()
        await worker.wait()
    noted = log.read_text("utf-8")

    assert before == {WORD}
    assert _words(folder) == set()
    assert set(modes.values()) == {0o600}
    assert {"chat.db", "chat.db-wal", "chat.db-shm", "shop.db"} <= set(modes)
    assert "the model failed" in noted
    assert found_in(noted) == set()
    assert not [each for each in (home.bot_token, home.app_token, KEY) if each in noted]


def _words(folder: Path) -> set[str]:
    return found_in(b"".join(file.read_bytes() for file in folder.iterdir()))


def _modes(folder: Path) -> dict[str, int]:
    return {file.name: file.stat().st_mode & 0o777 for file in folder.iterdir()}
