"""What people do on the loopback, and what a bot hears of it."""

from __future__ import annotations

from typing import Any

import pytest
from discord import MessageType, Thread

from tests.servers.discord.people import Person
from tests.servers.discord.permissions import EVERYONE, May
from tests.servers.discord.world import Message
from tests.servers.people import NotPossible
from tests.wire.discord_app import listening
from tests.wire.discord_server.scene import Scene

pytestmark = pytest.mark.slow


async def heard(scene: Scene, event: str, number: int = 1) -> Any:
    """What came last with that event, once there were so many."""
    await scene.discord.until(lambda: len(scene.client.events(event)) >= number)
    return scene.client.events(event)[-1]


async def test_edits_and_deletions_are_told_of_messages_of_any_age(scene: Scene) -> None:
    said = [await scene.ann.says(scene.channel, str(each)) for each in range(4)]
    scene.client.heard.clear()
    await scene.ann.edits(said[0], "0!")
    edited = await heard(scene, "raw_message_edit")
    await scene.ann.deletes(said[1])
    deleted = await heard(scene, "raw_message_delete")
    await scene.ann.deletes(said[2], said[3])
    bulk = await heard(scene, "raw_bulk_message_delete")

    assert (edited.message.content, edited.message.edited_at is not None) == ("0!", True)
    assert str(deleted.message_id) == said[1].id
    assert {str(each) for each in bulk.message_ids} == {said[2].id, said[3].id}
    assert scene.bot.shown(scene.channel) == ["0!"]


async def test_a_preview_is_a_change_that_is_no_edit(scene: Scene) -> None:
    said = await scene.ann.says(scene.channel, "See https://example.org")
    await scene.ann.unfurls(said, "An example")
    changed = await heard(scene, "raw_message_edit")

    assert changed.message.edited_at is None
    assert [each.title for each in changed.message.embeds] == ["An example"]


async def test_a_reply_names_what_it_answers_and_may_ping(scene: Scene) -> None:
    await scene.place().send("Hi.")
    [own] = scene.bot.own(scene.channel)
    await scene.ann.says(scene.channel, "Thanks", to=own)
    pinging = await heard(scene, "message", 2)
    await scene.ann.says(scene.channel, "Thanks", to=own, pings=False)
    silent = await heard(scene, "message", 3)
    await scene.ann.deletes(
        *[each for each in scene.channel.messages if each.author.id == "no"]
        or [*scene.channel.messages[1:2]]
    )

    assert pinging.type is silent.type is MessageType.reply
    assert pinging.reference.resolved.content == "Hi."
    assert (scene.client.user in pinging.mentions, silent.mentions) == (True, [])


async def test_a_thread_under_a_message_has_its_id(scene: Scene) -> None:
    asked = await scene.ann.says(scene.channel, "Hello?")
    thread = await scene.ann.starts_thread(asked, "Hello?")
    made = await heard(scene, "thread_create")
    marked = await heard(scene, "raw_message_edit")
    starter = await heard(scene, "message", 2)
    await scene.ann.says(thread, "Anyone?")
    inside = await heard(scene, "message", 3)

    assert (str(made.id), str(made.parent_id)) == (asked.id, scene.channel.id)
    assert (marked.message.flags.has_thread, marked.message.edited_at) == (True, None)
    assert (starter.type, starter.content) == (MessageType.thread_starter_message, "")
    assert isinstance(inside.channel, Thread)
    assert inside.channel.id == made.id


async def test_a_post_in_a_forum_is_a_thread_whose_first_message_has_its_id(scene: Scene) -> None:
    forum = scene.home.channel("questions", "forum")
    first = await scene.ann.posts(forum, "How?", "<@nimbus> how?")
    told = await heard(scene, "message")
    with pytest.raises(NotPossible):
        await scene.ann.says(forum, "Hello?")

    assert str(told.id) == str(told.channel.id) == first.id == first.channel.id
    assert told.channel.parent.name == "questions"
    assert first.thread is None


async def test_threads_are_archived_opened_and_removed(scene: Scene) -> None:
    thread = await scene.ann.starts_thread(scene.channel, "Side talk")
    bob = scene.discord.person("Bob", scene.home)
    await scene.ann.archives(thread)
    archived = await heard(scene, "raw_thread_update")
    assert archived.data["thread_metadata"]["archived"]
    await bob.says(thread, "One more thing")
    with pytest.raises(NotPossible):
        await bob.archives(thread)
    scene.home.role("Moderators", May.MANAGE_THREADS, scene.ann)
    await scene.ann.archives(thread, lock=True)
    with pytest.raises(NotPossible):
        await bob.says(thread, "And another")
    await scene.ann.opens(thread)
    await bob.says(thread, "And another")
    await scene.ann.deletes_thread(thread)
    removed = await heard(scene, "raw_thread_delete")

    assert (str(removed.thread_id), str(removed.parent_id)) == (thread.id, scene.channel.id)
    assert "And another" in scene.client.texts


