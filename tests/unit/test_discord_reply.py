"""An answer on Discord: what is called, when, and what people see of it."""

import asyncio

from memory.errors import Superseded
from tests.servers.discord.faults import limited, refused
from tests.servers.faults import Fate
from tests.unit.discord_scene import EDIT, LONG, POST, Scene, on_stage

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
