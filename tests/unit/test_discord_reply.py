"""An answer on Discord: what is called, when, and what people see of it."""

import asyncio

import pytest

from memory.errors import Superseded
from tests.servers.discord.faults import limited, refused
from tests.servers.discord.permissions import May
from tests.servers.faults import Act, Fate, Request
from tests.unit.discord_scene import EDIT, LONG, POST, QUESTION, THREAD, TYPING, Scene, on_stage

AT_ONCE = ["GET /messages/{message_id}", "POST /messages/{message_id}/threads", "POST /typing"]
STOP = {"type": 2, "style": 2, "label": "Stop", "custom_id": "nimbus:stop:t1"}


@on_stage
async def test_a_short_answer_is_one_message_in_a_thread(scene: Scene) -> None:
    async with scene.reply() as reply:
        await asyncio.sleep(0)
        await reply.finish("No.")
        await reply.recorded()

    assert scene.line.made == [*AT_ONCE, "POST /messages", "PATCH /messages/{message_id}"]
    assert scene.question.thread is not None
    assert scene.shown() == ["No."]
    assert scene.discord.quiet


@on_stage
async def test_edits_come_every_1300_milliseconds_and_the_last_text_is_always_shown(
    scene: Scene,
) -> None:
    async with scene.reply() as reply:
        for words in range(1, 31):
            await reply.show("word " * words)
            await asyncio.sleep(0.1)
        await asyncio.sleep(10)

        assert [at for at, _ in scene.texts(POST)] == [0]
        assert [at for at, _ in scene.texts(EDIT)] == [1.3, 2.6, 3.9]
        assert scene.shown() == ["word " * 30]


@on_stage
async def test_the_answer_does_not_wait_for_the_next_edit(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.show("Let me")
        await asyncio.sleep(0.5)
        await reply.show("Let me see")
        await reply.finish("No.")

    assert scene.texts(EDIT) == [(0.5, "No.")]
    await asyncio.sleep(10)
    assert scene.shown() == ["No."]


@on_stage
async def test_a_long_text_rolls_over_while_it_grows(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.show("one ")
        await reply.show(LONG)
        await asyncio.sleep(4)

        assert "".join(scene.shown()) == LONG
        assert len(reply.sent) == 3


@on_stage
async def test_a_table_is_shown_as_code(scene: Scene) -> None:
    async with scene.reply() as reply:
        [part] = await reply.finish("| a | b |\n|---|---|\n| 1 | 2 |")

    assert scene.shown() == ["```\na   b\n──  ──\n1   2\n```"]
    assert part.ends_at == 29


# What is sent


@on_stage
async def test_a_message_has_a_nonce_and_a_button_and_calls_nobody(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.finish("See https://x.example, @here and <@1>.")

    [(_, body)] = scene.line.sent(POST)
    assert body == {
        "content": "See https://x.example, @\u200bhere and <@\u200b1>.",
        "components": [{"type": 1, "components": [STOP]}],
        "flags": 4,
        "allowed_mentions": {"parse": [], "replied_user": False},
        "nonce": "e7e771dda0e24f5d3b68f0a5c",
        "enforce_nonce": True,
    }


@on_stage
async def test_each_part_of_each_turn_has_a_nonce_of_its_own(scene: Scene) -> None:
    for turn in ("t1", "t2"):
        async with scene.reply(turn=turn) as reply:
            await reply.finish(LONG)

    assert len({body["nonce"] for _, body in scene.line.sent(POST)}) == 6


@on_stage
async def test_every_part_has_the_button_until_the_answer_is_recorded(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.finish(LONG)
        assert all(message.components for message in scene.own())
        await reply.recorded()

    assert not any(message.components for message in scene.own())
    assert "".join(scene.shown()) == LONG


@on_stage
async def test_a_notice_in_place_of_an_answer_has_no_button(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.finish(LONG)
        await reply.close("Forgotten.")

    [message] = scene.own()
    assert (message.content, message.components) == ("Forgotten.", [])


@on_stage
async def test_a_button_that_cannot_be_removed_stays(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.finish(LONG)
        scene.next(Fate(before=refused(50013)), "PATCH channels/*/messages/*")
        await reply.recorded()

    assert [bool(message.components) for message in scene.own()] == [True, False, False]


@on_stage
async def test_buttons_wait_for_a_rate_only_so_long(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.finish("No.")
        scene.all(Fate(before=limited(30)), "PATCH channels/*/messages/*")
        await reply.recorded()
        before = scene.loop.time()
        await reply.recorded()

    assert scene.loop.time() - before <= 20


@on_stage
async def test_who_lost_the_turn_touches_no_button(scene: Scene) -> None:
    lost = False

    def guard() -> None:
        if lost:
            raise Superseded("taken")

    async with scene.reply(guard=guard) as reply:
        await reply.finish("No.")
        lost = True
        await reply.recorded()

    assert scene.own()[0].components


# Where it stands


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


# Typing


@on_stage
async def test_it_is_seen_to_type_until_its_first_message(scene: Scene) -> None:
    async with scene.reply() as reply:
        for _ in range(20):
            await asyncio.sleep(1)
            assert scene.discord.typing == [(scene.here.id, scene.bot.id)]
        await reply.show("Let me")
        assert scene.discord.typing == []
        await asyncio.sleep(30)

    assert len(scene.line.sent(TYPING)) == 3
    assert scene.discord.quiet


@on_stage
async def test_a_sign_on_its_way_is_not_seen_after_the_message(scene: Scene) -> None:
    async with scene.reply() as reply:
        await asyncio.sleep(7)
        scene.line.travel = lambda: 0.4
        await asyncio.sleep(1.1)
        scene.line.travel = lambda: 0.0
        await reply.show("Let me")

        assert len(scene.line.sent(TYPING)) == 2
        assert scene.discord.typing == []


@on_stage
async def test_who_goes_on_with_a_message_is_not_seen_to_type(scene: Scene) -> None:
    async with scene.reply() as reply:
        await asyncio.sleep(0)
        sent = await reply.finish("No.")
    async with scene.reply(sent):
        await asyncio.sleep(1)

    assert len(scene.line.sent(TYPING)) == 1


@pytest.mark.parametrize(("act", "times"), [(refused(50013), 1), (limited(12), 2), (None, 3)])
def test_an_answer_does_not_need_to_be_seen_typed(act: Act | None, times: int) -> None:
    @on_stage
    async def play(scene: Scene) -> None:
        scene.all(Fate(before=act), "POST channels/*/typing")
        async with scene.reply() as reply:
            await asyncio.sleep(17)
            await reply.finish("No.")

        assert scene.shown() == ["No."]
        assert len(scene.line.sent(TYPING)) == times

    play()


@on_stage
async def test_who_lost_the_turn_types_no_more(scene: Scene) -> None:
    lost = False

    def guard() -> None:
        if lost:
            raise Superseded("taken")

    async with scene.reply(guard=guard):
        await asyncio.sleep(1)
        lost = True
        await asyncio.sleep(20)

    assert len(scene.line.sent(TYPING)) == 1
