"""An answer on Discord: where it stands: in a thread, as a reply, or alone."""

import asyncio

import pytest

from tests.servers.discord.permissions import May
from tests.servers.faults import Fate, Request
from tests.unit.discord_scene import LONG, QUESTION, THREAD, Scene, on_stage


@on_stage
async def test_a_thread_is_named_after_the_question(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.finish("No.")

    assert scene.question.thread is not None
    assert scene.question.thread.name == "May I?"


@on_stage
async def test_a_question_without_words_makes_a_thread_all_the_same(scene: Scene) -> None:
    await scene.ann.edits(scene.question, "<@nimbus>")
    async with scene.reply() as reply:
        await reply.finish("No.")

    assert scene.question.thread is not None
    assert scene.question.thread.name == "A question"


@on_stage
async def test_a_thread_that_somebody_made_is_used(scene: Scene) -> None:
    thread = await scene.ann.starts_thread(scene.question, "Ann's")
    async with scene.reply() as reply:
        await reply.finish("No.")

    assert [message.content for message in scene.bot.own(thread)] == ["No."]
    assert not scene.line.sent(THREAD)


@on_stage
async def test_a_thread_that_somebody_makes_at_the_same_time_is_used(scene: Scene) -> None:
    async def just_before(_request: Request) -> None:
        await scene.ann.starts_thread(scene.question, "Ann's")

    scene.next(Fate(before=just_before), "POST channels/*/messages/*/threads")
    async with scene.reply() as reply:
        await reply.finish("No.")

    assert scene.question.thread is not None
    assert scene.question.thread.name == "Ann's"
    assert scene.shown() == ["No."]


@pytest.mark.parametrize(
    "lacking", [May.CREATE_PUBLIC_THREADS, May.SEND_MESSAGES_IN_THREADS, May.READ_MESSAGE_HISTORY]
)
def test_where_a_permission_is_missing_the_answer_stands_all_the_same(lacking: May) -> None:
    @on_stage
    async def play(scene: Scene) -> None:
        scene.home.overwrite(scene.channel, deny=lacking)
        async with scene.reply() as reply:
            await reply.finish("No.")

        shown = [*scene.bot.own(scene.channel), *scene.own()]
        assert {message.content for message in shown} == {"No."}

    play()


@on_stage
async def test_without_threads_the_answer_is_a_reply_and_that_is_remembered(scene: Scene) -> None:
    scene.home.overwrite(scene.channel, deny=May.CREATE_PUBLIC_THREADS)
    for turn in ("t1", "t2"):
        async with scene.reply(turn=turn) as reply:
            await reply.finish(LONG)

    replied = [message.replies_to for message in scene.own()]
    assert replied == [scene.question.id, "", ""] * 2
    assert len(scene.line.sent(THREAD)) == 1


@on_stage
async def test_a_permission_that_was_given_is_noticed(scene: Scene) -> None:
    scene.home.overwrite(scene.channel, deny=May.CREATE_PUBLIC_THREADS)
    async with scene.reply() as reply:
        await reply.finish("No.")
    scene.home.overwrite(scene.channel)
    await asyncio.sleep(11 * 60)
    async with scene.reply(turn="t2") as reply:
        await reply.finish("Yes.")

    assert scene.question.thread is not None


@on_stage
async def test_where_threads_are_not_wanted_the_answer_is_a_reply(scene: Scene) -> None:
    scene.address = scene.top("never")
    async with scene.reply() as reply:
        await reply.finish("No.")

    [message] = scene.own()
    assert message.replies_to == scene.question.id
    assert not scene.line.sent(QUESTION)


@on_stage
async def test_a_question_that_was_deleted_is_answered_where_it_stood(scene: Scene) -> None:
    await scene.ann.deletes(scene.question)
    async with scene.reply() as reply:
        await reply.finish("No.")

    assert [message.content for message in scene.bot.own(scene.channel)] == ["No."]


@on_stage
async def test_in_a_direct_message_it_is_a_message_like_any_other(scene: Scene) -> None:
    await scene.directly()
    async with scene.reply() as reply:
        await asyncio.sleep(0)
        await reply.finish("No.")

    assert scene.line.made == ["POST /typing", "POST /messages"]
    assert scene.own()[0].reference is None
