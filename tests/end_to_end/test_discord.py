"""The real worker on a Discord on the loopback: from its token to an answer, and to its end."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.end_to_end.test_slack import ended, running
from tests.servers.discord.server import serving

pytestmark = pytest.mark.slow


async def test_a_direct_message_is_answered_and_the_end_is_in_order(tmp_path: Path) -> None:
    async with serving() as discord:
        bot = discord.bot()
        ann = discord.person("Ann", discord.guild("acme", bot))
        direct = bot.direct(ann)
        async with running(tmp_path, **discord.environment()) as program:
            await discord.until(lambda: bot.hub.ready, seconds=20)
            await ann.says(direct, "What can you do?")
            await discord.until(lambda: bot.own(direct) and discord.quiet, seconds=20)
            program.send_signal(signal.SIGTERM)
            noted = await ended(program)

        assert bot.own(direct)
        assert program.returncode == 0
        assert "Discord: connected" in noted
        assert f"client_id={bot.app.id}" in noted
        assert not any(text in noted for text in ("What can you do?", bot.token))
        assert bot.hub.ready == []


async def test_a_token_that_is_refused_while_it_runs_ends_it(tmp_path: Path) -> None:
    async with serving() as discord:
        bot = discord.bot()
        async with running(tmp_path, **discord.environment()) as program:
            await discord.until(lambda: bot.hub.ready, seconds=20)
            bot.hub.close(4004)
            noted = await ended(program)

    assert program.returncode == 3
    assert "No chat platform is left" in noted
    assert "DISCORD_TOKEN" in noted


async def test_a_wrong_token_is_a_mistake_of_configuration(tmp_path: Path) -> None:
    async with serving() as discord:
        discord.bot()
        wrong = {**discord.environment(), "DISCORD_TOKEN": "wrong.wrong.wrong"}
        async with running(tmp_path, **wrong) as program:
            noted = await ended(program)

    assert program.returncode == 3
    assert "Reset Token" in noted
