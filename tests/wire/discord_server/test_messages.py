"""What bots write, change and read on the loopback."""

from __future__ import annotations

import pytest
from discord import AllowedMentions, Attachment, Embed, File, Object, TextChannel

from tests.servers.discord.permissions import EVERYONE, May
from tests.servers.discord.server import serving
from tests.wire.discord_app import client_of
from tests.wire.discord_server.scene import Scene

pytestmark = pytest.mark.slow


async def test_the_same_nonce_is_the_same_message_for_some_minutes(rest: Scene) -> None:
    place = rest.place()
    first = await place.send("Hi.", nonce="turn-1")
    again = await place.send("Something else", nonce="turn-1")
    other = await place.send("Hi.", nonce="turn-2")
    rest.time.advance(180_000)
    late = await place.send("Hi.", nonce="turn-1")

    assert first.id == again.id
    assert (again.content, again.nonce) == ("Hi.", "turn-1")
    assert len({first.id, other.id, late.id}) == 3


async def test_another_bot_may_use_the_same_nonce(rest: Scene) -> None:
    await rest.place().send("Hi.", nonce="turn-1")
    rest.discord.realm.sent.clear()
    await rest.place().send("Hi.", nonce="turn-1")

    assert rest.bot.shown(rest.channel) == ["> Hi."] * 2


async def test_ids_are_times(rest: Scene) -> None:
    first = await rest.place().send("1")
    rest.time.advance(1_500)
    second = await rest.place().send("2")
    rest.time.advance(-1_500)
    third = await rest.place().send("3")

    assert first.id < second.id < third.id
    assert (second.created_at - first.created_at).total_seconds() == 1.5


async def test_messages_are_read_in_pages(rest: Scene) -> None:
    said = [await rest.ann.says(rest.channel, str(each)) for each in range(120)]
    place, middle = rest.place(), Object(int(said[60].id))

    newest = [each.content async for each in place.history(limit=3)]
    before = [each.content async for each in place.history(limit=3, before=middle)]
    after = [each.content async for each in place.history(limit=3, after=middle)]
    around = [each.content async for each in place.history(limit=3, around=middle)]
    everything = [each.content async for each in place.history(limit=None)]

    assert newest == ["119", "118", "117"]
    assert before == ["59", "58", "57"]
    assert after == ["61", "62", "63"]
    assert sorted(around) == ["59", "60", "61"]
    assert everything == [str(each) for each in reversed(range(120))]
    assert await rest.refusal("GET", f"/channels/{rest.channel.id}/messages?limit=101") == (
        *(400, 50035),
    )


async def test_a_message_is_changed_in_part(rest: Scene) -> None:
    said = await rest.place().send("Hi.", embed=Embed(title="More"), file=File(__file__, "a.txt"))
    said = await said.edit(content="Hello.")
    [own] = rest.bot.own(rest.channel)
    kept = (own.content, len(own.embeds), len(own.attachments))
    said = await said.edit(suppress=True)
    no_edit = own.edits
    await said.edit(attachments=[], suppress=True)

    assert kept == ("Hello.", 1, 1)
    assert (own.flags & 4, own.attachments, no_edit, own.edits) == (4, [], 1, 2)


async def test_files_lie_where_the_message_says(rest: Scene) -> None:
    asked = await rest.ann.says(rest.channel, "Read this", files={"a.txt": b"secret"})
    fetched = await rest.place().fetch_message(int(asked.id))
    [file] = fetched.attachments

    assert isinstance(file, Attachment)
    assert (file.filename, file.content_type, file.size) == ("a.txt", "text/plain", 6)
    assert await file.read() == b"secret"


async def test_only_allowed_mentions_call_anybody(rest: Scene) -> None:
    role = rest.home.role("Team", May.VIEW_CHANNEL)
    rest.home.allow(rest.bot, EVERYONE | May.MENTION_EVERYONE)
    text = f"{rest.ann.mention} {role.mention} @everyone `@here`"
    asked = await rest.ann.says(rest.channel, "Hello?")
    found = await rest.place().fetch_message(int(asked.id))
    for allowed in (
        AllowedMentions.none(),
        AllowedMentions(everyone=False, roles=False, users=[Object(int(rest.ann.id))]),
        AllowedMentions.all(),
    ):
        await rest.place().send(text, allowed_mentions=allowed)
    await found.reply("Hi.")
    await found.reply("Hi.", mention_author=True)

    pinged = [each.pings for each in rest.bot.own(rest.channel)]
    everybody = {rest.ann.id, role.id, "everyone"}
    assert pinged == [set(), {rest.ann.id}, everybody, set(), {rest.ann.id}]
    assert len(rest.discord.checked) == 5


