"""Stop: what was said so far is kept and marked, and the history stays whole."""

from pathlib import Path

import pytest

from tests.conversation.stories.house import ELSEWHERE, KNOCK, Door, living
from tests.fakes import after, asks, hangs, says
from tests.played_network import ARRIVES, Fate

pytestmark = pytest.mark.inline


async def test_what_was_said_so_far_is_kept_and_marked(tmp_path: Path) -> None:
    async with living(tmp_path, hangs("Once upon", " a time"), says("As you like.")) as house:
        await house.say("Tell me a story.")
        await house.asked(1)
        await house.stop()
        await house.quiet()
        await house.say("Shorter!")
        await house.quiet()

        assert house.shown()[1] == "> Once upon a time (stopped)"
        assert house.model.requests[1].messages[1].text == "Once upon a time (stopped)"
        assert house.outcomes()[0] == ("done", "stopped")


async def test_a_stop_before_anything_was_said_is_told(tmp_path: Path) -> None:
    async with living(tmp_path, hangs()) as house:
        await house.say("Tell me a story.")
        await house.asked(1)
        await house.stop()
        await house.quiet()

        assert house.shown()[1].startswith("> Stopped. (reference ")


async def test_a_stop_while_a_tool_runs_leaves_no_call_without_a_result(tmp_path: Path) -> None:
    door = Door()
    script = [asks(KNOCK, text="I knock."), says("What else?")]
    async with living(tmp_path, *script, tools=[door.tool()]) as house:
        await house.say("Are they in?")
        await house.until(lambda: door.knocks == 1)
        await house.stop()
        await house.quiet()
        await house.say("Never mind.")
        await house.quiet()

        assert house.shown()[1].startswith("> I knock.\n\nStopped.")
        roles = [message.role for message in house.model.requests[1].messages]
        assert roles == ["user", "assistant", "tool", "assistant", "user"]


async def test_a_stop_that_nobody_rang_for_is_heard_with_the_next_renewal(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, hangs("Once upon")) as house:
        await house.say("Tell me a story.")
        await house.asked(1)
        await house.wish_to_stop()
        await house.wait(11)

        assert house.shown()[1] == "> Once upon (stopped)"


async def test_a_stop_just_before_the_ending_is_heeded(tmp_path: Path) -> None:
    async with living(tmp_path, says("Once upon a time.")) as house:
        house.worker.database.before["Turns._commit"] = house.wish_to_stop
        await house.say("Tell me a story.")
        await house.quiet()

        assert house.shown()[1] == "> Once upon a time. (stopped)"
        assert house.outcomes() == [("done", "stopped")]


async def test_a_stop_just_before_a_step_is_stored_ends_the_turn(tmp_path: Path) -> None:
    door = Door()
    async with living(tmp_path, asks(KNOCK), tools=[door.tool()]) as house:
        house.worker.database.before["Turns._record"] = house.wish_to_stop
        await house.say("Are they in?")
        await house.quiet()

        assert door.knocks == 0
        assert house.outcomes() == [("done", "stopped")]


async def test_a_result_that_came_with_the_stop_is_stored(tmp_path: Path) -> None:
    door = Door()
    async with living(tmp_path, asks(KNOCK), tools=[door.tool()]) as house:
        await house.say("Are they in?")
        await house.until(lambda: door.knocks == 1)
        house.worker.database.before["Turns._record"] = house.wish_to_stop
        door.opened.set()
        await house.quiet()

        [result] = house.rows("SELECT content FROM messages WHERE role = 'tool'")
        assert "come in" in result["content"]


async def test_there_is_nothing_to_stop_while_the_answer_is_delivered(tmp_path: Path) -> None:
    async with living(tmp_path, after(1, says("Done."))) as house:
        await house.stop()
        house.worker.database.before["Turns._deliver"] = house.stop
        await house.say("Well?")
        await house.quiet()

        assert house.shown() == ["Well?", "> Done."]


async def test_a_turn_that_was_stopped_while_its_worker_was_dead_ends_as_stopped(
    tmp_path: Path,
) -> None:
    door = Door()
    script = [asks(KNOCK, text="I knock.")]
    async with living(tmp_path, *script, tools=[door.tool()]) as house:
        await house.say("Are they in?")
        await house.until(lambda: door.knocks == 1)
        await house.wish_to_stop()
        await house.restart()
        await house.quiet()

        [shown] = house.shown()[1:]
        assert shown.startswith("> I knock.\n\nStopped.")
        assert door.knocks == 1


async def test_a_stop_in_one_place_stops_no_other(tmp_path: Path) -> None:
    script = [hangs("Once upon"), after(5, says("There."))]
    async with living(tmp_path, *script) as house:
        await house.say("Tell me a story.")
        await house.asked(1)
        await house.say("there", place=ELSEWHERE)
        await house.asked(2)
        await house.stop()
        await house.quiet()

        assert house.shown()[1] == "> Once upon (stopped)"
        assert house.shown(ELSEWHERE) == ["there", "> There."]


async def test_a_stop_while_a_place_is_tidied_asks_no_model(tmp_path: Path) -> None:
    async with living(tmp_path, says("One.")) as house:
        await house.say("one")
        await house.quiet()
        await house.forget()
        await house.wait(1)
        slow = Fate(lands_after=2)
        house.platform.fate = lambda request: slow if request.kind == "find" else ARRIVES
        await house.say("two")
        await house.wait(1)
        await house.stop()
        await house.quiet()

        assert house.outcomes() == [("done", "stopped")]
        assert len(house.model.requests) == 1
