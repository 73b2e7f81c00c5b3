"""Who has used up what they may is told once, plainly; what was spent is spent."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot import wording
from bot.caller import Caller
from bot.model import guess_usage
from bot.settings import Limits
from memory.keys import PlaceKey
from memory.usage import Allowance
from tests.conversation.stories.house import ANN, BOB, ELSEWHERE, KNOCK, PLACE, Door, House, living
from tests.fakes import ScriptedModel, Step, after, asks, fails, hangs, says, thinks

pytestmark = pytest.mark.inline

STEP = 110  # tokens that the scripted model spends whenever it is asked
THIRD = PlaceKey("played", "W", "C", "3")
BUDGET = Allowance(person_tokens_per_day=STEP)
IN_ALL = Allowance(total_tokens_per_day=STEP)


def counted(house: House) -> list[tuple[int, int]]:
    """Turns and tokens of all together; a person's are the same where only one has asked."""
    rows = house.rows("SELECT turns, tokens FROM usage ORDER BY subject = 'total'")
    return sorted({(row["turns"], row["tokens"]) for row in rows})


async def status(house: House) -> str:
    caller = Caller(ANN, PLACE, "public", house.loop.milliseconds())
    return (await house.commands.run("status", caller)).splitlines()[-1]


async def test_who_writes_too_fast_is_told_once_also_when_there_was_a_restart(
    tmp_path: Path,
) -> None:
    allowance = Allowance(messages_per_minute=1)
    async with living(tmp_path, says("One."), says("Five."), allowance=allowance) as house:
        await house.say("one")
        await house.quiet()
        two, three = [await house.say(text, place=ELSEWHERE) for text in ("two", "three")]
        await house.restart()
        four = await house.say("four")
        await house.wait(60)
        await house.say("five")
        await house.quiet()

        assert (two.how, two.notice) == ("refused", wording.LIMITED["pace"])
        assert [(each.how, each.notice) for each in (three, four)] == [("refused", "")] * 2
        assert house.shown() == ["one", "> One.", "four", "five", "> Five."]


async def test_who_has_used_up_a_day_is_told_once_also_when_there_was_a_restart(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, says("One."), says("Bob's."), allowance=BUDGET) as house:
        before = await status(house)
        await house.say("one")
        await house.quiet()
        two = await house.say("two")
        await house.restart()
        three = await house.say("three")
        await house.say("one", BOB, place=ELSEWHERE)
        await house.quiet()

        assert (two.notice, three.notice) == (wording.LIMITED["person"], "")
        assert house.shown(ELSEWHERE) == ["one", "> Bob's."]
        assert before == "Left today   110 tokens, until midnight UTC"
        assert await status(house) == "Left today   0 tokens, until midnight UTC"


