"""Commands that are said: who may what, and that each takes effect once."""

from pathlib import Path

import pytest

from bot import confirming, wording
from bot.caller import Caller
from bot.platform import Accepted
from bot.rules import Rules
from memory.keys import PersonKey, PlaceKey
from tests.conversation.stories.house import ANN, BOB, ELSEWHERE, PLACE, House, living
from tests.conversation.stories.worker import OPERATOR
from tests.fakes import hangs, says
from tests.played_network import ARRIVES, LOST

pytestmark = pytest.mark.inline

DIRECT = PlaceKey("played", "W", "D", "")
IN_DIRECT = PlaceKey("played", "W", "D", "7")
CHANNEL = PlaceKey("played", "W", "C", "")


def left(house: House) -> list[str]:
    return [row["place"] for row in house.rows("SELECT place FROM conversations ORDER BY place")]


async def test_a_word_and_more_is_a_question(tmp_path: Path) -> None:
    async with living(tmp_path, says("With what?")) as house:
        told = await house.say("help me with something")
        await house.quiet()

        assert told.how == "waiting"


async def test_a_command_is_told_and_asks_no_model(tmp_path: Path) -> None:
    async with living(tmp_path) as house:
        told = await house.say(" Help. ")

        assert told.how == "done"
        assert told.notice.startswith("I am Nimbus.")
        assert house.rows("SELECT 1 FROM messages") == []


async def test_what_is_noted_about_somebody_is_told_to_nobody_else(tmp_path: Path) -> None:
    async with living(tmp_path) as house:
        told = await house.say("memory delete 3")

        assert (told.notice.startswith("I have no note 3"), told.alone) == (True, True)


async def test_a_word_that_mentions_nobody_is_none(tmp_path: Path) -> None:
    async with living(tmp_path, says("Yes?")) as house:
        told = await house.say("forget", place=DIRECT, mentions_us=False)
        await house.quiet()

        assert told.how == "waiting"


async def test_a_bare_stop_in_a_direct_message_stops_what_runs(tmp_path: Path) -> None:
    async with living(tmp_path, hangs("Well"), says("I do nothing.")) as house:
        await house.say("Hi", place=DIRECT, mentions_us=False)
        await house.until(lambda: len(house.shown(DIRECT)) == 2)
        stopped = await house.say("stop", place=DIRECT, mentions_us=False)
        await house.quiet()
        asked = await house.say("stop", place=DIRECT, mentions_us=False)
        await house.quiet()

        assert (stopped.how, stopped.notice) == ("done", wording.STOPPING)
        assert asked.how == "waiting"


@pytest.mark.parametrize("word", ["new", "forget", "status"])
async def test_a_command_told_twice_takes_effect_once(tmp_path: Path, word: str) -> None:
    async with living(tmp_path, says("Hello.")) as house:
        await house.say("Hi")
        await house.quiet()
        await house.wait(1)
        command = house.platform.say(PLACE, ANN, word)
        told = [await house.tell(command) for _ in range(2)]

        assert [each.how for each in told] == ["done", "repeated"]
        assert len(left(house)) == {"new": 2, "forget": 0, "status": 1}[word]


async def forget(house: House, person: PersonKey = ANN, place: PlaceKey = PLACE) -> Accepted:
    await house.quiet()
    await house.wait(1)
    return await house.say("forget", person, place=place)


