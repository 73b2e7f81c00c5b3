"""Models that never answer, or a letter at a time: their time limit cuts them, others go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.settings import Limits
from memory.keys import PlaceKey
from tests.conversation.stories.house import ELSEWHERE, living
from tests.fakes import hangs, says, trickles

pytestmark = pytest.mark.inline


async def test_a_model_that_trickles_is_cut_and_what_it_said_stays(tmp_path: Path) -> None:
    async with living(tmp_path, trickles("abcde" * 100), says("Here."), says("Two.")) as house:
        began = house.loop.time()
        await house.say("one")
        await house.wait(30)
        await house.say("here", place=ELSEWHERE)
        await house.wait(5)
        assert house.shown(ELSEWHERE) == ["here", "> Here."]
        await house.quiet()
        assert 180 <= house.loop.time() - began < 190

        answer = house.shown()[1].removeprefix("> ")
        said, sentence = answer.split("\n\n")
        assert said == ("abcde" * 36)[: len(said)]
        assert 175 <= len(said) <= 180
        assert sentence.startswith("This took longer")
        assert ("done", "time_limit") in house.outcomes()
        await house.say("two")
        await house.quiet()
        assert house.shown()[-1] == "> Two."
        assert said in house.model.requests[-1].messages[1].text


async def test_models_that_never_answer_hold_others_up_for_their_time_limit_and_no_longer(
    tmp_path: Path,
) -> None:
    places = [PlaceKey("played", "W", "C", str(number)) for number in range(3)]
    script = [hangs(), hangs(), says("Here.")]
    async with living(tmp_path, *script, limits=Limits(running_turns=2)) as house:
        began = house.loop.time()
        for place in places:
            await house.say("Well?", place=place)
            await house.wait(0.1)
        await house.quiet()

        assert house.loop.time() - began < 190
        assert house.shown(places[2]) == ["Well?", "> Here."]
        for place in places[:2]:
            assert house.shown(place)[1].startswith("> This took longer")
        assert house.model.open_streams == 0
