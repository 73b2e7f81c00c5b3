"""The desk to which every platform brings what is no message."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bot.platform import Answer, Called
from bot.reception import FrontDesk
from bot.settings import Timing
from memory.begin import begin
from memory.database import wall_clock
from memory.keys import PersonKey, PlaceKey
from tests.house import open_house
from tests.played_platform import PlayedPlatform

THREAD = PlaceKey("played", "w", "c", "1")
ANN, BOB = PersonKey("played", "w", "ann"), PersonKey("played", "w", "bob")


def called(words: str, person: PersonKey, place: PlaceKey = THREAD) -> Called:
    address = {"place": str(place)}
    return Called(words, person, place, "public", 2**42, address)


async def test_what_is_somebody_elses_is_not_forgotten(tmp_path: Path) -> None:
    platform = PlayedPlatform(wall_clock, "played")
    async with open_house(tmp_path, platform) as house:
        desk = FrontDesk(house.parts.intake, house.parts.commands)
        await desk.accept(platform.say(THREAD, ANN, "Hello"))

        answer = await desk.command(called("forget", BOB))

        assert answer.text.startswith("Only who began this conversation")
        assert (await desk.command(called("forget", ANN))).text.startswith("Forgotten: 1")


async def test_more_than_one_is_asked_back_first(tmp_path: Path) -> None:
    platform = PlayedPlatform(wall_clock, "played")
    other, channel = PlaceKey("played", "w", "c", "2"), PlaceKey("played", "w", "c", "")
    async with open_house(tmp_path, platform) as house:
        desk = FrontDesk(house.parts.intake, house.parts.commands)
        for place in (THREAD, other):
            await desk.accept(platform.say(place, ANN, "Hello"))

        asked = await desk.command(called("forget", ANN, channel))
        done = await desk.command(called("forget", ANN, channel), confirmed=True)

        text = "This would make me forget 2 conversations, 0 turns, 2 messages"
        assert asked == Answer(f"{text}, at once and for good.", asks=True)
        assert done.text.startswith("Forgotten: 2 conversations")


async def test_forget_me_asks_back_and_is_told_when_it_is_done(tmp_path: Path) -> None:
    platform = PlayedPlatform(wall_clock, "played")
    async with open_house(tmp_path, platform, timing=Timing(apart=10)) as house:
        desk = FrontDesk(house.parts.intake, house.parts.commands)
        nothing = await desk.command(called("forget me", ANN))
        await desk.accept(platform.say(THREAD, ANN, "Hello"))
        asked = await desk.command(called("forget me", ANN))
        done = await desk.command(called("forget me", ANN), confirmed=True)

        assert (nothing.text.split(",")[0], nothing.asks) == (
            "This would make me forget nothing yet",
            True,
        )
        assert asked.text == (
            "This would make me forget 1 conversation, 0 turns, 1 message, at once and for good. "
            "That is all that I keep about you, wherever you said it."
        )
        assert done.text == "I am at it. This takes a few seconds."
        assert (await done.tell()).startswith("Forgotten: 1 conversation, 0 turns, 1 message.")


async def test_a_turn_is_stopped_wherever_its_button_was_pressed(tmp_path: Path) -> None:
    platform = PlayedPlatform(wall_clock, "played")
    elsewhere = PlaceKey("played", "w", "c", "")
    async with open_house(tmp_path, platform) as house:
        desk = FrontDesk(house.parts.intake, house.parts.commands)
        accepted = await desk.accept(platform.say(THREAD, ANN, "Hello"))
        conversation = accepted.conversation or ""
        turn = await house.parts.database.write(
            lambda tx: begin(tx, conversation, worker="run:1", lease=60_000)
        )
        pressed = replace(called("stop", BOB, elsewhere), turn=turn.id)

        assert (await desk.command(pressed)).text == "I stop."
        gone = await desk.command(replace(pressed, turn="another"))
        assert gone == Answer("Nothing is running that could be stopped.", comes_late=True)


async def test_news_are_news_once(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        desk = FrontDesk(house.parts.intake, house.parts.commands)

        assert desk.name == "Nimbus"
        assert await desk.is_news("welcome", ANN)
        assert not await desk.is_news("welcome", ANN)
        assert await desk.is_news("welcome", BOB)
