"""What we find on Discord: our own messages, what others said, who people are, what they may."""

import pytest

from bot.platform import OwnMessage, Said
from memory.keys import PersonKey
from tests.servers.discord.faults import refused
from tests.servers.discord.permissions import May
from tests.servers.faults import Fate
from tests.unit.discord_scene import Scene, on_stage

ANYBODY = PersonKey("discord", "", "1")


def person(scene: Scene) -> PersonKey:
    return PersonKey("discord", "", scene.ann.id)


# Our own messages


@on_stage
async def test_our_marked_messages_are_found_in_order(scene: Scene) -> None:
    await scene.directly()
    posted = [await scene.post(scene.channel, turn, turn) for turn in ("t1", "t1", "t2")]
    await scene.ann.says(scene.channel, "Thanks.")
    notice = scene.discord.realm.new_message(scene.channel, scene.bot.user, "Not so fast.")
    notice.components = [{"type": 1, "components": [{"type": 2, "custom_id": "nimbus:keep"}]}]
    scene.discord.realm.post(notice)

    for since in (0, 1):
        assert await scene.outlet.own_messages(scene.address, since) == [
            OwnMessage(posted[0], "t1"),
            OwnMessage(posted[2], "t2"),
        ]


@on_stage
async def test_what_is_older_is_not_told(scene: Scene) -> None:
    await scene.directly()
    await scene.post(scene.channel, "old", "t1")
    scene.loop.advance(60)
    since = scene.loop.milliseconds()
    newer = await scene.post(scene.channel, "new", "t2")

    assert await scene.outlet.own_messages(scene.address, since) == [OwnMessage(newer, "t2")]


@on_stage
async def test_another_bot_with_our_mark_is_not_us(scene: Scene) -> None:
    await scene.directly()
    message = await scene.ann.says(scene.channel, "Hello.")
    message.components = [{"type": 1, "components": [{"type": 2, "custom_id": "nimbus:stop:t1"}]}]

    assert await scene.outlet.own_messages(scene.address, 1) == []


@on_stage
async def test_a_long_place_is_read_page_by_page_from_both_ends(scene: Scene) -> None:
    await scene.directly()
    for number in range(150):
        await scene.ann.says(scene.channel, f"{number}")
    middle = await scene.post(scene.channel, "No.")
    for number in range(150):
        await scene.ann.says(scene.channel, f"{number}")

    for since in (0, 1):
        found = await scene.outlet.own_messages(scene.address, since)
        assert found == [OwnMessage(middle, "t1")]
    assert len(scene.line.sent("GET /channels/{channel_id}/messages")) == 8


@on_stage
async def test_reading_back_has_an_end(scene: Scene) -> None:
    await scene.directly()
    make, ann = scene.discord.realm.new_message, scene.ann.user
    scene.channel.messages += [make(scene.channel, ann, "Hm.") for _ in range(1_100)]

    await scene.outlet.own_messages(scene.address, 0)

    assert len(scene.line.sent("GET /channels/{channel_id}/messages")) == 10


@on_stage
async def test_where_we_may_see_nothing_we_are_told_so(scene: Scene) -> None:
    scene.home.overwrite(scene.channel, deny=May.VIEW_CHANNEL)

    with pytest.raises(Exception, match="may not see"):
        await scene.outlet.own_messages(scene.address, 1)


@on_stage
async def test_a_thread_that_fails_is_not_taken_for_none(scene: Scene) -> None:
    await scene.ann.starts_thread(scene.question, "Ann's")
    scene.all(Fate(before=refused(50024)), "GET channels/*/messages")

    with pytest.raises(Exception, match="of this kind"):
        await scene.outlet.own_messages(scene.address, 1)


@on_stage
async def test_what_is_removed_is_gone_and_may_have_been_before(scene: Scene) -> None:
    for place in (scene.channel, await scene.ann.starts_thread(scene.question, "Ann's")):
        posted = await scene.post(place, f"In {place.kind}", f"t{place.id}")
        for _ in range(2):
            await scene.outlet.remove(scene.address, posted)

        assert scene.bot.own(place) == []


@on_stage
async def test_what_is_not_ours_is_not_removed(scene: Scene) -> None:
    await scene.directly()

    with pytest.raises(Exception, match="HTTP 403"):
        await scene.outlet.remove(scene.address, scene.question.id)


# What others said


@on_stage
async def test_before_what_began_a_place_nothing_was_said(scene: Scene) -> None:
    forum = scene.home.channel("ideas", "forum")
    post = await scene.ann.posts(forum, "An idea", "Listen!")
    await scene.ann.says(post.channel, "More of it.")

    assert await scene.outlet.earlier(scene.address, 0, 50) == ()
    assert await scene.outlet.earlier(scene.inside(post.channel, post), 0, 50) == ()


