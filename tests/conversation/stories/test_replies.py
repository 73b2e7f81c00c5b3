"""A reply to an answer belongs where the answer does; a chain of them is a conversation."""

from pathlib import Path

import pytest

from bot.platform import Accepted
from memory import expired
from memory.keys import SEEN_KEPT, PersonKey, PlaceKey
from tests.conversation.stories.house import ANN, BOB, House, living
from tests.fakes import says

pytestmark = pytest.mark.inline

ROOT, OWN = PlaceKey("played", "W", "-", "1"), PlaceKey("played", "W", "-", "3")


async def reply(
    house: House, text: str, person: PersonKey = BOB, *, mentions_us: bool = False
) -> Accepted:
    """Reply to the newest answer; the event knows no other place than its own."""
    answers = [posted.remote_id for posted in house.platform.messages if posted.mark]
    facts = {"mentions_us": mentions_us, "replies_to": "us", "replied": answers[-1]}
    return await house.say(text, person, place=OWN, **facts)


def places(house: House) -> list[str]:
    return [row["place"] for row in house.rows("SELECT place FROM conversations ORDER BY place")]


async def test_a_reply_joins_the_conversation_of_the_answer(tmp_path: Path) -> None:
    async with living(tmp_path, says("It is 42."), says("Because.")) as house:
        await house.say("What is it?", place=ROOT)
        await house.quiet()
        await reply(house, "Why?")
        await house.quiet()

        assert places(house) == [str(ROOT)]
        assert "It is 42." in repr(house.model.requests[1].messages)


async def test_after_new_a_reply_to_an_old_answer_joins_the_new_conversation(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, says("It is 42."), says("Because.")) as house:
        await house.say("What is it?", place=ROOT)
        await house.quiet()
        await house.say("new", place=ROOT)
        accepted = await reply(house, "Why?")
        await house.quiet()

        current = house.rows("SELECT id FROM conversations WHERE is_current = 1")
        assert [row["id"] for row in current] == [accepted.conversation]
        assert "It is 42." not in repr(house.model.requests[1].messages)


async def test_a_reply_to_what_is_forgotten_begins_a_conversation_of_its_own(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, says("It is 42."), says("What?")) as house:
        await house.say("What is it?", place=ROOT)
        await house.quiet()
        forgotten = await reply(house, "forget", ANN, mentions_us=True)
        await reply(house, "Why?")
        await house.quiet()

        assert forgotten.how == "done"
        assert places(house) == [str(OWN)]


async def test_a_reply_to_somebody_else_joins_nothing(tmp_path: Path) -> None:
    async with living(tmp_path, says("It is 42.")) as house:
        await house.say("What is it?", place=ROOT)
        await house.quiet()
        accepted = await house.say(
            "Why?", BOB, place=OWN, mentions_us=False, replies_to="other", replied="1"
        )

        assert accepted.how == "ignored"


async def test_long_after_a_forget_an_edit_of_a_reply_brings_nothing_back(tmp_path: Path) -> None:
    """Nothing tells any more where it belonged, and that it was told of before."""
    async with living(tmp_path, says("It is 42."), says("Because.")) as house:
        await house.say("What is it?", place=ROOT)
        await house.quiet()
        await reply(house, "Why?")
        await house.quiet()
        said = house.platform.messages[2].told
        assert said is not None
        await house.forget(ROOT)
        await house.crash()
        await house.wait(SEEN_KEPT / 1000 + 1)
        await house.open()
        await house.worker.database.write(expired.sweep_digests)

        edited = house.platform.edit(said, "Why is it 42?")
        assert (await house.tell(edited)).how == "forgotten"
        assert places(house) == []


async def test_an_edit_that_makes_it_a_question_joins_too(tmp_path: Path) -> None:
    async with living(tmp_path, says("It is 42."), says("Because.")) as house:
        await house.say("What is it?", place=ROOT)
        await house.quiet()
        [answer] = [posted for posted in house.platform.messages if posted.mark]
        facts = {"mentions_us": False, "replies_to": "us", "replied": answer.remote_id}
        said = house.platform.say(OWN, BOB, "Hm", **facts)
        await house.tell(house.platform.edit(said, "Why?"))
        await house.quiet()

        assert places(house) == [str(ROOT)]
        assert (await house.tell(said)).how == "repeated"
