"""R8: a second message of the asker while the first turn has shown nothing and called no tool."""

from pathlib import Path

import pytest

from bot.settings import Limits
from memory.messages import Message
from tests.conversation.stories.house import BOB, ELSEWHERE, KNOCK, Door, House, living
from tests.fakes import after, asks, hangs, says, thinks
from tests.played_network import ARRIVES, UNAVAILABLE

pytestmark = pytest.mark.inline


def asked(house: House, request: int) -> list[str]:
    """What the person said in a request: the last text part of each user message."""
    messages = house.model.requests[request].messages
    return [words(message) for message in messages if message.role == "user"]


def words(message: Message) -> str:
    return message.text.split("\n\n")[-1]


async def test_the_turn_begins_anew_with_both(tmp_path: Path) -> None:
    async with living(tmp_path, hangs(), says("Both.")) as house:
        await house.say("Hi")
        await house.asked(1)
        await house.say("Where is my order?")
        await house.wait(1)

        assert house.shown() == ["Hi", "Where is my order?", "> Both."]
        assert asked(house, 1) == ["Hi", "Where is my order?"]
        assert house.outcomes() == [("done", "answered")]


async def test_three_quick_messages_are_one_question(tmp_path: Path) -> None:
    async with living(tmp_path, hangs(), hangs(), says("All.")) as house:
        for number, text in enumerate(["Hi", "it is about", "my order"]):
            await house.say(text)
            await house.asked(number + 1)
        await house.quiet()

        assert asked(house, 2) == ["Hi", "it is about", "my order"]


async def test_a_message_that_comes_after_text_was_shown_waits_for_its_own_turn(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, after(5, says("First.")), says("Second.")) as house:
        await house.say("one")
        await house.asked(1)
        await house.say("two")
        await house.quiet()

        assert house.shown() == ["one", "> First.", "two", "> Second."]


@pytest.mark.parametrize("risk", ["read", "write"])
async def test_a_message_that_comes_after_a_tool_was_called_waits(
    tmp_path: Path, risk: str
) -> None:
    door = Door()
    tool = door.tool("read" if risk == "read" else "write")
    script = [asks(KNOCK), says("First."), says("Second.")]
    async with living(tmp_path, *script, tools=[tool]) as house:
        await house.say("one")
        await house.until(lambda: door.knocks == 1)
        await house.say("two")
        await house.wait(1)
        door.opened.set()
        await house.quiet()

        assert house.shown() == ["one", "two", "> First.", "> Second."]
        assert door.knocks == 1


async def test_somebody_elses_message_waits(tmp_path: Path) -> None:
    async with living(tmp_path, thinks(5, "To Ann."), says("To Bob.")) as house:
        await house.say("one")
        await house.asked(1)
        await house.say("two", BOB)
        await house.quiet()

        assert house.shown() == ["one", "two", "> To Ann.", "> To Bob."]
        assert asked(house, 0) == ["one"]


async def test_an_ending_that_was_ready_makes_way_for_the_whole_question(tmp_path: Path) -> None:
    """Nothing of it was shown: the platform took no view of it."""
    async with living(tmp_path, says("One."), says("Both.")) as house:
        house.platform.fate = lambda _request: UNAVAILABLE
        house.worker.database.before["Turns._commit"] = house.hear_more
        await house.say("one")
        await house.asked(2)
        house.platform.fate = lambda _request: ARRIVES
        await house.quiet()

        assert house.shown() == ["one", "and more", "> Both."]


async def test_an_ending_that_was_shown_is_stored_though_more_was_said(tmp_path: Path) -> None:
    async with living(tmp_path, says("One."), says("More.")) as house:
        house.worker.database.before["Turns._commit"] = house.hear_more
        await house.say("one")
        await house.quiet()

        assert house.shown() == ["one", "> One.", "and more", "> More."]


async def test_a_message_taken_in_elsewhere_is_heard_with_the_next_renewal(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, hangs(), says("Both.")) as house:
        await house.say("one")
        await house.asked(1)
        await house.say_unheard("two")
        await house.wait(11)

        assert house.shown() == ["one", "two", "> Both."]


