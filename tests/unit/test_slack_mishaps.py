"""An answer in Slack of which something goes wrong on the way."""

import asyncio

import pytest

from adapters.slack.web import SlackError
from bot.errors import DeliveryError
from memory.errors import Superseded
from tests.slack_in_process import LOST
from tests.unit.slack_scene import LONG, POST, UPDATE, Scene, on_stage


@on_stage
async def test_an_edit_without_a_response_is_told_by_the_next_word(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.show("Let me")
        scene.line.mishaps.append((UPDATE, LOST))
        await reply.show("Let me see")
        await asyncio.sleep(4)
        for say in (reply.show, reply.finish):
            with pytest.raises(SlackError) as lost:
                await say("No.")
            assert lost.value.unknown


@on_stage
async def test_an_edit_that_fails_for_now_is_made_again(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.show("Let me")
        scene.line.mishaps.append((UPDATE, "service_unavailable"))
        await reply.show("Let me see")
        await asyncio.sleep(7)

        assert scene.shown() == ["Let me see"]


@on_stage
async def test_nothing_more_is_shown_where_it_is_refused_for_good(scene: Scene) -> None:
    scene.channel.archived = True
    async with scene.reply() as reply:
        with pytest.raises(SlackError):
            await reply.show("Let me")
        for _ in range(20):
            await reply.show("Let me see")
            await asyncio.sleep(1)
        with pytest.raises(SlackError) as refused:
            await reply.finish("No.")

    assert refused.value.permanent
    assert scene.line.methods.count("postMessage") == 2


@on_stage
async def test_a_refused_edit_is_the_last_one(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.show("Let me")
        scene.line.mishaps.append((UPDATE, "edit_window_closed"))
        for _ in range(20):
            await reply.show("Let me see")
            await asyncio.sleep(1)

    assert scene.line.methods.count("update") == 1


@on_stage
async def test_a_429_is_waited_out(scene: Scene) -> None:
    scene.line.mishaps.append((POST, "ratelimited"))
    async with scene.reply() as reply:
        with pytest.raises(SlackError) as limited:
            await reply.finish("No.")
        await reply.finish("No.")

    assert not limited.value.unknown
    assert [at for at, _ in scene.texts(POST)] == [0, 30]


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
async def test_a_message_that_somebody_deleted_is_posted_anew(scene: Scene) -> None:
    scene.home.remembers = 600
    async with scene.reply() as reply:
        await reply.show(LONG)
        await asyncio.sleep(10)
        scene.home.delete(scene.home.own(scene.channel)[0])
        await reply.finish("New: " + LONG)

    assert "".join(scene.shown()) == "New: " + LONG


@on_stage
async def test_a_message_that_may_not_be_edited_any_more_is_replaced(scene: Scene) -> None:
    scene.home.edit_window = 5
    async with scene.reply() as reply:
        await reply.show("Let me")
        await asyncio.sleep(60)
        await reply.finish("No.")

    assert scene.shown() == ["No."]


@on_stage
async def test_what_slack_takes_for_an_earlier_post_gets_the_newer_text(scene: Scene) -> None:
    scene.home.remembers = 600
    scene.line.mishaps.append((POST, LOST))
    async with scene.reply() as reply:
        with pytest.raises(SlackError):
            await reply.show("Let me")
    async with scene.reply() as reply:
        await reply.finish("No.")

    assert scene.shown() == ["No."]


@on_stage
async def test_closing_says_nothing_where_all_was_deleted(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.show("Let me")
        scene.home.delete(scene.home.own(scene.channel)[0])
        await reply.close("Forgotten.")

    assert scene.shown() == []


@on_stage
async def test_who_is_cancelled_while_a_post_is_on_its_way_does_not_know(scene: Scene) -> None:
    scene.line.travel = lambda: 1
    async with scene.reply() as reply:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(3.5):
                await reply.finish("No.")
        with pytest.raises(DeliveryError) as again:
            await reply.finish("No.")

    assert again.value.unknown
    assert scene.shown() == ["No."]


@on_stage
async def test_an_edit_on_its_way_arrives_before_the_answer(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.show("Let me")
        scene.line.travel = lambda: 1
        await reply.show("Let me see")
        await asyncio.sleep(3.5)
        await reply.finish("No.")

    assert [text for _, text in scene.texts(UPDATE)] == ["Let me see", "No."]
    assert scene.shown() == ["No."]


@on_stage
async def test_a_key_of_a_message_that_was_deleted_is_not_used_again(scene: Scene) -> None:
    scene.home.remembers = 600
    for _ in range(2):
        async with scene.reply() as reply:
            await reply.finish("No.")
        [message] = scene.home.own(scene.channel)
        scene.home.delete(message)
