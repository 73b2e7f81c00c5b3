"""What is told to somebody and is not the answer of a turn."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.servers.discord import faults
from tests.wire.discord_house import listening
from tests.wire.discord_scene import Scene, open_scene


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with open_scene() as scene:
        scene.desk.notice = "Not like that."
        yield scene


async def test_a_notice_is_a_reply_without_ping_and_mark(scene: Scene) -> None:
    async with listening(scene.discord, scene.desk):
        said = await scene.ann.says(scene.channel, "<@nimbus> hello")
        await scene.discord.until(lambda: scene.bot.own(scene.channel) and scene.discord.quiet)

    [notice] = scene.bot.own(scene.channel)
    assert (notice.content, notice.replies_to) == ("Not like that.", said.id)
    assert (notice.mentions, notice.components, notice.pings) == ([], [], set())


async def test_a_notice_after_an_edit_is_told_too(scene: Scene) -> None:
    said = await scene.ann.says(scene.channel, "hello")
    async with listening(scene.discord, scene.desk):
        await scene.ann.edits(said, "<@nimbus> hello")
        await scene.discord.until(lambda: scene.bot.own(scene.channel))


async def test_a_notice_that_is_refused_is_only_logged(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    fate = faults.Fate(before=faults.refused(50013))
    scene.discord.decide(faults.always(fate, "POST channels/*/messages"))
    async with listening(scene.discord, scene.desk):
        await scene.ann.says(scene.channel, "<@nimbus> hello")
        await scene.hears(1)

    assert "Not told" in caplog.text