async def test_a_step_that_a_late_wish_kept_out_is_stored_all_the_same(tmp_path: Path) -> None:
    door = Door()
    door.opened.set()
    script = [after(5, asks(KNOCK, text="I knock.")), says("In."), says("Second.")]
    async with living(tmp_path, *script, tools=[door.tool()]) as house:
        await house.say("one")
        await house.asked(1)
        await house.say_unheard("two")
        await house.quiet()

        assert house.shown() == ["one", "> I knock.\n\nIn.", "two", "> Second."]
        assert [row["steps"] for row in house.rows("SELECT steps FROM turns")] == [1, 0]


async def test_a_step_that_was_not_shown_makes_way_for_the_whole_question(
    tmp_path: Path,
) -> None:
    door = Door()
    script = [after(5, asks(KNOCK)), says("Both.")]
    async with living(tmp_path, *script, tools=[door.tool()]) as house:
        await house.say("one")
        await house.asked(1)
        await house.say_unheard("two")
        await house.quiet()

        assert house.shown() == ["one", "two", "> Both."]
        assert door.knocks == 0


async def test_a_stop_wins_over_beginning_anew(tmp_path: Path) -> None:
    """It comes between the wish to begin anew and the doing."""
    async with living(tmp_path, hangs()) as house:
        house.worker.database.before["Turns._begin_anew"] = house.wish_to_stop
        await house.say("one")
        await house.asked(1)
        await house.say("two")
        await house.quiet()

        assert house.shown()[2].startswith("> Stopped.")
        assert house.outcomes() == [("done", "stopped")]


async def test_a_renewal_that_meets_the_turns_own_new_fence_ends_nothing(tmp_path: Path) -> None:
    """On PostgreSQL the renewal may hear of the new fence before the turn itself does."""
    async with living(tmp_path, hangs(), thinks(1, "Both.")) as house:
        await house.say("one")
        await house.asked(1)
        house.worker.database.after["Turns._begin_anew"] = house.renewal
        await house.say("two")
        await house.quiet()

        assert house.shown() == ["one", "two", "> Both."]
        assert house.rows("SELECT attempts, fence FROM turns") == [{"attempts": 1, "fence": 2}]


async def test_a_result_that_came_with_a_late_wish_is_stored_once(tmp_path: Path) -> None:
    door = Door()
    script = [asks(KNOCK), says("First."), says("Second.")]
    async with living(tmp_path, *script, tools=[door.tool()]) as house:
        await house.say("one")
        await house.until(lambda: door.knocks == 1)
        await house.say_unheard("two")
        door.opened.set()
        await house.quiet()

        assert house.shown() == ["one", "two", "> First.", "> Second."]
        assert len(house.rows("SELECT 1 FROM messages WHERE role = 'tool'")) == 1


async def test_a_renewal_that_set_out_before_the_turn_began_anew_is_not_heard(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, after(1, says("One.")), thinks(9, "Both.")) as house:
        house.platform.fate = lambda _request: UNAVAILABLE
        await house.say("one")
        await house.asked(1)
        house.worker.database.before["Hold._look"] = house.nap
        await house.worker.queue.interrupt(house.rows("SELECT id FROM conversations")[0]["id"])
        await house.say_unheard("two")
        await house.asked(2)
        house.platform.fate = lambda _request: ARRIVES
        await house.quiet()

        assert house.shown() == ["one", "two", "> Both."]
        assert house.rows("SELECT attempts, fence FROM turns") == [{"attempts": 1, "fence": 2}]


async def test_a_turn_that_waits_for_its_slot_takes_all_that_is_said_meanwhile(
    tmp_path: Path,
) -> None:
    """R15: a wish that is heard twice before anybody can heed it is one wish."""
    script = [after(60, says("There.")), says("All.")]
    async with living(tmp_path, *script, limits=Limits(running_turns=1)) as house:
        await house.say("there", place=ELSEWHERE)
        await house.asked(1)
        for text in ("one", "two", "three"):
            await house.say(text)
            await house.wait(12)
        await house.quiet()

        assert house.shown() == ["one", "two", "three", "> All."]
