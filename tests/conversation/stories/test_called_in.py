"""Nimbus is first addressed in a thread where others have talked before: it reads that, once."""

from pathlib import Path

import pytest

from memory import workspaces
from memory.voices import NO_WORDS
from memory.workspaces import DAY
from tests.conversation.stories.house import BOB, ELSEWHERE, PLACE, living
from tests.conversation.stories.test_overhearing import HEADING, sent
from tests.conversation.stories.worker import RETENTION
from tests.fakes import after, says
from tests.played_network import ARRIVES, UNAVAILABLE

pytestmark = pytest.mark.inline


async def test_earlier_messages_are_read_when_it_is_first_addressed(tmp_path: Path) -> None:
    async with living(tmp_path, says("At noon."), says("Yes.")) as house:
        house.platform.say(PLACE, BOB, "We meet at noon", name="")
        house.platform.say(ELSEWHERE, BOB, "secret")
        await house.say("When do they meet?")
        await house.quiet()
        house.platform.say(PLACE, BOB, "never told")
        await house.say("Sure?")
        await house.quiet()

        aside = f"{HEADING}\n> bob: We meet at noon"
        assert sent(house, 0) == [f"{aside}\n\n[From ann]\n\nWhen do they meet?"]
        assert sent(house, 1)[-1] == "[From ann]\n\nSure?"
        people = house.rows("SELECT name FROM participants ORDER BY name")
        assert [row["name"] for row in people] == ["ann", "bob"]


async def test_what_was_called_in_and_is_told_later_becomes_a_question(tmp_path: Path) -> None:
    async with living(tmp_path, after(5, says("One.")), says("Two.")) as house:
        late = house.platform.say(PLACE, BOB, "for you")
        await house.say("one")
        await house.asked(1)
        await house.tell(late)
        await house.quiet()

        assert "> bob: for you" in sent(house, 0)[-1]
        assert sent(house, 1)[-1] == "[From bob]\n\nfor you"
        assert len(house.rows("SELECT 1 FROM messages WHERE role = 'user'")) == 2


async def test_a_platform_that_cannot_be_read_costs_no_answer(tmp_path: Path) -> None:
    async with living(tmp_path, says("One."), says("Two.")) as house:
        house.platform.say(PLACE, BOB, "earlier")
        house.platform.fate = lambda request: UNAVAILABLE if request.kind == "read" else ARRIVES
        await house.say("one")
        await house.quiet()
        house.platform.fate = lambda _request: ARRIVES
        await house.say("two")
        await house.quiet()

        assert HEADING not in sent(house, 0)[-1]
        assert "> bob: earlier" in sent(house, 1)[-1]


async def test_nothing_older_than_the_retention_window_is_read(tmp_path: Path) -> None:
    async with living(tmp_path, says("One.")) as house:
        house.platform.say(PLACE, BOB, "old")
        await house.crash()
        await house.wait(RETENTION / 1000 + 1)
        await house.open()
        await house.say("one")
        await house.quiet()

        assert sent(house, 0) == ["[From ann]\n\none"]


async def test_nothing_older_than_the_window_of_its_workspace_is_read(tmp_path: Path) -> None:
    async with living(tmp_path, says("One.")) as house:
        house.platform.clock = lambda: house.loop.milliseconds() - 2 * DAY
        house.platform.say(PLACE, BOB, "old")
        house.platform.clock = house.loop.milliseconds
        await house.worker.database.write(lambda tx: workspaces.set_window(tx, "played", "W", 1))
        await house.say("one")
        await house.quiet()

        assert sent(house, 0) == ["[From ann]\n\none"]


async def test_nothing_said_before_a_forget_is_read_back(tmp_path: Path) -> None:
    """R1"""
    async with living(tmp_path, says("One."), says("Two.")) as house:
        house.platform.say(PLACE, BOB, "secret")
        await house.say("one")
        await house.quiet()
        await house.forget()
        await house.wait(1)
        house.platform.say(PLACE, BOB, "new")
        await house.say("two")
        await house.quiet()

        assert sent(house, 1) == [f"{HEADING}\n> bob: new\n\n[From ann]\n\ntwo"]


async def test_who_lost_the_turn_reads_nothing_in(tmp_path: Path) -> None:
    async with living(tmp_path, says("One.")) as house:
        house.platform.say(PLACE, BOB, "earlier")
        house.worker.database.before["Remembering._call_in"] = house.nap
        house.worker.database.before["Remembering._call_in.work"] = house.nap
        await house.say("one")
        await house.until(lambda: bool(house.rows("SELECT 1 FROM turns")))
        house.reader.execute("UPDATE turns SET fence = fence + 1, lease_until = 0")
        await house.quiet()

        assert house.shown()[-1] == "> One."
        assert len(house.rows("SELECT 1 FROM messages WHERE state = 'observed'")) == 1


async def test_a_mention_alone_answers_to_what_was_said_before(tmp_path: Path) -> None:
    async with living(tmp_path, says("At noon.")) as house:
        house.platform.say(PLACE, BOB, "When do we meet?")
        await house.say("")
        await house.quiet()

        aside = f"{HEADING}\n> bob: When do we meet?"
        assert sent(house, 0) == [f"{aside}\n\n[From ann]\n\n{NO_WORDS}"]


async def test_a_mention_alone_with_nothing_before_gets_a_short_help(tmp_path: Path) -> None:
    async with living(tmp_path) as house:
        await house.say("")
        await house.quiet()

        assert house.shown() == ["", "> Ask me within 30 days on played."]
        assert house.outcomes() == [("done", "answered")]
