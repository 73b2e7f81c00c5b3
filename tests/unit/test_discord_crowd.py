"""Many answers on Discord at a time, under limits like the real ones, in virtual time."""

import asyncio

import pytest

from bot.delivery import Courier
from bot.platform import Delivery
from bot.settings import Timing
from tests.servers.discord.rates import EVERYWHERE, REAL
from tests.servers.discord.world import Channel
from tests.unit.discord_scene import Scene, on_stage

TEXT = "word " * 900  # three messages


async def answer(scene: Scene, turn: str, address: dict[str, str]) -> None:
    """As a model writes it, in twenty seconds."""
    delivery = Delivery(turn, address, lambda: None, 4_000)
    courier = Courier(
        scene.outlet,
        delivery,
        timing=Timing(),
        clock=scene.loop.milliseconds,
        started_at=scene.asked_at,
        taken_over=False,
    )
    async with courier:
        for words in range(1, 101):
            await courier.show(TEXT[: words * 45])
            await asyncio.sleep(0.2)
        await courier.deliver(f"{turn}: {TEXT}")
        await courier.recorded()


async def asked(scene: Scene, number: int) -> tuple[Channel, dict[str, str]]:
    channel = scene.bot.direct(scene.discord.person(f"Ann {number}", scene.home))
    question = scene.discord.realm.new_message(channel, scene.ann.user, "May I?")
    return channel, scene.inside(channel, scene.discord.realm.post(question))


def crowd(people: int) -> None:
    @on_stage
    async def play(scene: Scene) -> None:
        scene.discord.limit(REAL, EVERYWHERE)
        places = [await asked(scene, number) for number in range(people)]
        async with asyncio.TaskGroup() as group:
            for number, (_, address) in enumerate(places):
                group.create_task(answer(scene, f"t{number}", address))

        for number, (channel, _) in enumerate(places):
            shown = scene.bot.own(channel)
            assert "".join(one.content for one in shown) == f"t{number}: {TEXT}"
            assert not any(one.components for one in shown)
        assert not [each for each in scene.discord.requests if each.status == 429]
        assert scene.loop.time() < 60

    play()


def test_a_few_answers_grow_side_by_side() -> None:
    crowd(3)


@pytest.mark.slow
@pytest.mark.parametrize("people", [20, 60])
def test_all_arrive_although_discord_takes_only_so_many_calls(people: int) -> None:
    crowd(people)
