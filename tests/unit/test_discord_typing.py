"""An answer on Discord: who waits for it sees the bot type."""

import asyncio

import pytest

from memory.errors import Superseded
from tests.servers.discord.faults import limited, refused
from tests.servers.faults import Act, Fate
from tests.unit.discord_scene import TYPING, Scene, on_stage


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
