"""What carries an answer, where no platform is, and where one says nothing."""

import pytest

from bot.delivery import NOWHERE, Courier
from bot.errors import DeliveryError
from bot.platform import Delivery, Outlet, Said, SentPart
from bot.settings import Timing
from memory.keys import PersonKey, PlaceKey
from tests.fakes import FakeClock
from tests.played_network import LOST
from tests.played_platform import PlayedPlatform

SENT = (SentPart("900", 4),)


def courier(outlet: Outlet = NOWHERE) -> Courier:
    return Courier(
        outlet,
        Delivery("t1", {"place": "p"}, lambda: None, 4_000, SENT),
        timing=Timing(send=0, give_up=0),
        clock=FakeClock(),
        started_at=0,
        taken_over=False,
    )


async def test_nowhere_an_answer_fails_for_good() -> None:
    async with courier() as carried:
        await carried.show("Let me see")
        with pytest.raises(DeliveryError) as refused:
            await carried.deliver("One.")

    assert refused.value.permanent


async def test_nowhere_nothing_can_be_asked() -> None:
    ann = PersonKey("played", "W", "ann")
    said = (Said(ann, "", "Hi"),)

    assert await NOWHERE.earlier({}, 0, 50) == ()
    assert await NOWHERE.later(PlaceKey("played", "W", "C", "1"), {}, 0, 50) == ()
    assert await NOWHERE.complete({}, said) == said
    assert not await NOWHERE.is_administrator({}, ann)


async def test_nowhere_nothing_is_closed_or_removed() -> None:
    async with courier() as carried:
        await carried.close("Forgotten.")
        await carried.recorded()
        await carried.remove_orphans(lambda _turn: pytest.fail("there is nothing to ask about"))

        assert carried.sent == SENT
    await NOWHERE.remove({}, "900")


async def test_who_abandons_a_turn_knows_no_parts_any_more() -> None:
    async with courier(PlayedPlatform(FakeClock())) as carried:
        before = list(carried.sent)
        carried.abandon()
        await carried.recorded()

        assert (before, list(carried.sent)) == (list(SENT), [])


async def test_who_abandons_a_turn_does_not_touch_its_status() -> None:
    """It may be another worker's status by now."""
    platform = PlayedPlatform(FakeClock())
    async with courier(platform) as carried:
        carried.abandon()

    assert platform.statuses == {("p", "t1")}


async def test_a_platform_that_says_nothing_of_what_stands_there_is_a_failed_delivery() -> None:
    platform = PlayedPlatform(FakeClock(), fate=lambda _request: LOST)
    async with courier(platform) as carried:
        await carried.remove_orphans(lambda _turn: pytest.fail("nobody knows what stands there"))

    assert [request.kind for request in platform.requests] == ["find"]
