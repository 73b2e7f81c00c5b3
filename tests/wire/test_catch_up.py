"""What is said on Slack and on Discord while the worker is down is answered when it is back."""

from __future__ import annotations

import pytest

from bot.settings import Timing
from tests.fakes import ScriptedModel, says
from tests.servers.slack.socket import Delivery
from tests.wire import discord_house, discord_scene, slack_house, slack_scene

pytestmark = pytest.mark.slow

QUICK = Timing(sweep=20, settle=100)


async def test_slack_is_read_back_once_and_in_order(sqlite_url: str) -> None:
    model = ScriptedModel(*(says(text) for text in ("Hello.", "Hi.", "One.", "Two.", "Three.")))
    async with slack_scene.open_scene(sqlite_url) as scene:
        hub, ann = scene.home.hub, scene.ann
        direct = scene.home.direct(ann)
        async with slack_house.working(scene.slack, sqlite_url, model=model, timing=QUICK):
            thread = await scene.asks(ann, "Hello", "Hello.")
            await ann.says(direct, "Hi")
            await scene.answered("Hi.", channel=direct)
        lost: list[Delivery] = []
        hub.held = lost
        await ann.says(scene.channel, "one?", thread=thread)
        await scene.bob.says(scene.channel, "Lunch?", thread=thread)
        await scene.bob.says(scene.channel, "<@bot> two", thread=thread)
        hub.held = None
        async with slack_house.working(scene.slack, sqlite_url, model=model, timing=QUICK):
            await scene.slack.until(
                lambda: slack_house.said(scene.home, scene.channel, thread)[-1] == "Two."
            )
            for delivery in lost:
                hub.send(delivery)
            await scene.answered("Two.", thread)
            await ann.says(direct, "Still here?")
            await scene.answered("Three.", channel=direct)

        assert scene.home.shown(scene.channel, thread) == [
            *(f"<@{scene.home.bot.id}> Hello", "> Hello."),
            *("one?", "Lunch?", f"<@{scene.home.bot.id}> two", "> One.", "> Two."),
        ]
    await model.close()


async def test_discord_is_read_back_once_and_in_order(sqlite_url: str) -> None:
    model = ScriptedModel(*(says(text) for text in ("Hello.", "One.", "Two.", "Three.")))
    async with discord_scene.open_scene() as scene:
        async with discord_house.working(scene.discord, sqlite_url, model=model):
            asked = await scene.ann.says(scene.channel, "<@nimbus> Hello")
            await scene.discord.until(lambda: asked.thread)
            thread = asked.thread
            assert thread is not None
            await discord_house.answered(scene.discord, thread, "Hello.")
        said = [
            await scene.ann.says(thread, "one?"),
            await scene.bob.says(thread, "Lunch?"),
            await scene.bob.says(thread, "<@nimbus> two"),
        ]
        async with discord_house.working(scene.discord, sqlite_url, model=model):
            await discord_house.answered(scene.discord, thread, "Two.")
            for each in said:
                await scene.discord.again(*scene.discord.about(each))
            await scene.ann.says(thread, "<@nimbus> three")
            await discord_house.answered(scene.discord, thread, "Three.")

        shown = scene.bot.shown(thread)
        assert [each for each in shown if each.startswith(">")] == [
            *("> Hello.", "> One.", "> Two.", "> Three.")
        ]
    await model.close()


async def test_a_session_of_discord_that_was_lost_is_caught_up_with(sqlite_url: str) -> None:
    model = ScriptedModel(says("Hello."), says("One."))
    async with (
        discord_scene.open_scene() as scene,
        discord_house.working(scene.discord, sqlite_url, model=model),
    ):
        direct = scene.bot.direct(scene.ann)
        await scene.ann.says(direct, "Hello")
        await discord_house.answered(scene.discord, direct, "Hello.")
        scene.discord.cut_network()
        await discord_house.until(lambda: not scene.bot.hub.ready)
        scene.bot.hub.forget_sessions()
        await scene.ann.says(direct, "One?")
        scene.discord.mend_network()
        await discord_house.answered(scene.discord, direct, "One.")

        assert scene.bot.shown(direct) == ["Hello", "> Hello.", "One?", "> One."]
    await model.close()