@on_stage
async def test_what_people_said_in_a_thread_is_read_in_order_the_newest_at_most(
    scene: Scene,
) -> None:
    other = scene.discord.bot("other")
    scene.home.invite(other)
    thread = await scene.ann.starts_thread(scene.question, "Ann's")
    said = [await scene.ann.says(thread, f"{number}") for number in range(4)]
    await scene.post(thread, "No.")
    scene.discord.realm.post(scene.discord.realm.new_message(thread, other.user, "Beep."))
    await scene.ann.says(thread, "", files={"a.txt": b"a"})
    asked = await scene.ann.says(thread, "<@nimbus> So?")

    told = await scene.outlet.earlier(scene.inside(thread, asked), 0, 3)

    assert [one.message_id for one in told] == [each.id for each in said[1:]]
    assert {one.name for one in told} == {"Ann"}


@on_stage
async def test_the_message_from_which_a_thread_was_made_is_read_with_it(scene: Scene) -> None:
    root = await scene.ann.says(scene.channel, "The parcel was wet.")
    thread = await scene.ann.starts_thread(root, "Wet")
    asked = await scene.ann.says(thread, "<@nimbus> Whose fault is it?")

    [told] = await scene.outlet.earlier(scene.inside(thread, asked), 0, 50)

    assert (told.message_id, told.text) == (root.id, "The parcel was wet.")
    assert told.place.thread == thread.id


@on_stage
async def test_nothing_older_is_read(scene: Scene) -> None:
    await scene.directly()
    scene.loop.advance(60)
    after = scene.loop.milliseconds()
    scene.loop.advance(60)
    young = await scene.ann.says(scene.channel, "young")
    address = scene.inside(scene.channel, await scene.ann.says(scene.channel, "So?"))

    told = await scene.outlet.earlier(address, after, 50)

    assert [one.message_id for one in told] == [young.id]


# Who people are


@on_stage
async def test_who_has_no_name_gets_the_one_that_people_use_there(scene: Scene) -> None:
    scene.home.guild.members[scene.ann.id].nick = "Annie"
    ann, said = person(scene), Said(ANYBODY, "Kim", "Hi")

    in_guild = await scene.outlet.complete(scene.address, [Said(ann, "", "Hi"), said])
    await scene.directly()
    directly = await scene.outlet.complete(scene.address, [Said(ann, "", "Hi")])

    assert [one.name for one in in_guild] == ["Annie", "Kim"]
    assert [one.name for one in directly] == ["Ann"]


@on_stage
async def test_who_is_not_known_is_somebody(scene: Scene) -> None:
    for _ in range(2):
        [somebody] = await scene.outlet.complete(scene.address, [Said(ANYBODY, "", "Hi")])
        assert somebody.name == "somebody"
    assert len(scene.line.calls) == 1
    scene.all(Fate(before=refused(50001)))
    [ann] = await scene.outlet.complete(scene.address, [Said(person(scene), "", "Hi")])
    assert ann.name == "somebody"


# What they may


async def may(scene: Scene) -> bool:
    return await scene.outlet.is_administrator(scene.address, person(scene))


@on_stage
async def test_who_may_manage_messages_is_an_administrator(scene: Scene) -> None:
    assert not await may(scene)
    scene.home.role("mods", May.MANAGE_MESSAGES, scene.ann)
    assert await may(scene)
    scene.home.overwrite(scene.channel, deny=May.MANAGE_MESSAGES)
    assert not await may(scene)
    scene.home.overwrite(scene.channel, scene.ann, allow=May.MANAGE_MESSAGES)
    assert await may(scene)
    scene.address = scene.inside(await scene.ann.starts_thread(scene.question, "A"), scene.question)
    assert await may(scene)


@on_stage
async def test_an_owner_or_administrator_may_whatever_the_channel_says(scene: Scene) -> None:
    scene.home.overwrite(scene.channel, scene.ann, deny=May.MANAGE_MESSAGES)
    owner = PersonKey("discord", "", scene.home.guild.owner)
    assert await scene.outlet.is_administrator(scene.address, owner)
    scene.home.role("admins", May.ADMINISTRATOR, scene.ann)
    assert await may(scene)


@on_stage
async def test_who_is_not_there_may_nothing(scene: Scene) -> None:
    assert not await scene.outlet.is_administrator(scene.address, ANYBODY)
    scene.home.remove_channel(scene.channel)
    with pytest.raises(Exception, match="is gone"):
        await may(scene)


@on_stage
async def test_a_member_whom_discord_does_not_tell_is_a_failure(scene: Scene) -> None:
    scene.all(Fate(before=refused(50001)), "GET guilds/*/members/*")

    with pytest.raises(Exception, match="may not see"):
        await may(scene)


@on_stage
async def test_a_command_tells_what_its_author_may(scene: Scene) -> None:
    scene.address["permissions"] = str(int(May.MANAGE_MESSAGES))
    assert await may(scene)
    scene.address["permissions"] = str(int(May.SEND_MESSAGES))
    assert not await may(scene)
    assert scene.line.calls == []


@on_stage
async def test_in_a_direct_message_nobody_is_an_administrator(scene: Scene) -> None:
    await scene.directly()

    assert not await may(scene)