async def test_typing_is_seen_for_ten_seconds_or_until_something_is_said(rest: Scene) -> None:
    here = [(rest.channel.id, rest.bot.id)]
    await rest.client.http.send_typing(int(rest.channel.id))
    seen = rest.discord.typing
    rest.time.advance(10_000)
    after_a_while = rest.discord.typing
    await rest.client.http.send_typing(int(rest.channel.id))
    await rest.place().send("Hi.")

    assert (seen, after_a_while, rest.discord.typing) == (here, [], [])


async def test_threads_are_made_under_and_beside_messages_and_in_forums(rest: Scene) -> None:
    asked = await rest.ann.says(rest.channel, "Hello?")
    forum = rest.home.channel("questions", "forum")
    channel = await rest.client.fetch_channel(int(rest.channel.id))
    assert isinstance(channel, TextChannel)
    under = await channel.get_partial_message(int(asked.id)).create_thread(name="Under")
    beside = await channel.create_thread(name="Beside")
    path = f"/channels/{forum.id}/threads"
    await rest.call("POST", path, {"name": "Post", "message": {"content": "How?"}})
    threads = {each.name: each for each in rest.home.guild.channels.values() if each.is_thread}

    assert threads.keys() == {"Under", "Beside", "Post"}
    assert str(under.id) == asked.id == threads["Under"].id
    assert threads["Beside"].kind == "private thread"
    assert str(beside.id) == threads["Beside"].id
    [first] = threads["Post"].messages
    assert (first.id, first.content) == (threads["Post"].id, "How?")


async def test_a_thread_tells_where_it_hangs_and_how_it_stands(rest: Scene) -> None:
    thread = await rest.ann.starts_thread(rest.channel, "Side talk")
    found = await rest.client.fetch_channel(int(thread.id))
    await rest.call("PUT", f"/channels/{thread.id}/thread-members/@me")
    await rest.ann.archives(thread)
    await rest.call("PATCH", f"/channels/{thread.id}", {"archived": False})

    assert (str(found.id), str(getattr(found, "parent_id", ""))) == (thread.id, rest.channel.id)
    assert rest.bot.id in thread.members
    assert not thread.archived


async def test_who_is_in_a_server_and_what_channels_it_has(rest: Scene) -> None:
    guild = await rest.client.fetch_guild(int(rest.home.id))
    ann = await guild.fetch_member(int(rest.ann.id))
    channels = await guild.fetch_channels()
    roles = await guild.fetch_roles()
    thread = await rest.ann.starts_thread(rest.channel, "Side talk")
    threads = await guild.active_threads()

    assert (guild.name, ann.name, ann.display_name) == ("acme", "ann", "Ann")
    assert [each.name for each in channels] == ["general"]
    assert [each.name for each in roles] == ["@everyone", "nimbus"]
    assert [str(each.id) for each in threads] == [thread.id]


async def test_what_people_should_not_read_is_noted(rest: Scene) -> None:
    place = rest.place()
    await place.send(f"Ask <@{rest.ann.id}>, see <#{rest.channel.id}> and <https://example.org>.")
    assert rest.discord.checked == []
    for wrong in (
        f"Ask {rest.ann.id}",
        "Traceback (most recent call last): ...",
        "discord.Forbidden: 403 Forbidden (error code: 50013): Missing Permissions",
        f"My token is {rest.bot.token}",
        "See https://example.org",
    ):
        noted = len(rest.discord.checked)
        await place.send(wrong)
        assert rest.discord.checked[noted:]
    await place.send("See https://example.org", suppress_embeds=True)

    assert "preview of a link" in rest.discord.checked[-1]


async def unspeakable() -> None:
    async with serving() as discord:
        bot = discord.bot()
        channel = discord.guild("acme", bot).channel("general")
        async with client_of(discord, bot) as client:
            await client.get_partial_messageable(int(channel.id)).send("KeyError: 'x'")


async def test_a_strict_server_fails_when_such_was_sent() -> None:
    with pytest.raises(AssertionError, match="an exception"):
        await unspeakable()
