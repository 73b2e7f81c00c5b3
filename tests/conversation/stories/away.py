"""A house whose process is gone for a while, and the next one, which looks back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bot.catch_up import CatchUp
from bot.platform import Inbound
from memory.keys import PersonKey, PlaceKey
from tests.conversation.stories.house import ANN, PLACE, House, living
from tests.fakes import Step, says

MINUTE = 60  # seconds
LATE = "> This waited too long for an answer. Please ask again if it still matters."


@asynccontextmanager
async def away(folder: Path, *steps: Step, **facts: Any) -> AsyncIterator[House]:
    """A house that was asked something, and whose process is gone now."""
    async with living(folder, says("Hello."), *steps, **facts) as house:
        await house.say("Hi")
        await house.quiet()
        await house.crash()
        yield house


def unheard(
    house: House, text: str, person: PersonKey = ANN, *, place: PlaceKey = PLACE, **facts: Any
) -> Inbound:
    """Somebody writes, and no process is told."""
    return house.platform.say(place, person, text, **facts)


async def back(house: House, name: str = "run:2") -> CatchUp:
    """The next process begins, and looks back."""
    await house.open(name)
    worker = house.worker
    catch_up = CatchUp(worker.database, worker.intake, [house.platform], name)
    await catch_up.look_back()
    worker.start(catch_up.keep_catching_up())
    return catch_up


async def caught_up(house: House, since: int | None = None, *, name: str = "run:2") -> CatchUp:
    """The next process begins, is connected, and has read all."""
    catch_up = await back(house, name)
    await again(house, catch_up, since)
    return catch_up


async def again(house: House, catch_up: CatchUp, since: int | None = None) -> None:
    """A connection, some time after."""
    catch_up.connected("played", since)
    await house.wait(10)
    await house.quiet()


def shown(house: House, place: PlaceKey = PLACE) -> list[str]:
    """Without references."""
    return [each.partition(" (reference")[0] for each in house.shown(place)]


def behind(house: House) -> int:
    return len(house.rows("SELECT 1 FROM conversations WHERE behind_from IS NOT NULL"))


async def caught_up_anew(house: House) -> None:
    await house.crash()
    await caught_up(house, name="run:3")
