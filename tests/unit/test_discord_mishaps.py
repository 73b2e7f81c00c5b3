"""An answer on Discord of which something goes wrong on the way."""

import asyncio

import pytest

from adapters.discord.answers import DiscordError
from bot.errors import DeliveryError
from tests.servers.discord.faults import broken, dropped
from tests.servers.discord.permissions import May
from tests.servers.faults import Fate, held
from tests.unit.discord_scene import EDIT, LONG, POST, Scene, on_stage

POSTING, EDITING = "POST channels/*/messages", "PATCH channels/*/messages/*"
LOST = Fate(after=dropped)


@on_stage
async def test_a_post_whose_response_was_lost_is_made_again_and_stands_once(scene: Scene) -> None:
    scene.next(LOST, POSTING)
    async with scene.reply() as reply:
        [part] = await reply.finish("No.")

    assert scene.shown() == ["No."]
    assert part.remote_id == scene.own()[0].id
    assert len(scene.line.sent(POST)) == 2


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_server_in_trouble_is_asked_again(status: int) -> None:
    @on_stage
    async def play(scene: Scene) -> None:
        scene.next(Fate(before=broken(status)), POSTING)
        async with scene.reply() as reply:
            await reply.finish("No.")

        assert scene.shown() == ["No."]

    play()


@on_stage
async def test_what_never_gets_a_response_may_have_arrived(scene: Scene) -> None:
    scene.all(LOST, POSTING)
    async with scene.reply() as reply:
        with pytest.raises(DeliveryError) as lost:
            await reply.finish("No.")
        with pytest.raises(DeliveryError) as again:
            await reply.finish("No.")

    assert lost.value.unknown
    assert again.value.unknown
    assert scene.shown() == ["No."]
    assert scene.loop.time() < 4


@on_stage
async def test_what_takes_too_long_is_given_up(scene: Scene) -> None:
    async with scene.reply() as reply:
        scene.all(Fate(before=held(asyncio.Event())), POSTING)
        before = scene.loop.time()
        with pytest.raises(DeliveryError) as lost:
            await reply.finish("No.")

    assert lost.value.unknown
    assert scene.loop.time() - before == 4


@on_stage
async def test_what_was_found_is_finished_and_not_posted_again(scene: Scene) -> None:
    scene.discord.realm.remembers = 0
    scene.all(LOST, POSTING)
    async with scene.reply() as reply:
        with pytest.raises(DeliveryError):
            await reply.show("Let me see")
    scene.all(Fate())
    for extra in scene.own()[1:]:
        scene.discord.realm.delete(extra)
    async with scene.reply(await scene.found()) as reply:
        await reply.finish("No.")
        await reply.recorded()

    assert scene.shown() == ["No."]
    assert await scene.found() == []


@pytest.mark.parametrize("thread", ["auto", "never"])
def test_a_reply_is_found_where_no_thread_was_made(thread: str) -> None:
    @on_stage
    async def play(scene: Scene) -> None:
        scene.home.overwrite(scene.channel, deny=May.CREATE_PUBLIC_THREADS)
        scene.address = scene.top(thread)
        async with scene.reply() as reply:
            await reply.show(LONG)
        async with scene.reply(await scene.found()) as reply:
            await reply.finish("New: " + LONG)
            await reply.finish("Short.")

        assert scene.shown() == ["Short."]

    play()


@on_stage
async def test_in_a_thread_what_is_left_over_is_removed(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.show(LONG)
    async with scene.reply(await scene.found()) as reply:
        await reply.finish("Short.")

    assert scene.shown() == ["Short."]


@on_stage
async def test_a_message_that_somebody_deleted_is_posted_anew(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.show(LONG)
        scene.discord.realm.delete(scene.own()[0])
        await reply.finish("New: " + LONG)

    assert "".join(scene.shown()) == "New: " + LONG


@on_stage
async def test_a_thread_that_somebody_deleted_takes_the_answer_along(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.show("Let me")
        await scene.discord.person("Kim", scene.home).says(scene.channel, "Hm.")
        scene.home.role("mods", May.MANAGE_THREADS, scene.ann)
        await scene.ann.deletes_thread(scene.here)
        with pytest.raises(DiscordError) as gone:
            await reply.finish("No.")

    assert gone.value.permanent


@on_stage
async def test_an_old_message_that_may_not_be_edited_is_replaced(scene: Scene) -> None:
    scene.discord.realm.old_edits = 0
    async with scene.reply() as reply:
        await reply.show("Let me")
        await asyncio.sleep(2 * 60 * 60)
        await reply.finish("No.")

    assert scene.shown() == ["No."]


@on_stage
async def test_a_refused_edit_is_the_last_one(scene: Scene) -> None:
    scene.discord.realm.old_edits = 0
    async with scene.reply() as reply:
        await reply.show("Let me")
        await asyncio.sleep(2 * 60 * 60)
        for _ in range(20):
            await reply.show("Let me see")
            await asyncio.sleep(1)

    assert len(scene.line.sent(EDIT)) == 1


@on_stage
async def test_a_thread_that_was_put_away_is_opened(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.show(LONG)
        scene.discord.realm.archive(scene.here, archived=True)
        await reply.finish("No.")

    assert scene.shown() == ["No."]
    assert not scene.here.archived


@on_stage
async def test_in_a_thread_that_was_locked_nothing_is_said_any_more(scene: Scene) -> None:
    await scene.ann.starts_thread(scene.question, "Ann's")
    async with scene.reply() as reply:
        await reply.show("Let me")
        scene.here.locked = True
        scene.discord.realm.archive(scene.here, archived=True)
        with pytest.raises(DiscordError) as locked:
            await reply.finish("No.")

    assert locked.value.permanent


@on_stage
async def test_an_older_text_with_the_same_nonce_gets_the_newer_one(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.show("Let me")
    async with scene.reply() as reply:
        await reply.finish("No.")

    assert scene.shown() == ["No."]


@on_stage
async def test_spaces_that_discord_cuts_make_no_edit(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.finish("No. \n")

    assert not scene.line.sent(EDIT)
