"""Discord on the loopback, driven by discord.py itself: what is said, told and answered."""

from __future__ import annotations

import pytest
from discord import Message, TextChannel

from tests.servers.discord.homes import Bot, Server
from tests.servers.discord.people import Person
from tests.servers.discord.server import Discord
from tests.servers.discord.world import Channel
from tests.wire.discord_app import Client


async def test_a_mention_is_told_and_answered_in_a_thread_of_its_own(
    discord: Discord, bot: Bot, ann: Person, channel: Channel, ears: Client
) -> None:
    asked = await ann.says(channel, "<@nimbus> Hello?")
    await discord.until(lambda: ears.texts)
    [heard] = ears.events("message")
    thread = await heard.create_thread(name="Hello?")
    async with thread.typing():
        assert discord.typing == [(str(thread.id), bot.id)]
        await thread.send("Hi.", nonce="turn")

    assert (heard.content, heard.author.name) == (f"{bot.mention} Hello?", "ann")
    assert ears.user in heard.mentions
    assert asked.thread is not None
    assert str(thread.id) == asked.thread.id == asked.id
    assert bot.shown(asked.thread) == ["> Hi."]
    assert discord.quiet


async def test_a_person_and_the_bot_talk_alone(
    discord: Discord, bot: Bot, ann: Person, ears: Client
) -> None:
    direct = bot.direct(ann)
    await ann.says(direct, "Hello?")
    await discord.until(lambda: ears.texts)
    [heard] = ears.events("message")
    said = await heard.channel.send("Hm")
    await said.edit(content="Hi.")

    assert heard.guild is None
    assert str(heard.channel.id) == direct.id
    assert bot.shown(direct) == ["Hello?", "> Hi."]


async def test_who_the_bot_is_and_where(client: Client, bot: Bot, channel: Channel) -> None:
    fetched = await client.fetch_channel(int(channel.id))

    assert client.user is not None
    assert str(client.user.id) == str(client.application_id) == bot.id
    assert client.application_flags.gateway_message_content_limited
    assert isinstance(fetched, TextChannel)
    assert fetched.name == "general"


@pytest.mark.slow
async def test_fifty_conversations_do_not_mix(
    discord: Discord, bot: Bot, home: Server, ears: Client
) -> None:
    people = [discord.person(f"P{each}", home) for each in range(50)]

    async def on_message(message: Message) -> None:
        if message.author.id != ears.application_id:
            async with message.channel.typing():
                await message.channel.send(f"{message.content}, you said")

    ears.event(on_message)
    for person in people:
        await person.says(bot.direct(person), f"I am {person.user.name}")
    answers = [[f"I am {each.user.name}", f"> I am {each.user.name}, you said"] for each in people]
    await discord.until(lambda: sum(len(bot.own(bot.direct(each))) for each in people) == 50)

    assert [bot.shown(bot.direct(each)) for each in people] == answers
