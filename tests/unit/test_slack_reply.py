"""An answer in Slack: what is called, when, and what people see of it."""

import asyncio

import pytest

from memory.errors import Superseded
from tests.slack_in_process import LOST
from tests.unit.slack_scene import LONG, POST, STATUS, UPDATE, Scene, on_stage

# The rungs


@on_stage
async def test_a_short_answer_is_one_status_and_one_message(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.finish("No.")

    assert scene.line.methods == ["threads.setStatus", "postMessage"]
    assert scene.home.statuses() == []


@on_stage
async def test_edits_come_every_three_seconds_and_the_last_text_is_always_shown(
    scene: Scene,
) -> None:
    async with scene.reply() as reply:
        for words in range(1, 51):
            await reply.show("word " * words)
            await asyncio.sleep(0.1)
        await asyncio.sleep(20)

        assert [at for at, _ in scene.texts(POST)] == [0]
        assert [at for at, _ in scene.texts(UPDATE)] == [3, 6]
        assert scene.shown() == ["word " * 50]


@on_stage
async def test_the_answer_does_not_wait_for_the_next_edit(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.show("Let me")
        await asyncio.sleep(1)
        await reply.show("Let me see")
        await reply.finish("No.")

    assert scene.texts(UPDATE) == [(1, "No.")]
    await asyncio.sleep(10)
    assert scene.shown() == ["No."]


@on_stage
async def test_an_answer_that_was_shown_whole_is_not_sent_again(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.show("No.")
        await reply.finish("No.")

    assert scene.line.methods == ["threads.setStatus", "postMessage"]


@on_stage
async def test_a_long_text_rolls_over_while_it_grows(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.show("one ")
        await reply.show(LONG)
        await asyncio.sleep(4)

        assert "".join(scene.shown()) == LONG
        assert len(reply.sent) == 2


@on_stage
async def test_without_a_spare_edit_nothing_is_shown_until_the_end(scene: Scene) -> None:
    while scene.governor.reserve(UPDATE):
        pass
    async with scene.reply() as reply:
        await reply.show("Let me")
        await asyncio.sleep(10)
        await reply.show("Let me see")
        assert scene.shown() == []
        await reply.finish("No.")

    assert scene.line.methods == ["threads.setStatus", "postMessage"]


@on_stage
async def test_what_found_no_room_is_shown_later(scene: Scene) -> None:
    assert scene.governor.may_show(POST, scene.channel.id)
    async with scene.reply() as reply:
        await reply.show("Let me")
        assert scene.shown() == []
        await asyncio.sleep(4)
        assert scene.shown() == ["Let me"]


@on_stage
async def test_nothing_blank_is_shown(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.show(" \n")

    assert scene.shown() == []


@on_stage
async def test_reservations_are_returned(scene: Scene) -> None:
    for turn in range(20):
        async with scene.reply(turn=f"t{turn}") as reply:
            await reply.show("Let me")
            await reply.finish("No.")
        await asyncio.sleep(5)
    for turn in range(20, 40):
        async with scene.reply(turn=f"t{turn}") as reply:
            await reply.show("Let me")
        await asyncio.sleep(5)

    assert scene.governor.reserve(UPDATE)
    assert len(scene.shown()) == 40


# What is sent


@on_stage
async def test_a_message_carries_its_mark_its_key_and_no_preview(scene: Scene) -> None:
    async with scene.reply() as reply:
        await reply.finish("See https://x.example, @here.")

    [body] = scene.bodies(POST)
    payload = body["metadata"]["event_payload"]
    assert body == {
        "channel": scene.channel.id,
        "thread_ts": scene.question.ts,
        "markdown_text": "See https://x.example, @\u200bhere.",
        "client_msg_id": "c101b485-c943-5c17-8f4f-4caf4c701989",
        "metadata": {"event_type": "nimbus_answer", "event_payload": payload},
        "unfurl_links": False,
        "unfurl_media": False,
    }
    assert (payload["turn"], payload["part"]) == ("t1", "1")


@on_stage
async def test_an_edit_carries_the_mark_too(scene: Scene) -> None:
    async with scene.reply() as reply:
        [sent] = await reply.finish("No.")
    async with scene.reply([sent]) as reply:
        await reply.finish("Yes.")

    [body] = scene.bodies(UPDATE)
    assert body["metadata"]["event_payload"]["turn"] == "t1"
    assert (body["ts"], body["markdown_text"]) == (sent.remote_id, "Yes.")


@on_stage
async def test_each_part_of_each_turn_has_a_key_of_its_own(scene: Scene) -> None:
    for turn in ("t1", "t2"):
        async with scene.reply(turn=turn) as reply:
            await reply.finish(LONG)

    assert len({body["client_msg_id"] for body in scene.bodies(POST)}) == 4


@on_stage
async def test_a_flat_direct_message_has_no_thread_and_no_status(scene: Scene) -> None:
    scene.channel = scene.home.direct(scene.ann)
    scene.thread = ""
    async with scene.reply() as reply:
        await reply.show("Let me")
        await reply.finish("No.")

    assert scene.line.methods == ["postMessage", "update"]
    assert "thread_ts" not in scene.bodies(POST)[0]


# The status


@on_stage
async def test_the_status_says_that_it_works(scene: Scene) -> None:
    async with scene.reply():
        await asyncio.sleep(1)
        assert [text for _, _, text in scene.home.statuses()] == ["is thinking…"]

    assert scene.home.statuses() == []


@on_stage
async def test_who_goes_on_with_a_message_sets_no_status(scene: Scene) -> None:
    async with scene.reply() as reply:
        sent = await reply.finish("No.")
    async with scene.reply(sent):
        await asyncio.sleep(1)

    assert scene.line.methods == ["threads.setStatus", "postMessage"]


@pytest.mark.parametrize("error", ["invalid_thread_ts", "missing_scope", "ratelimited"])
def test_an_answer_does_not_need_a_status(error: str) -> None:
    @on_stage
    async def play(scene: Scene) -> None:
        scene.line.mishaps.append((STATUS, error))
        async with scene.reply() as reply:
            await reply.finish("No.")

        assert scene.shown() == ["No."]
        assert scene.line.methods == ["threads.setStatus", "postMessage"]

    play()


@on_stage
async def test_a_status_that_may_yet_come_is_cleared_after_the_answer(scene: Scene) -> None:
    scene.line.mishaps.append((STATUS, LOST))
    async with scene.reply() as reply:
        await reply.finish("No.")

    assert scene.line.methods == ["threads.setStatus", "postMessage", "threads.setStatus"]
    assert scene.line.calls[2].at - scene.line.calls[0].at == 4_000  # now it has arrived


@pytest.mark.parametrize("error", ["internal_error", "ratelimited", LOST])
def test_a_status_is_cleared_again_when_that_failed(error: str) -> None:
    @on_stage
    async def play(scene: Scene) -> None:
        async with scene.reply():
            await asyncio.sleep(1)
            scene.line.mishaps += [(STATUS, error), (STATUS, error)]

        assert len(scene.line.calls) == 4
        assert scene.home.statuses() == []

    play()


@pytest.mark.parametrize(("error", "calls"), [("channel_not_found", 2), ("internal_error", 4)])
def test_a_status_that_cannot_be_cleared_goes_by_itself(error: str, calls: int) -> None:
    @on_stage
    async def play(scene: Scene) -> None:
        async with scene.reply():
            await asyncio.sleep(1)
            scene.line.mishaps += [(STATUS, error)] * 3

        assert len(scene.line.calls) == calls

    play()


@on_stage
async def test_a_status_is_not_touched_when_the_turn_is_lost(scene: Scene) -> None:
    lost = False

    def guard() -> None:
        if lost:
            raise Superseded("taken")

    async with scene.reply(guard=guard):
        await asyncio.sleep(1)
        lost = True

    assert scene.line.methods == ["threads.setStatus"]
