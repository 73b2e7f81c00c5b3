"""Forget while something runs: the late writer stores nothing, and what was shown is closed."""

from pathlib import Path

import pytest

from bot.wording import FORGOTTEN
from tests.conversation.stories.house import ANN, BOB, KNOCK, PLACE, Door, living
from tests.conversation.stories.worker import DIGESTS
from tests.fakes import after, asks, hangs, says
from tests.played_network import ARRIVES, LOST, UNAVAILABLE

pytestmark = pytest.mark.inline


async def test_what_was_shown_is_closed_and_nothing_is_stored(tmp_path: Path) -> None:
    async with living(tmp_path, hangs("Your secret is")) as house:
        await house.say("What is my secret?")
        await house.until(lambda: len(house.shown()) == 2)
        await house.forget()
        await house.wait(1)

        assert house.shown()[1] == f"> {FORGOTTEN}"
        for table in ("conversations", "turns", "messages", "deliveries", "participants"):
            assert house.rows(f"SELECT * FROM {table}") == []  # noqa: S608 - names of ours


async def test_nothing_is_posted_where_nothing_was_shown(tmp_path: Path) -> None:
    async with living(tmp_path, hangs()) as house:
        await house.say("What is my secret?")
        await house.asked(1)
        await house.forget()
        await house.wait(1)

        assert house.shown() == ["What is my secret?"]
        assert not house.platform.statuses


async def test_a_forget_that_nobody_rang_for_is_heard_with_the_next_write(tmp_path: Path) -> None:
    door = Door()
    async with living(tmp_path, after(5, asks(KNOCK, text="Wait.")), tools=[door.tool()]) as house:
        await house.say("What is my secret?")
        await house.asked(1)
        house.reader.execute("DELETE FROM conversations")
        await house.wait(6)

        assert door.knocks == 0
        assert house.shown()[1] == f"> {FORGOTTEN}"


async def test_an_answer_on_its_way_is_closed(tmp_path: Path) -> None:
    """R2: the commit of the delivery finds no row."""
    async with living(tmp_path, says("It is 42.")) as house:
        house.worker.database.before["Turns._deliver"] = house.forget
        await house.say("What is my secret?")
        await house.wait(1)

        assert house.shown()[1] == f"> {FORGOTTEN}"
        assert house.rows("SELECT * FROM turns") == []


async def test_a_forget_while_the_platform_is_down_posts_nothing_later(tmp_path: Path) -> None:
    async with living(tmp_path, says("It is 42.")) as house:
        house.platform.fate = lambda _request: UNAVAILABLE
        await house.say("What is my secret?")
        await house.until(lambda: house.outcomes() == [("sending", "answered")])
        await house.forget()
        await house.wait(1)
        house.platform.fate = lambda _request: ARRIVES
        await house.wait(120)

        assert house.shown() == ["What is my secret?"]


async def test_what_a_dead_worker_showed_is_removed_before_the_next_answer(
    tmp_path: Path,
) -> None:
    """Its lease was not over, so that nobody closed it when it was forgotten."""
    async with living(tmp_path, hangs("Your secret is"), says("Hello, Bob.")) as house:
        await house.say("What is my secret?")
        await house.until(lambda: len(house.shown()) == 2)
        await house.crash()
        await house.open(works=False)
        await house.forget()
        await house.restart()
        await house.wait(1)
        await house.say("Hi", BOB)
        await house.quiet()

        assert house.shown() == ["What is my secret?", "Hi", "> Hello, Bob."]


async def test_what_cannot_be_removed_keeps_nobody_waiting(tmp_path: Path) -> None:
    async with living(tmp_path, hangs("Your secret is"), says("Hello, Bob.")) as house:
        await house.say("What is my secret?")
        await house.until(lambda: len(house.shown()) == 2)
        await house.crash()
        await house.open(works=False)
        await house.forget()
        house.platform.fate = lambda request: LOST if request.kind == "find" else ARRIVES
        await house.restart()
        await house.wait(1)
        await house.say("Hi", BOB)
        await house.quiet()

        assert house.shown()[-1] == "> Hello, Bob."


async def test_the_next_question_begins_without_a_memory(tmp_path: Path) -> None:
    """R1"""
    async with living(tmp_path, says("It is 42."), says("I do not know.")) as house:
        await house.say("My secret is 42.")
        await house.quiet()
        await house.forget()
        await house.wait(1)
        await house.say("What is my secret?", ANN)
        await house.quiet()

        assert len(house.model.requests[1].messages) == 1
        assert house.rows("SELECT key FROM forgotten") == [{"key": DIGESTS.place(PLACE)}]


