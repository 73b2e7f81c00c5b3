"""The example conversation, offline: through the whole house, with a file and a resume."""

from __future__ import annotations

from pathlib import Path

from memory.database import wall_clock
from tests.house import PLACE, PLATFORM, open_house
from tests.played_platform import PlayedPlatform

FIRST = "Can I get a refund for order #1043?"
SECOND = "OK. What about my other order, 1042?"
THIRD = "Yes please."


async def test_the_example_conversation_holds(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        answers = [await house.say(text) for text in (FIRST, SECOND, THIRD)]

        assert "1043 (coffee grinder) is not eligible" in answers[0]
        assert "20 days ago, and the limit is 14 days" in answers[0]
        assert "1042 (wireless headphones) is eligible" in answers[1]
        assert answers[1].endswith(
            "11 days are left. Shall I open a refund request for order 1042?"
        )
        assert answers[2] == "Done: I opened ticket T-0001, a refund request for order 1042."
        assert await house.opened_for() == [1042]


async def test_the_next_context_shows_turn_1_in_short_and_two_in_full(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        for text in (FIRST, SECOND, THIRD):
            await house.say(text)
        context = await house.next_context("Thanks!")

        assert [form.form for form in context.forms] == ["compact", "full", "full"]
        first, second, third = (form.messages for form in context.forms)
        assert first[0].text == FIRST
        assert [message.role for message in first] == ["user", "assistant"]
        assert [call.name for message in second for call in message.calls] == [
            "check_refund_eligibility"
        ]
        assert [call.name for message in third for call in message.calls] == [
            "check_refund_eligibility",
            "create_support_ticket",
        ]


async def test_a_resume_before_the_yes_still_opens_the_right_ticket(tmp_path: Path) -> None:
    platform = PlayedPlatform(wall_clock, PLATFORM)
    async with open_house(tmp_path, platform) as house:
        await house.say(FIRST)
        await house.say(SECOND)

    async with open_house(tmp_path, platform) as house:
        answer = await house.say(THIRD)
        first = await house.say("What did I ask first?")

        assert answer == "Done: I opened ticket T-0001, a refund request for order 1042."
        assert await house.opened_for() == [1042]
        assert FIRST in first


async def test_a_yes_in_another_conversation_opens_nothing(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        answer = await house.say(THIRD)

        assert answer == "I had not offered anything, so I do not know what your yes is for."
        assert await house.opened_for() == []


async def test_a_burst_is_answered_once_and_the_last_message_leads(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        answer = await house.say("hi", "can I return 1042", "no wait, I meant 1043")

        assert answer.startswith("No, order 1043 (coffee grinder) is not eligible")
        assert house.platform.shown(PLACE)[-2:] == ["no wait, I meant 1043", f"> {answer}"]
