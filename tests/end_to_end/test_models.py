"""The real program with a model: what a person sets, and what comes of it."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import pytest

from bot.model import ModelRequest
from tests.benchmarks.startup import ROOT, environment
from tests.servers.openai.desk import desk, reasoning_desk
from tests.servers.openai.server import serving
from tests.servers.openai.wire import MODEL, Answer, Failure, Script

pytestmark = pytest.mark.slow

QUESTION = "Can I get a refund for order #1043?"


async def nimbus(folder: Path, *words: str, **settings: str) -> tuple[str, str]:
    """What the program writes to stdout and to stderr."""
    program = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "bot", *words),
        cwd=ROOT,
        env=environment(folder, **settings),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    told, noted = await program.communicate()
    return told.decode(), noted.decode()


@pytest.mark.parametrize(("api", "path"), [("chat", "messages"), ("responses", "input")])
async def test_a_compatible_server_needs_its_address_and_a_name_alone(
    tmp_path: Path, api: str, path: str
) -> None:
    async with serving(desk, responses=reasoning_desk) as server:
        told, _ = await nimbus(
            tmp_path,
            *("ask", QUESTION),
            OPENAI_BASE_URL=server.base_url,
            NIMBUS_MODEL="openai:desk",
            NIMBUS_OPENAI_API=api,
        )

    assert "cannot be refunded. Bought 20 days ago" in told
    assert (len(server.requests), server.refused) == (2, [])
    assert path in server.requests[0]


async def test_the_next_model_answers_and_the_operator_hears_why(tmp_path: Path) -> None:
    refusing = Script(Failure(404, "model_not_found"))

    def brain(request: ModelRequest) -> Answer:
        return refusing(request) if refusing.left else desk(request)

    async with serving(brain) as server:
        told, noted = await nimbus(
            tmp_path,
            *("ask", "-v", QUESTION),
            OPENAI_BASE_URL=server.base_url,
            NIMBUS_MODEL="openai:gone,openai:desk",
        )
        conversation = re.search(r"conversation ([0-9a-f]{32})", noted)
        assert conversation is not None
        trace, _ = await nimbus(tmp_path, "show", conversation[1], "--trace")

    assert "cannot be refunded" in told
    assert re.search(
        r"one of the models failed: openai:gone at 127\.0\.0\.1:\d+: .*not known there", noted
    )
    assert f"answered by openai:{MODEL}" in noted
    assert [request["model"] for request in server.requests] == ["gone", "desk", "desk"]
    assert f"openai:{MODEL}" in trace