async def test_a_turn_of_a_forgotten_place_leaves_what_is_known_alone(tmp_path: Path) -> None:
    async with living(tmp_path, says("One."), says("Two."), says("Three.")) as house:
        await house.say("one")
        await house.quiet()
        await house.forget()
        await house.wait(1)
        for text in ("two", "three"):
            await house.say(text)
            await house.quiet()

        assert house.shown()[-3:] == ["> Two.", "three", "> Three."]


async def test_a_shown_message_that_cannot_be_closed_is_no_failure(tmp_path: Path) -> None:
    async with living(tmp_path, hangs("Your secret is")) as house:
        await house.say("What is my secret?")
        await house.until(lambda: len(house.shown()) == 2)
        house.platform.fate = lambda _request: UNAVAILABLE
        await house.forget()
        await house.wait(60)

        assert house.failed == []


async def test_a_new_conversation_does_not_know_the_old_one(tmp_path: Path) -> None:
    async with living(tmp_path, says("One."), says("Two.")) as house:
        await house.say("one")
        await house.quiet()
        await house.start_new()
        await house.say("two")
        await house.quiet()

        assert len(house.model.requests[1].messages) == 1
        assert house.shown()[-1] == "> Two."


async def test_what_waits_in_the_old_conversation_is_answered_there_first(
    tmp_path: Path,
) -> None:
    script = [after(5, says("One.")), says("Two."), says("Three.")]
    async with living(tmp_path, *script) as house:
        await house.say("one")
        await house.asked(1)
        await house.say("two", BOB)
        await house.start_new()
        await house.say("three", BOB)
        await house.quiet()

        assert [text for text in house.shown() if text.startswith(">")] == [
            "> One.",
            "> Two.",
            "> Three.",
        ]
        assert len(house.model.requests[2].messages) == 1


async def test_a_turn_taken_over_after_a_forget_keeps_what_it_showed_itself(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, hangs("Let me"), says("Hello, Bob.")) as house:
        await house.forget()
        await house.wait(1)
        await house.say("Hi", BOB)
        await house.until(lambda: len(house.shown()) == 2)
        await house.restart()
        await house.quiet()

        removed = [request for request in house.platform.requests if request.kind == "remove"]
        assert house.shown() == ["Hi", "> Hello, Bob."]
        assert removed == []


async def test_a_worker_whose_lease_is_nearly_over_closes_nothing(tmp_path: Path) -> None:
    """Its next request might arrive when the turn is somebody else's."""
    async with living(tmp_path, hangs("Your secret is")) as house:
        await house.say("What is my secret?")
        await house.until(lambda: len(house.shown()) == 2)
        [row] = house.rows("SELECT id FROM conversations")
        house.worker.database.away = True
        await house.wait(26)
        house.worker.database.away = False
        house.reader.execute("DELETE FROM conversations")
        await house.worker.queue.interrupt(row["id"])
        await house.wait(60)

        assert house.shown()[1] == "> Your secret is"
        assert house.failed == []


async def test_what_a_dead_worker_showed_is_closed_by_the_forget(tmp_path: Path) -> None:
    async with living(tmp_path, hangs("Your secret is")) as house:
        await house.say("What is my secret?")
        await house.until(lambda: len(house.shown()) == 2)
        await house.crash()
        await house.wait(31)
        await house.open("run:2", works=False)
        await house.forget()
        await house.worker.erasure.closing.settled()

        assert house.shown()[1] == f"> {FORGOTTEN}"
        assert house.rows("SELECT * FROM turns") == []


async def test_what_was_said_after_the_command_is_answered_in_a_fresh_conversation(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, hangs(), says("Of course.")) as house:
        await house.say("What is my secret?")
        await house.asked(1)
        commanded_at = house.loop.milliseconds() + 1
        await house.wait(1)
        await house.say("And now?", BOB)
        await house.worker.erasure.forget_place(PLACE, said_before=commanded_at)
        await house.quiet()

        assert house.shown() == ["What is my secret?", "And now?", "> Of course."]
        assert house.outcomes() == [("done", "answered")]


async def test_two_forgets_at_once_forget_once(tmp_path: Path) -> None:
    async with living(tmp_path, says("It is 42.")) as house:
        await house.say("What is my secret?")
        await house.quiet()
        house.worker.database.before["Erasure._forget"] = house.forget
        gone = await house.worker.erasure.forget_place(
            PLACE, said_before=house.loop.milliseconds() + 1
        )

        assert gone.conversations == 0
        assert house.rows("SELECT * FROM conversations") == []
