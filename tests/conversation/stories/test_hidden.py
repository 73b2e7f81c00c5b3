"""What the platform does not let us read: its author is told how to be heard, nothing is kept."""

from pathlib import Path

import pytest

from bot.platform import Accepted
from bot.rules import Rules
from bot.wording import HIDDEN, UNREADABLE
from memory.keys import PersonKey
from tests.conversation.stories.house import ANN, BOB, PLACE, House, living
from tests.fakes import says

pytestmark = pytest.mark.inline


async def hide(house: House, person: PersonKey = ANN, *, mentions_us: bool = False) -> Accepted:
    return await house.say("", person, mentions_us=mentions_us, hidden=True)


async def test_who_follows_up_is_told_once_how_to_be_heard(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello.")) as house:
        await house.say("Hi")
        await house.quiet()
        before = house.rows("SELECT * FROM messages UNION ALL SELECT * FROM messages")
        told = [await hide(house) for _ in range(2)]

        assert told == [Accepted("ignored", notice=HIDDEN), Accepted("ignored")]
        assert before == house.rows("SELECT * FROM messages UNION ALL SELECT * FROM messages")


async def test_who_means_somebody_else_is_told_nothing(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello.")) as house:
        first = await hide(house)
        await house.say("Hi")
        await house.quiet()

        assert [first, await hide(house, BOB)] == [Accepted("ignored")] * 2
        assert house.rows("SELECT person FROM participants") == [{"person": str(ANN)}]


async def test_where_only_a_mention_is_answered_nobody_is_told(tmp_path: Path) -> None:
    rules = Rules(follow_up="mention")
    async with living(tmp_path, says("Hello."), rules=rules) as house:
        await house.say("Hi")
        await house.quiet()

        assert await hide(house) == Accepted("ignored")


async def test_what_is_said_to_us_and_cannot_be_read_is_not_kept(tmp_path: Path) -> None:
    async with living(tmp_path) as house:
        assert await hide(house, mentions_us=True) == Accepted("ignored", notice=HIDDEN)
        assert house.rows("SELECT * FROM conversations") == []


async def test_the_old_words_go_when_the_new_ones_cannot_be_read(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello.")) as house:
        said = house.platform.say(PLACE, ANN, "My secret is 42")
        await house.tell(said)
        await house.quiet()
        edited = await house.tell(house.platform.edit(said, "", mentions_us=False, hidden=True))

        [row] = house.rows("SELECT content FROM messages WHERE role = 'user'")
        assert edited.how == "done"
        assert UNREADABLE in row["content"]
        assert "42" not in row["content"]