async def test_who_began_a_conversation_forgets_it(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello.")) as house:
        await house.say("Hi")
        told = await forget(house)

        assert told.notice.startswith("Forgotten: 1 conversation, 1 turn, 2 messages.")
        assert left(house) == []


async def test_somebody_else_does_not(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello.")) as house:
        await house.say("Hi")
        told = await forget(house, BOB)

        assert told.notice == wording.MAY_NOT_FORGET
        assert left(house) == [str(PLACE)]


async def test_who_is_not_answered_any_more_forgets_all_the_same(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello.")) as house:
        await house.say("Hi")
        await house.quiet()
        house.rules = Rules(deny_people=frozenset({ANN.user}))
        await house.restart()
        told = [await house.say(text, ANN) for text in ("Hi", "forget")]

        assert [each.how for each in told] == ["refused", "done"]
        assert left(house) == []


async def test_who_is_not_answered_has_no_other_command(tmp_path: Path) -> None:
    async with living(tmp_path, rules=Rules(deny_people=frozenset({ANN.user}))) as house:
        assert (await house.say("status", ANN)).how == "refused"
        assert (await house.say("forget", ANN, mentions_us=False, place=DIRECT)).how == "refused"


async def test_an_administrator_does(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello.")) as house:
        house.platform.administrators = frozenset({BOB})
        await house.say("Hi")
        await forget(house, BOB)

        assert left(house) == []


async def test_an_operator_does(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello.")) as house:
        await house.say("Hi")
        await forget(house, OPERATOR)

        assert left(house) == []


async def test_who_cannot_be_asked_for_is_no_administrator(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello.")) as house:
        house.platform.administrators = frozenset({BOB})
        await house.say("Hi")
        await house.quiet()
        house.platform.fate = lambda _request: LOST
        told = await house.commands.run("forget", caller(BOB, house))
        house.platform.fate = lambda _request: ARRIVES

        assert told == wording.MAY_NOT_FORGET


async def test_after_new_each_forgets_what_they_began(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello."), says("Hello, Bob.")) as house:
        await house.say("Hi")
        await house.quiet()
        await house.say("new", BOB)
        await house.say("Hi", BOB)
        await forget(house, BOB)

        assert left(house) == [str(PLACE)]
        assert house.rows("SELECT owner FROM conversations") == [{"owner": str(ANN)}]


async def test_anyone_in_a_direct_message_forgets_all_of_it(tmp_path: Path) -> None:
    async with living(tmp_path, says("One."), says("Two.")) as house:
        await house.say("one", place=DIRECT)
        await house.quiet()
        await house.say("two", place=IN_DIRECT, surface="direct")
        await forget(house, place=DIRECT)

        assert left(house) == []


async def test_in_a_channel_all_that_one_began_goes_when_it_is_confirmed(tmp_path: Path) -> None:
    answers = [says("Hello.") for _ in range(3)]
    third = PlaceKey("played", "W", "C", "3")
    async with living(tmp_path, *answers) as house:
        for person, place in ((ANN, PLACE), (BOB, third), (ANN, ELSEWHERE)):
            await house.say("Hi", person, place=place)
            await house.quiet()
        await house.wait(1)
        asking = caller(ANN, house, CHANNEL)
        plan = await house.commands.forgetting.plan(asking)
        told = await house.commands.forgetting.carry_out(plan, asking)

        assert (plan.asks, plan.gone.conversations, plan.gone.messages) == (True, 2, 4)
        assert told.startswith("Forgotten: 2 conversations, 2 turns, 4 messages.")
        assert left(house) == [str(third)]


async def test_a_place_without_a_conversation_is_not_read_after_a_forget(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello.")) as house:
        house.platform.say(PLACE, BOB, "secret")
        told = await forget(house)
        await house.wait(1)
        await house.say("Hi")
        await house.quiet()

        assert told.notice.startswith("There was nothing to forget.")
        assert "secret" not in house.model.requests[0].messages[0].text


async def test_in_a_direct_message_nothing_can_be_muted(tmp_path: Path) -> None:
    async with living(tmp_path) as house:
        assert (await house.say("mute", place=DIRECT)).notice == wording.ALWAYS_ANSWERED


async def test_where_no_conversation_is_nothing_can_be_muted(tmp_path: Path) -> None:
    async with living(tmp_path) as house:
        assert (await house.say("mute")).notice == wording.NO_CONVERSATION


async def test_a_new_conversation_is_as_muted_as_the_old(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello.")) as house:
        await house.say("Hi")
        await house.quiet()
        muted = await house.say("mute")
        await house.say("new")

        assert muted.notice == wording.MUTED
        assert [row["muted"] for row in house.rows("SELECT muted FROM conversations")] == [1, 1]
        assert (await house.say("unmute")).notice == wording.UNMUTED


async def test_unmute_where_only_mentions_are_answered_promises_no_more(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello."), rules=Rules(follow_up="mention")) as house:
        await house.say("Hi")
        await house.quiet()
        await house.say("mute")

        assert (await house.say("unmute")).notice == wording.UNMUTED_TO_KEEP


def caller(person: PersonKey, house: House, place: PlaceKey = PLACE) -> Caller:
    now = house.loop.milliseconds()
    return Caller(person, place, "public", now, {"place": str(place)})


def test_what_would_go_is_told_before_it_goes() -> None:
    asked = confirming.sure_to_forget(confirming.gone(2, 0, 3, 4))

    assert asked == (
        "This would make me forget 2 conversations, 3 turns, 4 messages, at once and for good."
    )
