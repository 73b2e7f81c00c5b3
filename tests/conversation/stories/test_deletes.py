"""Deletes reach memory, whenever they arrive."""

from pathlib import Path

import pytest

from bot.wording import DELETED
from tests.conversation.stories.house import ANN, BOB, KNOCK, PLACE, Door, living
from tests.conversation.stories.test_overhearing import HEADING, sent
from tests.fakes import after, asks, hangs, says, thinks
from tests.played_network import ARRIVES, REFUSED, UNAVAILABLE

pytestmark = pytest.mark.inline

FROM_ANN = "[From ann]\n\n"


async def test_a_deleted_question_takes_its_turn_along(tmp_path: Path) -> None:
    async with living(tmp_path, says("One."), says("Two.")) as house:
        said = house.platform.say(PLACE, ANN, "secret")
        await house.tell(said)
        await house.quiet()
        told = await house.tell(house.platform.delete(said))
        await house.say("two")
        await house.quiet()

        assert told.how == "done"
        assert sent(house, 1) == [f"{FROM_ANN}two"]
        assert len(house.rows("SELECT 1 FROM turns")) == 1


async def test_a_message_deleted_before_it_is_told_of_is_never_taken(tmp_path: Path) -> None:
    """R6"""
    async with living(tmp_path) as house:
        said = house.platform.say(PLACE, ANN, "secret")
        how = [(await house.tell(event)).how for event in (house.platform.delete(said), said)]

        assert how == ["repeated", "repeated"]
        assert house.rows("SELECT 1 FROM messages") == []


async def test_a_turn_whose_question_is_deleted_closes_what_it_showed(tmp_path: Path) -> None:
    async with living(tmp_path, hangs("Your secret is")) as house:
        said = house.platform.say(PLACE, ANN, "What is my secret?")
        await house.tell(said)
        await house.until(lambda: len(house.shown()) == 2)
        await house.tell(house.platform.delete(said))
        await house.quiet()

        assert house.shown() == [f"> {DELETED}"]
        for table in ("turns", "messages", "deliveries"):
            assert house.rows(f"SELECT * FROM {table}") == []  # noqa: S608 - names of ours


async def test_what_may_not_be_edited_any_more_keeps_no_deleted_turn(tmp_path: Path) -> None:
    async with living(tmp_path, hangs("Your secret is")) as house:
        said = house.platform.say(PLACE, ANN, "What is my secret?")
        await house.tell(said)
        await house.until(lambda: len(house.shown()) == 2)
        house.platform.fate = lambda _request: REFUSED
        await house.tell(house.platform.delete(said))
        await house.quiet()

        assert house.shown() == ["> Your secret is"]
        assert house.rows("SELECT * FROM turns") == []


async def test_a_turn_that_has_shown_nothing_goes_without_a_word(tmp_path: Path) -> None:
    async with living(tmp_path, hangs()) as house:
        said = house.platform.say(PLACE, ANN, "What is my secret?")
        await house.tell(said)
        await house.asked(1)
        await house.tell(house.platform.delete(said))
        await house.quiet()

        assert house.shown() == []
        assert house.rows("SELECT * FROM turns") == []


async def test_an_answer_on_its_way_is_closed(tmp_path: Path) -> None:
    async with living(tmp_path, says("It is 42.")) as house:
        said = house.platform.say(PLACE, ANN, "What is my secret?")

        async def delete() -> None:
            await house.tell(house.platform.delete(said))

        house.worker.database.before["Turns._deliver"] = delete
        await house.tell(said)
        await house.quiet()

        assert house.shown() == [f"> {DELETED}"]
        assert house.rows("SELECT * FROM turns") == []


async def test_who_takes_such_a_turn_over_closes_it(tmp_path: Path) -> None:
    async with living(tmp_path, says("It is 42.")) as house:
        said = house.platform.say(PLACE, ANN, "What is my secret?")
        house.platform.fate = lambda request: UNAVAILABLE if request.kind == "post" else ARRIVES
        await house.tell(said)
        await house.until(lambda: house.outcomes() == [("sending", "answered")])
        await house.crash()
        await house.open(works=False)
        await house.tell(house.platform.delete(said))
        house.platform.fate = lambda _request: ARRIVES
        await house.restart()
        await house.quiet()

        assert house.shown() == []
        assert house.rows("SELECT * FROM turns") == []


async def test_one_of_two_messages_deleted_leaves_the_other(tmp_path: Path) -> None:
    async with living(tmp_path, hangs(), hangs(), says("Two.")) as house:
        first = house.platform.say(PLACE, ANN, "one")
        await house.tell(first)
        await house.asked(1)
        await house.say("two")
        await house.asked(2)
        await house.tell(house.platform.delete(first))
        await house.quiet()

        assert sent(house, 2) == [f"{FROM_ANN}two"]
        assert house.shown() == ["two", "> Two."]


async def test_one_of_two_deleted_after_a_tool_was_called_is_gone_next_time(
    tmp_path: Path,
) -> None:
    door = Door()
    script = [thinks(1, "Hm."), asks(KNOCK), says("In."), says("Next.")]
    async with living(tmp_path, *script, tools=[door.tool()]) as house:
        await house.say("zero")
        await house.quiet()
        first = house.platform.say(PLACE, ANN, "one")

        async def say_more() -> None:
            await house.say("two")

        house.worker.database.before["Runs.begin"] = say_more
        await house.tell(first)
        await house.until(lambda: door.knocks == 1)
        await house.tell(house.platform.delete(first))
        door.opened.set()
        await house.quiet()
        await house.say("three")
        await house.quiet()

        assert f"{FROM_ANN}one" not in sent(house, 3)
        assert f"{FROM_ANN}two" in sent(house, 3)


async def test_what_was_overheard_is_deleted(tmp_path: Path) -> None:
    async with living(tmp_path, says("One."), after(5, says("Two.")), says("Three.")) as house:
        await house.say("one")
        await house.quiet()
        first, second = (
            house.platform.say(PLACE, BOB, text, mentions_us=False) for text in ("a", "secret")
        )
        for said in (first, second):
            await house.tell(said)
        await house.tell(house.platform.delete(first))
        await house.say("two")
        await house.asked(2)
        await house.quiet()
        await house.tell(house.platform.delete(second))
        await house.say("three")
        await house.quiet()

        assert sent(house, 1)[-1] == f"{HEADING}\n> bob: secret\n\n{FROM_ANN}two"
        assert "secret" not in "".join(sent(house, 2))


async def test_a_conversation_forgotten_meanwhile_needs_no_change(tmp_path: Path) -> None:
    async with living(tmp_path, works=False) as house:
        said = house.platform.say(PLACE, ANN, "secret")
        await house.tell(said)
        await house.wait(1)
        house.worker.database.before["Intake._delete"] = house.forget

        assert (await house.tell(house.platform.delete(said))).how == "repeated"
