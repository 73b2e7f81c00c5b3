"""What was said while nobody listened is read back, and taken in as if it were told now."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conversation.stories.away import (
    LATE,
    MINUTE,
    again,
    away,
    back,
    behind,
    caught_up,
    caught_up_anew,
    shown,
    unheard,
)
from tests.conversation.stories.flaky import fail
from tests.conversation.stories.house import BOB
from tests.conversation.stories.test_overhearing import CY, DIRECT, HEADING, sent
from tests.fakes import says

pytestmark = pytest.mark.inline


async def test_what_was_asked_meanwhile_is_answered_once_and_in_order(tmp_path: Path) -> None:
    async with away(tmp_path, says("One."), says("Two.")) as house:
        told = [unheard(house, "one"), unheard(house, "two", BOB)]
        await house.wait(14 * MINUTE)
        await caught_up(house)
        for each in told:
            assert (await house.tell(each)).how == "repeated"
        await caught_up_anew(house)

        assert shown(house) == ["Hi", "> Hello.", "one", "two", "> One.", "> Two."]
        assert behind(house) == 0


async def test_a_failure_while_it_is_written_down_is_no_failure_to_read_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with away(tmp_path, says("One.")) as house:
        unheard(house, "one")
        catch_up = await back(house)
        house.worker.database.before["Intake._write_down"] = fail
        await again(house, catch_up)

        assert shown(house)[-1] == "> One."
        assert "Could not read what was missed" not in caplog.text


@pytest.mark.slow
async def test_what_is_told_again_first_is_not_read_again(tmp_path: Path) -> None:
    async with away(tmp_path, says("One.")) as house:
        told = unheard(house, "one")
        catch_up = await back(house)
        await house.tell(told)
        await again(house, catch_up)

        assert shown(house) == ["Hi", "> Hello.", "one", "> One."]


async def test_what_waited_too_long_is_kept_and_one_note_tells_so(tmp_path: Path) -> None:
    async with away(tmp_path, says("At noon.")) as house:
        unheard(house, "When do we meet?")
        unheard(house, "Where?", BOB)
        unheard(house, "Nobody here?", CY)
        unheard(house, "We are alone", mentions_us=False)
        await house.wait(16 * MINUTE)
        await caught_up(house)
        assert shown(house)[-1] == LATE

        await house.say("And?", CY)
        await house.quiet()

        assert shown(house).count(LATE) == 1
        assert house.outcomes() == [("done", "answered"), ("done", "expired"), ("done", "answered")]
        history = "\n".join(sent(house, 1))
        aside = f"{HEADING}\n> ann: When do we meet?\n> bob: Where?\n\n[From cy]\n\nNobody here?"
        assert aside in history
        assert f"{HEADING}\n> ann: We are alone\n\n[From cy]\n\nAnd?" in history


@pytest.mark.slow
async def test_who_has_asked_again_since_is_answered(tmp_path: Path) -> None:
    async with away(tmp_path, says("One.")) as house:
        unheard(house, "old")
        await house.wait(16 * MINUTE)
        unheard(house, "young")
        await caught_up(house)

        assert shown(house)[-1] == "> One."
        assert house.outcomes() == [("done", "answered"), ("done", "answered")]
        assert sent(house, 1)[-2:] == ["[From ann]\n\nold", "[From ann]\n\nyoung"]


async def test_alone_with_one_person_all_their_questions_are_of_one_turn(tmp_path: Path) -> None:
    async with away(tmp_path, says("Yes."), says("No.")) as house:
        await house.open()
        await house.say("Hi", place=DIRECT)
        await house.quiet()
        await house.crash()
        for text in ("one", "two"):
            unheard(house, text, place=DIRECT, mentions_us=False)
        await house.wait(16 * MINUTE)
        await caught_up(house)
        await house.say("three", place=DIRECT)
        await house.quiet()

        assert shown(house, DIRECT).count(LATE) == 1
        history = [each.partition(" (reference")[0] for each in sent(house, 2)]
        assert history == ["Hi", "Yes.", "one", "two", LATE[2:], "three"]


@pytest.mark.slow
async def test_a_follow_up_is_taken_for_one(tmp_path: Path) -> None:
    async with away(tmp_path, says("One.")) as house:
        unheard(house, "and one?", mentions_us=False)
        await caught_up(house)
        await house.crash()
        unheard(house, "and two?", mentions_us=False)
        await house.wait(16 * MINUTE)
        await caught_up(house, name="run:3")

        assert shown(house)[3:] == ["> One.", "and two?", LATE]


@pytest.mark.slow
async def test_what_was_not_said_to_us_is_only_kept(tmp_path: Path) -> None:
    async with away(tmp_path) as house:
        unheard(house, "Lunch?", BOB, mentions_us=False)
        await house.wait(16 * MINUTE)
        unheard(house, "Yes", CY, mentions_us=False)
        await caught_up(house)

        assert shown(house)[1:] == ["> Hello.", "Lunch?", "Yes"]
        assert len(house.rows("SELECT 1 FROM messages WHERE state = 'observed'")) == 2
