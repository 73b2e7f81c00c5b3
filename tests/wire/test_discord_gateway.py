"""The gateway: what is told arrives, once and in order, whatever becomes of the connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.health import Health, State
from bot.platform import Inbound
from tests.wire.discord_house import listening, until
from tests.wire.discord_scene import Scene, open_scene


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with open_scene() as scene:
        yield scene


async def connected(scene: Scene, health: Health) -> None:
    """Until what was broken is whole."""
    await scene.discord.connected()
    await until(lambda: health.is_ready)


async def test_what_is_said_is_brought_in_order(scene: Scene) -> None:
    async with listening(scene.discord, scene.desk) as health:
        said = [await scene.ann.says(scene.channel, f"word {each}") for each in range(20)]
        await scene.ann.edits(said[0], "another word")
        await scene.ann.deletes(*said[:2])

        words = [f"word {each}" for each in range(20)]
        assert await scene.hears(23) == [*words, "Edited", "Deleted", "Deleted"]
        assert health.states == {"Discord": State("connected")}


async def test_what_cannot_be_written_down_is_held(scene: Scene) -> None:
    scene.desk.failures = 3
    async with listening(scene.discord, scene.desk):
        for each in ("one", "two"):
            await scene.ann.says(scene.channel, each)

        assert await scene.hears(2) == ["one", "two"]


async def test_what_cannot_be_written_down_for_long_is_given_up(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    scene.desk.failures = 10_000
    async with listening(scene.discord, scene.desk):
        await scene.ann.says(scene.channel, "one")
        await until(lambda: "Given up" in caplog.text)
        scene.desk.failures = 0
        await scene.ann.says(scene.channel, "two")

        assert await scene.hears(1) == ["two"]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["abort", "close", "reconnect"])
async def test_a_broken_connection_is_resumed_and_nothing_is_lost(scene: Scene, how: str) -> None:
    async with listening(scene.discord, scene.desk) as health:
        await scene.ann.says(scene.channel, "one")
        await scene.hears(1)
        getattr(scene.bot.hub, how)()
        await scene.ann.says(scene.channel, "meanwhile")
        await until(lambda: scene.bot.hub.resumes)
        await connected(scene, health)

        assert await scene.hears(2) == ["one", "meanwhile"]
        assert scene.bot.hub.identifies == 1


@pytest.mark.slow
async def test_a_connection_that_went_silent_is_given_up_and_resumed(scene: Scene) -> None:
    async with listening(scene.discord, scene.desk):
        scene.bot.hub.deafen()
        await scene.ann.says(scene.channel, "one")

        assert await scene.hears(1) == ["one"]
        assert scene.bot.hub.resumes == 1


@pytest.mark.slow
async def test_a_dead_connection_does_not_hold_up_the_end(scene: Scene) -> None:
    clock = asyncio.get_running_loop().time
    async with listening(scene.discord, scene.desk):
        scene.bot.hub.freeze()
        began = clock()

    assert clock() - began < 1


@pytest.mark.slow
async def test_a_session_that_is_over_begins_anew(scene: Scene) -> None:
    async with listening(scene.discord, scene.desk) as health:
        scene.bot.hub.invalidate()
        await until(lambda: scene.bot.hub.identifies == 2)
        await connected(scene, health)
        await scene.ann.says(scene.channel, "one")

        assert await scene.hears(1) == ["one"]


@pytest.mark.slow
async def test_a_network_that_is_away_is_waited_for(scene: Scene) -> None:
    async with listening(scene.discord, scene.desk) as health:
        scene.discord.cut_network()
        await until(lambda: not scene.bot.hub.ready)
        assert not health.is_ready
        scene.discord.mend_network()
        await connected(scene, health)
        await scene.ann.says(scene.channel, "one")

        assert await scene.hears(1) == ["one"]


@pytest.mark.parametrize("kind", ["MESSAGE_CREATE", "GUILD_CREATE", "INTERACTION_CREATE", "NEWS"])
async def test_what_nobody_can_read_ends_nothing(scene: Scene, kind: str) -> None:
    async with listening(scene.discord, scene.desk):
        scene.bot.hub.garble(kind)
        await scene.ann.says(scene.channel, "one")

        assert await scene.hears(1) == ["one"]
        assert scene.bot.hub.identifies == 1


@pytest.mark.slow
async def test_a_frame_that_is_no_event_ends_one_connection_only(scene: Scene) -> None:
    async with listening(scene.discord, scene.desk) as health:
        scene.bot.hub.garble("READY", {"v": 10})
        await until(lambda: scene.bot.hub.identifies == 2)
        await connected(scene, health)
        await scene.ann.says(scene.channel, "one")

        assert await scene.hears(1) == ["one"]


@pytest.mark.slow
async def test_without_the_intent_it_works_and_says_once_what_it_cannot_do(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    async with listening(scene.discord, scene.desk):
        scene.bot.app.content_allowed = False  # switched off while it runs
        scene.bot.hub.close(4014)
        await until(lambda: scene.bot.hub.identifies == 2)
        await scene.ann.says(scene.channel, "<@nimbus> one")
        await scene.ann.says(scene.channel, "two")

        assert await scene.hears(2) == ["one", ""]
        assert [each.hidden for each in scene.desk.events if isinstance(each, Inbound)] == [
            False,
            True,
        ]
        assert caplog.text.count("Message Content Intent") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "words"), [(4004, "does not know DISCORD_TOKEN"), (4011, "2,500"), (4013, "intents")]
)
async def test_who_is_refused_for_good_is_dead(scene: Scene, code: int, words: str) -> None:
    async with listening(scene.discord, scene.desk) as health:
        scene.bot.hub.close(code)
        await until(lambda: health.is_dead)

        assert words in health.states["Discord"].why


@pytest.mark.slow
async def test_a_token_that_is_refused_later_is_dead(scene: Scene) -> None:
    async with listening(scene.discord, scene.desk) as health:
        scene.bot.app.token = "another"
        scene.bot.hub.garble("READY", {"v": 10})  # so that a new session must begin
        await until(lambda: health.is_dead)

        assert "Reset Token" in health.states["Discord"].why


@pytest.mark.slow
async def test_no_session_begins_while_discord_allows_none(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    scene.bot.hub.identifies = 1_000
    async with listening(scene.discord, scene.desk, waits=False):
        await until(lambda: "no more sessions today" in caplog.text)

    assert scene.bot.hub.identifies == 1_000