async def test_only_those_in_a_private_thread_see_it(scene: Scene) -> None:
    bob = scene.discord.person("Bob", scene.home)
    thread = await scene.ann.starts_private_thread(scene.channel, "Between us")
    await scene.ann.says(thread, "unheard")
    with pytest.raises(NotPossible):
        await bob.says(thread, "Hello?")
    other = await scene.ann.starts_private_thread(scene.channel, "With you", scene.bot.user)
    await scene.ann.says(other, "heard")
    await heard(scene, "message")

    assert scene.client.texts == ["heard"]


async def test_channels_come_and_go_with_their_threads(scene: Scene) -> None:
    other = scene.home.channel("other")
    await heard(scene, "guild_channel_create")
    thread = await scene.ann.starts_thread(other, "Side talk")
    scene.home.remove_channel(other)
    gone = await heard(scene, "guild_channel_delete")

    assert str(gone.id) == other.id
    assert scene.bot.hub.deliveries[-1].name == "CHANNEL_DELETE"
    assert {other.id, thread.id}.isdisjoint(scene.home.guild.channels)


async def test_a_bot_hears_nothing_of_what_it_does_not_see(scene: Scene) -> None:
    hidden = scene.home.channel("hidden", "text", scene.ann)
    shared = scene.home.channel("shared", "text", scene.ann, scene.bot)
    bob = scene.discord.person("Bob", scene.home)
    await scene.ann.says(hidden, "unheard")
    await scene.ann.says(shared, "heard")
    await heard(scene, "message")
    with pytest.raises(NotPossible):
        await bob.says(shared, "Hello?")
    scene.home.overwrite(hidden, scene.bot, allow=May.VIEW_CHANNEL)
    await scene.ann.says(hidden, "heard, too")
    await heard(scene, "message", 2)

    assert scene.client.texts == ["heard", "heard, too"]


async def test_a_server_that_is_away_for_a_while_is_not_one_that_was_left(scene: Scene) -> None:
    scene.home.fail()
    await heard(scene, "guild_unavailable")
    with pytest.raises(NotPossible):
        await scene.ann.says(scene.channel, "Hello?")
    scene.home.recover()
    await heard(scene, "guild_available", 2)
    scene.home.kick(scene.bot)
    await heard(scene, "guild_remove")
    await scene.ann.says(scene.channel, "unheard")
    scene.home.invite(scene.bot, EVERYONE)
    await heard(scene, "guild_join")

    assert scene.client.texts == []


async def test_what_stood_before_is_told_at_the_start(scene: Scene) -> None:
    thread = await scene.ann.starts_thread(scene.channel, "Side talk")
    async with listening(scene.discord, scene.bot) as client:
        [guild] = client.guilds
        names = [guild.text_channels[0].name, guild.threads[0].name]
        mine = guild.me.guild_permissions

    assert (guild.name, names) == ("acme", ["general", thread.name])
    assert (mine.send_messages, mine.manage_messages) == (True, False)


async def test_several_bots_hear_each_other(scene: Scene) -> None:
    other = scene.discord.bot("other")
    scene.home.invite(other)
    await scene.ann.says(scene.channel, "<@other> and <@nimbus>")
    told = await heard(scene, "message")

    assert [each.name for each in told.mentions] == ["other", "nimbus"]
    assert len(scene.discord.bots) == 2


async def test_bots_webhooks_and_discord_itself_speak_too(scene: Scene) -> None:
    robot = Person(scene.discord.bot("robot").user, scene.discord.realm)
    scene.home.admit(robot)
    await robot.says(scene.channel, "Beep")
    by_bot = await heard(scene, "message")
    await scene.ann.says(scene.channel, "By a hook", webhook_id="1")
    by_hook = await heard(scene, "message", 2)
    await scene.ann.says(scene.channel, "", type=7)
    system = await heard(scene, "message", 3)

    assert (by_bot.author.bot, by_hook.webhook_id) == (True, 1)
    assert system.is_system()


async def test_people_cannot_do_everything(scene: Scene) -> None:
    bob = scene.discord.person("Bob", scene.home)
    said = await scene.ann.says(scene.channel, "Hello?")
    thread = await scene.ann.starts_thread(said, "Hello?")

    async def refuses(doing: Any) -> bool:
        with pytest.raises(NotPossible):
            await doing
        return True

    assert await refuses(bob.edits(said, "x"))
    assert await refuses(bob.deletes(said))
    assert await refuses(bob.says(scene.channel, "x" * 4_001))
    assert await refuses(bob.starts_thread(said, "again"))
    assert await refuses(bob.says(thread, "x", to=thread.messages[0]))
    assert await refuses(scene.discord.person("Eve").says(scene.channel, "x"))
    scene.home.role("Moderators", May.MANAGE_MESSAGES | May.ADMINISTRATOR, bob)
    await bob.deletes(said)
    assert isinstance(said, Message)
    assert said not in scene.channel.messages
