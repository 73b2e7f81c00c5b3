"""What a bot may read without the Message Content intent."""

from __future__ import annotations

from collections.abc import AsyncIterator

import discord as library
import pytest

from tests.servers.discord.homes import Bot
from tests.servers.discord.server import Discord
from tests.servers.discord.world import Channel
from tests.wire.discord_app import Client, listening
from tests.wire.discord_server.scene import Scene

pytestmark = pytest.mark.slow

UNREADABLE = library.Intents(guilds=True, guild_messages=True, dm_messages=True)


@pytest.fixture
async def ears(discord: Discord, bot: Bot, channel: Channel) -> AsyncIterator[Client]:
    """A client that asked for no contents."""
    del channel
    bot.app.content_allowed = False
    async with listening(discord, bot, Client(UNREADABLE)) as made:
        yield made


async def test_only_what_concerns_the_bot_is_told_in_full(scene: Scene) -> None:
    await scene.ann.says(scene.channel, "among us", files={"a.txt": b"secret"})
    await scene.ann.says(scene.channel, "<@nimbus> look")
    own = await scene.place().send("mine")
    [said] = scene.bot.own(scene.channel)
    await scene.ann.says(scene.channel, "a reply that pings", to=said)
    await scene.ann.says(scene.channel, "a reply that does not", to=said, pings=False)
    await scene.ann.says(scene.bot.direct(scene.ann), "alone")
    await scene.discord.until(lambda: len(scene.client.texts) == 6)
    heard = scene.client.events("message")

    look = f"{scene.bot.mention} look"
    assert scene.client.texts == ["", look, "mine", "a reply that pings", "", "alone"]
    assert heard[0].attachments == []
    assert heard[4].reference.resolved.content == own.content == "mine"
    assert heard[4].reference.message_id == own.id


async def test_it_is_the_same_with_edits_and_with_what_is_fetched(scene: Scene) -> None:
    said = await scene.ann.says(scene.channel, "among us")
    await scene.ann.edits(said, "still among us")
    await scene.discord.until(lambda: scene.client.events("raw_message_edit"))
    [edited] = scene.client.events("raw_message_edit")
    fetched = await scene.place().fetch_message(int(said.id))
    await scene.ann.edits(said, "<@nimbus> look")
    await scene.discord.until(lambda: len(scene.client.events("raw_message_edit")) == 2)
    [_, called] = scene.client.events("raw_message_edit")

    assert (edited.message.content, fetched.content) == ("", "")
    assert called.message.content == f"{scene.bot.mention} look"


async def test_a_client_may_ask_for_less_than_its_developer_allows(
    discord: Discord, bot: Bot, scene: Scene
) -> None:
    bot.app.content_allowed = True
    async with listening(discord, bot) as other:
        said = await scene.ann.says(scene.channel, "among us")
        await discord.until(lambda: scene.client.texts and other.texts)
        fetched = await scene.place().fetch_message(int(said.id))

    assert (scene.client.texts, other.texts) == ([""], ["among us"])
    assert fetched.content == "among us"