async def test_the_operator_reads_in_the_log_that_the_budget_of_all_is_used_up(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with living(tmp_path, says("One."), allowance=IN_ALL) as house:
        await house.say("one")
        await house.quiet()
        told = await house.say("two", BOB)

        assert told.notice == wording.LIMITED["total"]
        assert "NIMBUS_TOTAL_TOKENS_PER_DAY" in caplog.text


async def test_a_question_whose_turn_finds_nothing_left_reads_so_in_the_history(
    tmp_path: Path,
) -> None:
    """It was accepted while there was something left; who reads it is told no more today."""
    async with living(tmp_path, after(5, says("One.")), allowance=BUDGET) as house:
        await house.say("one")
        await house.wait(2)
        await house.say("two")
        await house.quiet()
        later = await house.say("three")

        [row] = house.rows("SELECT id FROM turns WHERE outcome = 'limited'")
        sentence = wording.ending("limited", row["id"], "person")
        assert house.shown() == ["one", "> One.", "two", f"> {sentence}", "three"]
        assert sentence.startswith(wording.LIMITED["person"])
        assert (later.how, later.notice) == ("refused", "")


async def test_what_a_turn_has_spent_before_it_begins_anew_counts(tmp_path: Path) -> None:
    """Or somebody who edits and edits would be answered for nothing."""
    door = Door()
    async with living(tmp_path, asks(KNOCK), tools=[door.tool()], allowance=BUDGET) as house:
        house.worker.database.before["Turns._record"] = house.hear_more
        await house.say("one")
        await house.quiet()

        assert house.outcomes() == [("done", "limited")]
        assert counted(house) == [(1, STEP)]


@pytest.mark.parametrize(
    "names", [["run:2"], pytest.param(["run:2", "run:3"], marks=pytest.mark.slow)]
)
async def test_what_a_dead_worker_spent_is_counted_once(tmp_path: Path, names: list[str]) -> None:
    door = Door()
    script = [asks(KNOCK), says("Open.")]
    async with living(tmp_path, *script, tools=[door.tool()]) as house:
        await house.say("one")
        await house.until(lambda: door.knocks == 1)
        for name in names:
            await house.restart(name)
            await house.until(lambda: door.knocks > 1)
        door.opened.set()
        await house.quiet()

        assert counted(house) == [(1, 2 * STEP)]


async def test_what_a_failed_turn_spent_is_counted(tmp_path: Path) -> None:
    door = Door()
    async with living(tmp_path, asks(KNOCK), fails(), tools=[door.tool()]) as house:
        door.opened.set()
        await house.say("one")
        await house.quiet()

        assert house.outcomes() == [("done", "api_error")]
        assert counted(house) == [(1, STEP)]


@pytest.mark.parametrize("step", [hangs(), hangs("So"), fails("So")])
async def test_a_call_that_is_broken_off_is_counted_by_its_size(tmp_path: Path, step: Step) -> None:
    """Or whoever stops each answer just before its end is answered for nothing."""
    async with living(tmp_path, step) as house:
        await house.say("one")
        await house.asked(1)
        await house.stop()
        await house.quiet()

        [request] = house.model.requests
        text = "".join(step.pieces)
        assert counted(house) == [(1, guess_usage(request, text).tokens)]


async def test_a_forget_gives_nothing_back(tmp_path: Path) -> None:
    """What was stored is noted by the forget, what was not by the worker that comes too late."""
    door = Door()
    async with living(tmp_path, asks(KNOCK), says("One."), tools=[door.tool()]) as house:
        door.opened.set()
        house.worker.database.before["Turns._commit"] = house.forget
        await house.say("one")
        await house.until(lambda: not house.rows("SELECT 1 FROM conversations"))
        await house.wait(1)

        assert counted(house) == [(1, 2 * STEP)]


async def test_who_waits_for_a_place_is_stopped_at_once(tmp_path: Path) -> None:
    script = [thinks(60, "There.")]
    async with living(tmp_path, *script, limits=Limits(running_turns=1)) as house:
        await house.say("there", place=ELSEWHERE)
        await house.asked(1)
        await house.say("here")
        await house.until(lambda: house.outcomes() == [("running", None)] * 2)
        await house.stop()
        await house.wait(1)

        assert house.outcomes() == [("running", None), ("done", "stopped")]
        await house.quiet()


async def test_turns_of_a_slow_model_leave_room_for_another(tmp_path: Path) -> None:
    """R15"""
    limits = Limits(running_turns=2, running_turns_per_model=1)
    spare = ScriptedModel(says("Two."), says("Three."))
    spare.name = "spare"
    slow = [thinks(60, "One.")]
    async with living(tmp_path, *slow, spare=spare, limits=limits) as house:
        await house.say("one")
        await house.asked(1)
        await house.say("two", place=ELSEWHERE)
        await house.say("three", place=THIRD)
        await house.wait(1)

        assert house.shown(ELSEWHERE) == ["two", "> Two."]
        assert house.shown(THIRD) == ["three", "> Three."]
        assert house.shown() == ["one"]
        await house.quiet()
        assert [request.first for request in spare.requests] == ["spare"] * 2
