"""An answer on Discord that is refused, or has to wait, or that nobody may send any more."""

import asyncio

import pytest

from adapters.discord.answers import DiscordError
from adapters.discord.spot import Chains
from bot.errors import DeliveryError
from memory.errors import Superseded
from tests.servers.discord.faults import broken, dropped, limited, refused
from tests.servers.discord.permissions import May
from tests.servers.faults import Fate, nth
from tests.unit.discord_scene import EDIT, POST, THREAD, Scene, on_stage

POSTING, EDITING = "POST channels/*/messages", "PATCH channels/*/messages/*"
LOST = Fate(after=dropped)


@on_stage
async def test_who_does_not_hear_us_gets_no_answer(scene: Scene) -> None:
    await scene.directly()
    scene.ann.blocks(scene.bot.user)
    async with scene.reply() as reply:
        with pytest.raises(DiscordError, match="takes no direct messages") as refused:
            await reply.finish("No.")

    assert (refused.value.permanent, refused.value.unknown) == (True, False)


@on_stage
async def test_nothing_more_is_shown_where_it_is_refused_for_good(scene: Scene) -> None:
    scene.home.overwrite(scene.channel, deny=May.SEND_MESSAGES | May.CREATE_PUBLIC_THREADS)
    async with scene.reply() as reply:
        with pytest.raises(DiscordError):
            await reply.show("Let me")
        for _ in range(20):
            await reply.show("Let me see")
            await asyncio.sleep(1)

    assert len(scene.line.sent(POST)) == 1


# Rates


@on_stage
async def test_a_429_is_waited_out_before_the_next_try(scene: Scene) -> None:
    scene.next(Fate(before=limited(30)), POSTING)
    async with scene.reply() as reply:
        with pytest.raises(DiscordError) as too_many:
            await reply.finish("No.")
        await reply.finish("No.")

    assert (too_many.value.permanent, too_many.value.unknown) == (False, False)
    assert [at for at, _ in scene.texts(POST)] == [0, 30]


@on_stage
async def test_what_is_only_shown_does_not_wait_for_a_rate(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.show("Let me")
        scene.next(Fate(before=limited(10)), EDITING)
        await reply.show("Let me see")
        await asyncio.sleep(20)

    assert [at for at, _ in scene.texts(EDIT)] == [1.3, 11.7]
    assert scene.shown() == ["Let me see"]


# The network


@on_stage
async def test_an_edit_without_a_response_is_told_by_the_next_word(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.show("Let me")
        scene.all(LOST, EDITING)
        await reply.show("Let me see")
        await asyncio.sleep(6)
        for say in (reply.show, reply.finish):
            with pytest.raises(DeliveryError) as lost:
                await say("No.")
            assert lost.value.unknown


@on_stage
async def test_no_edit_is_sent_once_the_turn_is_lost(scene: Scene) -> None:
    lost = False

    def guard() -> None:
        if lost:
            raise Superseded("taken")

    async with scene.reply(guard=guard) as reply:
        await reply.show("Let me")
        await reply.show("Let me see")
        lost = True
        await asyncio.sleep(10)

    assert scene.shown() == ["Let me"]


@on_stage
async def test_what_is_tried_again_is_guarded_again(scene: Scene) -> None:
    guards = 0

    def guard() -> None:
        nonlocal guards
        guards += 1
        if guards > 3:
            raise Superseded("taken")

    scene.address = scene.top("never")
    scene.all(Fate(before=broken(503)), POSTING)
    async with scene.reply(guard=guard) as reply:
        await asyncio.sleep(0)
        with pytest.raises(Superseded):
            await reply.finish("No.")

    assert len(scene.line.sent(POST)) == 2


@on_stage
async def test_closing_says_nothing_where_all_was_deleted(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.show("Let me")
        scene.discord.realm.delete(scene.own()[0])
        await reply.close("Forgotten.")

    assert scene.shown() == []


@on_stage
async def test_a_thread_that_cannot_be_made_for_now_is_made_later(scene: Scene) -> None:
    route = "POST channels/*/messages/*/threads"
    scene.discord.decide(nth(1, Fate(before=limited(5)), route))
    async with scene.reply() as reply:
        with pytest.raises(DiscordError):
            await reply.finish("No.")
        await reply.finish("No.")

    assert scene.question.thread is not None
    assert scene.shown() == ["No."]


@on_stage
async def test_a_message_that_cannot_be_reached_for_now_is_not_looked_for_elsewhere(
    scene: Scene,
) -> None:
    async with scene.reply() as reply:
        await reply.finish("No.")
    scene.next(Fate(before=limited(5)), EDITING)
    async with scene.reply(await scene.found()) as reply:
        with pytest.raises(DiscordError):
            await reply.finish("Yes.")
        await reply.finish("Yes.")

    assert scene.shown() == ["Yes."]
    assert len(scene.line.sent(EDIT)) == 2


@on_stage
async def test_many_channels_without_threads_are_not_kept_for_ever(scene: Scene) -> None:
    chains = Chains()
    for channel in range(1_500):
        chains.add(str(channel))
    await asyncio.sleep(10 * 60)
    chains.add("another")

    assert "another" in chains
    assert "1499" not in chains
    assert scene.shown() == []


@on_stage
async def test_two_first_signs_make_one_thread(scene: Scene) -> None:
    scene.line.travel = lambda: 0.1
    async with scene.reply() as reply:
        await asyncio.sleep(0.01)
        await reply.show("Let me see")

    assert len(scene.line.sent(THREAD)) == 1


@on_stage
async def test_a_thread_that_automod_does_not_like_is_none(scene: Scene) -> None:
    route = "POST channels/*/messages/*/threads"
    scene.discord.decide(nth(1, Fate(before=refused(50035)), route))
    for turn in ("t1", "t2"):
        async with scene.reply(turn=turn) as reply:
            await reply.finish("No.")

    assert [each.content for each in scene.bot.own(scene.channel)] == ["No."]
    assert scene.shown() == ["No."]
