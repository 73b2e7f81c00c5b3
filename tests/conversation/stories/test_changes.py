"""Edits reach memory, whenever they arrive."""

from pathlib import Path

import pytest

from tests.conversation.stories.house import ANN, BOB, PLACE, living
from tests.conversation.stories.test_overhearing import HEADING, sent
from tests.fakes import after, hangs, says

pytestmark = pytest.mark.inline

FROM_ANN = "[From ann]\n\n"


async def test_a_question_edited_before_anything_was_shown_is_asked_anew(tmp_path: Path) -> None:
    """R8"""
    async with living(tmp_path, hangs(), says("It is 42.")) as house:
        said = house.platform.say(PLACE, ANN, "Waht?")
        await house.tell(said)
        await house.asked(1)
        await house.tell(house.platform.edit(said, "What?"))
        await house.quiet()

        assert [sent(house, number)[-1] for number in (0, 1)] == [
            f"{FROM_ANN}Waht?",
            f"{FROM_ANN}What?",
        ]
        assert house.shown()[-1] == "> It is 42."


async def test_an_edit_that_comes_later_is_known_to_the_next_turn(tmp_path: Path) -> None:
    async with living(tmp_path, says("One."), says("Two.")) as house:
        said = house.platform.say(PLACE, ANN, "old")
        await house.tell(said)
        await house.quiet()
        await house.wait(1)
        told = await house.tell(house.platform.edit(said, "new words"))
        await house.say("and now?")
        await house.quiet()

        assert told.how == "done"
        assert sent(house, 1)[0] == f"{FROM_ANN}new words"
        [first, _] = house.rows("SELECT full_size FROM turns ORDER BY number")
        assert first["full_size"] == len("[From ann]new wordsOne.")


async def test_who_edits_while_the_answer_is_shown_keeps_the_name(tmp_path: Path) -> None:
    """On a platform that tells no names with its events, and tells them when it is asked."""
    async with living(tmp_path, after(5, says("One.")), says("Two."), says("Three.")) as house:
        said = house.platform.say(PLACE, ANN, "old", name="")
        await house.tell(said)
        await house.until(lambda: house.shown()[-1].startswith("> One."))
        await house.tell(house.platform.edit(said, "new words"))
        await house.quiet()
        for text in ("and now?", "and then?"):
            await house.say(text, name="")
            await house.quiet()

        assert sent(house, 0)[-1] == f"{FROM_ANN}old"
        assert sent(house, 1)[0] == sent(house, 2)[0] == f"{FROM_ANN}new words"
        names = house.rows("SELECT author_name FROM messages WHERE role = 'user'")
        assert {row["author_name"] for row in names} == {"ann"}


async def test_an_older_edit_that_comes_late_changes_nothing(tmp_path: Path) -> None:
    async with living(tmp_path, works=False) as house:
        said = house.platform.say(PLACE, ANN, "one")
        await house.tell(said)
        await house.wait(1)
        older = house.platform.edit(said, "two")
        await house.wait(1)
        await house.tell(house.platform.edit(said, "three"))
        how = [(await house.tell(older)).how for _ in range(2)]

        assert how == ["repeated", "repeated"]
        [row] = house.rows("SELECT content FROM messages")
        assert "three" in row["content"]


async def test_an_edit_before_its_message_stands_for_it(tmp_path: Path) -> None:
    """R6"""
    async with living(tmp_path, says("It is 42.")) as house:
        said = house.platform.say(PLACE, ANN, "Waht?")
        edit = house.platform.edit(said, "What?")
        how = [(await house.tell(event)).how for event in (edit, said, edit)]
        await house.quiet()

        assert how[:2] == ["waiting", "repeated"]
        assert sent(house, 0) == [f"{FROM_ANN}What?"]


async def test_a_message_that_comes_while_its_edit_is_accepted_is_edited(tmp_path: Path) -> None:
    async with living(tmp_path, works=False) as house:
        said = house.platform.say(PLACE, ANN, "Waht?")

        async def tell() -> None:
            await house.tell(said)

        house.worker.database.before["Intake._write_down"] = tell
        told = await house.tell(house.platform.edit(said, "What?"))

        assert told.how == "done"
        [row] = house.rows("SELECT content FROM messages")
        assert "What?" in row["content"]


async def test_an_edit_that_adds_a_mention_calls_nimbus(tmp_path: Path) -> None:
    """Also when the message is older than a question may be."""
    async with living(tmp_path, says("One."), says("Hello, Bob.")) as house:
        await house.say("one")
        await house.quiet()
        said = house.platform.say(PLACE, BOB, "Hello", mentions_us=False)
        await house.tell(said)
        await house.wait(3600)
        told = await house.tell(house.platform.edit(said, "Hello", mentions_us=True))
        await house.quiet()

        assert told.how == "done"
        assert house.shown()[-1] == "> Hello, Bob."


async def test_an_edit_that_adds_a_mention_calls_nimbus_into_a_thread(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello, Bob.")) as house:
        said = house.platform.say(PLACE, BOB, "Hello", mentions_us=False)
        first = await house.tell(said)
        told = await house.tell(house.platform.edit(said, "Hello", mentions_us=True))
        await house.quiet()

        assert (first.how, told.how) == ("ignored", "waiting")
        assert house.shown()[-1] == "> Hello, Bob."


async def test_what_was_overheard_is_edited(tmp_path: Path) -> None:
    async with living(tmp_path, says("One."), says("Two.")) as house:
        await house.say("one")
        await house.quiet()
        said = house.platform.say(PLACE, BOB, "old", mentions_us=False)
        await house.tell(said)
        await house.tell(house.platform.edit(said, "new"))
        await house.say("two")
        await house.quiet()

        assert sent(house, 1)[-1] == f"{HEADING}\n> bob: new\n\n{FROM_ANN}two"


async def test_an_edit_of_a_bot_is_ignored(tmp_path: Path) -> None:
    async with living(tmp_path) as house:
        said = house.platform.say(PLACE, BOB, "Build 7", author="bot")

        assert (await house.tell(house.platform.edit(said, "Build 8"))).how == "ignored"


async def test_an_edit_of_what_was_forgotten_brings_nothing_back(tmp_path: Path) -> None:
    """R1"""
    async with living(tmp_path, says("One."), says("Two.")) as house:
        said = house.platform.say(PLACE, ANN, "secret")
        unheard = house.platform.say(PLACE, BOB, "secret, too")
        await house.tell(said)
        await house.quiet()
        await house.wait(1)
        await house.forget()
        await house.wait(1)
        how = [
            (await house.tell(house.platform.edit(old, "secret still"))).how
            for old in (said, unheard)
        ]
        await house.say("Hi")
        await house.quiet()

        assert how == ["repeated", "forgotten"]
        assert sent(house, 1) == [f"{FROM_ANN}Hi"]
