"""What was said on Discord while nobody listened, read back as its events would have told it."""

from __future__ import annotations

import pytest

from bot.errors import DeliveryError
from bot.platform import Inbound
from memory.keys import PlaceKey
from tests.servers.discord.permissions import May
from tests.unit.discord_scene import Scene, on_stage


def place(scene: Scene) -> PlaceKey:
    return PlaceKey("discord", scene.home.id, "-", scene.question.id)


async def later(scene: Scene, limit: int = 50) -> list[Inbound]:
    return list(await scene.outlet.later(place(scene), scene.address, scene.asked_at, limit))


@on_stage
async def test_in_a_thread_that_was_made_from_the_question(scene: Scene) -> None:
    thread = await scene.ann.starts_thread(scene.question, "Ann's")
    scene.loop.advance(1)
    await scene.post(thread, "You may.")
    said = [await scene.ann.says(thread, text) for text in ("one", "two", "<@nimbus> three")]
    await scene.ann.says(scene.channel, "elsewhere")

    told = await later(scene, 2)

    assert [(each.message_id, each.text) for each in told] == [
        (said[1].id, "two"),
        (said[2].id, "three"),
    ]
    assert {each.place for each in told} == {place(scene)}
    assert [each.mentions_us for each in told] == [False, True]
    assert told[1].address == {
        **scene.inside(thread, said[2]),
        "user": scene.ann.id,
    }
    assert {(each.parent, each.surface) for each in told} == {(scene.channel.id, "public")}


@on_stage
async def test_from_inside_a_thread(scene: Scene) -> None:
    thread = await scene.ann.starts_thread(scene.question, "Ann's")
    asked = await scene.ann.says(thread, "<@nimbus> one")
    scene.address = scene.inside(thread, asked)
    scene.loop.advance(1)
    said = await scene.ann.says(thread, "two")

    told = await later(scene)

    assert told[-1].address == {**scene.inside(thread, said), "user": scene.ann.id}
    scene.home.role("mods", May.MANAGE_THREADS, scene.ann)
    await scene.ann.deletes_thread(thread)
    with pytest.raises(DeliveryError):
        await later(scene)


@on_stage
async def test_where_answers_are_replies_only_replies_to_us_are_read(scene: Scene) -> None:
    own = await scene.post(scene.channel, "You may.")
    answer = scene.channel.find(own)
    assert answer is not None
    scene.loop.advance(1)
    said = await scene.ann.says(scene.channel, "Sure?", to=answer)
    await scene.ann.says(scene.channel, "elsewhere")
    await scene.ann.says(scene.channel, "to Ann", to=scene.question)

    for thread in ("auto", "never"):
        scene.address = scene.top(thread)
        [told] = await later(scene)

        assert (told.message_id, told.text, told.replied) == (said.id, "Sure?", own)
        assert told.replies_to == "us"
        assert told.address["channel"] == scene.channel.id


@on_stage
async def test_in_direct_messages(scene: Scene) -> None:
    await scene.directly()
    said = await scene.ann.says(scene.channel, "Really?")
    where = PlaceKey("discord", "@me", scene.channel.id, "")
    after = scene.loop.milliseconds() - 1
    await scene.ann.says(scene.channel, "", files={"a.txt": b"a"})
    await scene.post(scene.channel, "Yes.")

    told = await scene.outlet.later(where, scene.address, after, 50)

    assert [(each.message_id, each.place) for each in told][-1] == (said.id, where)
    assert told[-1].address == {**scene.inside(scene.channel, said), "user": scene.ann.id}
