"""What somebody said among others is forgotten, there or everywhere; who answers begins anew."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bot import wording
from bot.caller import Caller
from bot.platform import Accepted
from bot.settings import Timing
from memory import conversations, people
from memory.keys import PersonKey, PlaceKey
from tests.conversation.stories.house import ANN, BOB, ELSEWHERE, KNOCK, PLACE, Door, House, living
from tests.fakes import Step, asks, hangs, says

pytestmark = pytest.mark.inline

WORDS = "the blue door opens at midnight"
PART = "Forgotten: your part in 1 conversation of others, 1 turn, 2 messages."


async def talked(house: House) -> None:
    """Ann has asked, and so has Bob."""
    await house.say("Hi")
    await house.quiet()
    await house.say(WORDS, BOB)
    await house.quiet()
    await house.wait(1)


def said(*later: Step) -> Sequence[Step]:
    return says("Hello."), says(f"You say: {WORDS}."), *later


def is_known(house: House) -> bool:
    """Whether the words stand anywhere in the files."""
    files = house.file.parent.glob("nimbus.db*")
    return any(b"blue door" in each.read_bytes() for each in files)


async def forget(house: House, person: PersonKey = BOB) -> str:
    """As a slash command, which nobody sees."""
    await house.wait(0.1)
    now = house.loop.milliseconds()
    return await house.commands.run("forget", Caller(person, PLACE, "public", now, {"place": ""}))


async def told(accepted: Accepted) -> str:
    return await accepted.tell()


async def test_a_participants_forget_takes_their_part(tmp_path: Path) -> None:
    async with living(tmp_path, *said()) as house:
        await talked(house)
        forgot = await house.say("forget", BOB)

        assert forgot.notice == (
            f"{PART} The messages on the platform stay; delete them there. What others wrote in "
            "their own words stays. Support tickets stay in the shop. I will not read here what "
            "you said before now."
        )
        assert [row["asker"] for row in house.rows("SELECT asker FROM turns")] == [str(ANN)]
        assert not is_known(house)


async def test_somebody_elses_answer_that_had_read_it_begins_anew(tmp_path: Path) -> None:
    later = hangs(f"Bob says: {WORDS}, and"), says("I do not know.")
    async with living(tmp_path, *said(*later)) as house:
        await talked(house)
        await house.say("What does Bob say?")
        await house.until(lambda: any("and" in text for text in house.shown()))
        await forget(house)
        await house.quiet()

        assert house.shown()[-1] == "> I do not know."
        assert sum("What does Bob" in text for text in house.shown()) == 1
        assert "blue door" not in repr(house.model.requests[-1].messages)
        assert not is_known(house)
        assert house.outcomes() == [("done", "answered"), ("done", "answered")]


@pytest.mark.parametrize("risk", ["read", "write"])
async def test_it_ends_where_a_tool_was_called_that_may_not_be_called_again(
    tmp_path: Path, risk: str
) -> None:
    door = Door()
    tool = door.tool("read" if risk == "read" else "write")
    again = [says("Anew.")] if risk == "read" else []
    steps = said(asks(KNOCK, text=f"Bob: {WORDS}. I knock."), *again)
    async with living(tmp_path, *steps, tools=[tool]) as house:
        await talked(house)
        await house.say("Are they in?")
        await house.until(lambda: door.knocks == 1)
        await forget(house)
        await house.quiet()

        assert not is_known(house)
        assert house.outcomes()[-1] == ("done", "answered" if again else "stopped")
        shown = house.shown()[-1]
        assert shown == "> Anew." or shown.startswith("> [removed]. I knock.\n\nStopped.")


async def test_a_taken_over_turn_begins_anew_as_well(tmp_path: Path) -> None:
    async with living(tmp_path, *said(hangs(f"Bob: {WORDS}"), says("Anew."))) as house:
        await talked(house)
        await house.say("What does Bob say?")
        await house.until(lambda: len(house.model.requests) == 3)
        await house.crash()
        await house.open("run:2", works=False)
        await forget(house)
        await house.restart("run:3")
        await house.quiet()

        assert house.shown()[-1] == "> Anew."
        assert not is_known(house)


async def test_their_own_answer_that_is_being_written_is_closed(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello."), hangs("You say")) as house:
        await house.say("Hi")
        await house.quiet()
        await house.say(WORDS, BOB)
        await house.until(lambda: "> You say" in house.shown())
        await house.wait(1)
        await forget(house)
        await house.quiet()
        await house.until(lambda: house.shown()[-1] != "> You say")

        assert house.shown()[-1] == f"> {wording.QUESTION_FORGOTTEN}"


async def test_who_waits_behind_them_is_answered(tmp_path: Path) -> None:
    """And nobody waits for the platform to hear that it is forgotten."""
    async with living(tmp_path, says("Hello."), hangs("You say"), says("Yes, Ann.")) as house:
        await house.say("Hi")
        await house.quiet()
        await house.say(WORDS, BOB)
        await house.until(lambda: "> You say" in house.shown())
        await house.crash()
        await house.open("run:2", works=False)
        await house.say("And I?")
        await house.wait(40)  # his worker's lease is over
        said_at = house.loop.time()
        forgot = await house.say("forget", BOB)
        assert forgot.notice.startswith("Forgotten: your part in 1 conversation of others, 1 turn")
        assert house.loop.time() - said_at < 1
        await house.worker.erasure.closing.settled()
        assert f"> {wording.QUESTION_FORGOTTEN}" in house.shown()
        await house.restart("run:3")
        await house.quiet()

        assert house.shown()[-1] == "> Yes, Ann."


async def test_forget_me_takes_all_that_is_kept_of_a_person(tmp_path: Path) -> None:
    async with living(tmp_path, *said(says("Mine."))) as house:
        await talked(house)
        await house.say("My own", BOB, place=ELSEWHERE)
        await house.quiet()
        await house.worker.database.write(lambda tx: people.link(tx, BOB, "customer"))
        await house.wait(1)
        began = house.loop.time()
        forgot = await told(await house.say("forget me", BOB))

        assert forgot == (
            "Forgotten: 1 conversation and your part in 1 conversation of others, 2 turns, "
            "4 messages. The messages on the platform stay; delete them there. What others wrote "
            "in their own words stays. Support tickets stay in the shop. I will not read anywhere "
            "what you said before now."
        )
        assert house.loop.time() - began > Timing().apart / 1000
        assert [row["place"] for row in house.rows("SELECT place FROM conversations")] == [
            str(PLACE)
        ]
        assert house.rows("SELECT 1 FROM people UNION ALL SELECT 1 FROM erasures") == []
        assert str(BOB) not in repr(house.rows("SELECT person FROM participants"))
        assert not is_known(house)


async def test_a_person_of_whom_nothing_is_kept_hears_so(tmp_path: Path) -> None:
    async with living(tmp_path) as house:
        forgot = await told(await house.say("forget me", BOB))

        assert forgot.startswith("There was nothing to forget.")


async def test_it_is_the_same_word_as_a_command_of_a_chat(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello.")) as house:
        await house.say("Hi")
        await house.quiet()
        await house.wait(1)
        caller = Caller(ANN, PLACE, "public", house.loop.milliseconds())

        assert (await house.commands.run("forget me", caller)).startswith("Forgotten: 1 conv")
        assert (await told(await house.say("forget-me."))).startswith("There was nothing")


async def test_forget_me_that_is_told_again_is_one(tmp_path: Path) -> None:
    async with living(tmp_path, *said()) as house:
        await talked(house)
        command = house.platform.say(PLACE, BOB, "forget me")
        first, second = await house.tell(command), await house.tell(command)

        assert (await told(first)).startswith("Forgotten")
        assert (second.how, second.is_told) == ("repeated", False)


async def test_forget_me_is_finished_by_the_next_process(tmp_path: Path) -> None:
    async with living(tmp_path, *said()) as house:
        await talked(house)
        await house.say("forget me", BOB)  # and nobody lives to tell
        await house.restart()
        await house.until(lambda: not house.rows("SELECT 1 FROM erasures"))

        assert not is_known(house)


async def test_what_takes_longer_goes_on_and_is_said_to(tmp_path: Path) -> None:
    async with living(tmp_path, *said(), timing=Timing(patience=1_000)) as house:
        await talked(house)
        forgot = await told(await house.say("forget me", BOB))
        assert forgot.startswith(f"{PART} I go on until I find nothing more")
        await house.until(lambda: not house.rows("SELECT 1 FROM erasures"))


async def test_a_database_that_is_away_is_waited_for(tmp_path: Path) -> None:
    async with living(tmp_path, *said()) as house:
        await talked(house)
        await house.say("forget me", BOB)
        house.worker.database.away = True
        await house.wait(20)
        house.worker.database.away = False
        await house.until(lambda: not house.rows("SELECT 1 FROM erasures"))

        assert not is_known(house)


async def test_in_a_channel_ones_part_in_what_others_began_goes_too(tmp_path: Path) -> None:
    channel = PlaceKey("played", "W", "C", "")
    async with living(tmp_path, *said(says("Mine."))) as house:
        await talked(house)
        await house.say("My own", BOB, place=ELSEWHERE)
        await house.quiet()
        await house.wait(1)
        asking = Caller(BOB, channel, "public", house.loop.milliseconds(), {"place": str(PLACE)})
        plan = await house.commands.forgetting.plan(asking)

        counts = "1 conversation and your part in 1 conversation of others, 2 turns, 4 messages"
        assert (plan.asks, counts in plan.question) == (True, True)
        assert counts in await house.commands.forgetting.carry_out(plan, asking)
        assert not is_known(house)


async def test_a_person_of_whom_nothing_is_known_is_not_read_later(tmp_path: Path) -> None:
    """They spoke before the thread was called in."""
    async with living(tmp_path, says("Hello.")) as house:
        house.platform.say(PLACE, BOB, WORDS)
        await house.wait(1)
        await house.worker.database.write(
            lambda tx: conversations.insert_current(tx, PLACE, surface="public", owner=ANN, now=1)
        )
        forgot = await house.say("forget", BOB)
        await house.wait(1)
        await house.say("Hi")
        await house.quiet()

        assert forgot.notice == wording.MAY_NOT_FORGET
        assert "blue door" not in repr(house.model.requests)


async def test_what_went_as_a_whole_meanwhile_is_nobody_s_part_any_more(tmp_path: Path) -> None:
    async with living(tmp_path, *said()) as house:
        await talked(house)
        plan = await house.commands.forgetting.plan(asking(house))
        await house.say("forget", ANN)
        await house.wait(1)

        told = await house.commands.forgetting.carry_out(plan, asking(house))
        assert told == wording.MAY_NOT_FORGET


def asking(house: House) -> Caller:
    return Caller(BOB, PLACE, "public", house.loop.milliseconds(), {"place": str(PLACE)})
