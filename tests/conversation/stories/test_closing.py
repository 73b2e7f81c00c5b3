"""What a dead worker showed of a turn that was forgotten is closed while nobody waits for it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.closing import Closing
from bot.settings import Timing
from bot.wording import FORGOTTEN
from memory.keys import PlaceKey
from memory.marks import OpenTurn
from tests.conversation.stories.house import ANN, House, living
from tests.fakes import hangs
from tests.played_network import LOST

pytestmark = pytest.mark.inline


@asynccontextmanager
async def shown_by_the_dead(tmp_path: Path) -> AsyncIterator[House]:
    async with living(tmp_path, hangs("Your secret is")) as house:
        await house.say("What is my secret?")
        await house.until(lambda: len(house.shown()) == 2)
        await house.crash()
        await house.wait(31)
        await house.open("run:2", works=False)
        yield house


async def test_who_ends_gives_it_time(tmp_path: Path) -> None:
    async with shown_by_the_dead(tmp_path) as house:
        async with house.worker.erasure.closing:
            await house.forget()

        assert house.shown()[1] == f"> {FORGOTTEN}"


async def test_who_ends_does_not_wait_for_a_platform_that_is_away(tmp_path: Path) -> None:
    async with shown_by_the_dead(tmp_path) as house:
        house.platform.fate = lambda _request: LOST
        began = house.loop.time()
        async with house.worker.erasure.closing:
            await house.forget()

        assert house.loop.time() - began < 9
        assert house.shown()[1] == "> Your secret is"


async def test_it_is_tried_no_longer_than_its_lease(tmp_path: Path) -> None:
    async with shown_by_the_dead(tmp_path) as house:
        house.platform.fate = lambda _request: LOST
        began = house.loop.time()
        await house.forget()
        await house.worker.erasure.closing.settled()

        assert 20 < house.loop.time() - began < 40
        assert house.shown()[1] == "> Your secret is"


async def test_where_this_process_cannot_speak_nothing_is_begun() -> None:
    turn = OpenTurn("t1", 1, "{}", 0, 0, ANN, 0)
    async with Closing({}, Timing(), lambda: 0) as closing:
        closing.begin(PlaceKey("slack", "T1", "C1", ""), turn, FORGOTTEN)
        await closing.settled()
