"""A message gets one answer, in its place, in order."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.model import ModelRequest, ModelResponse
from bot.settings import Limits, Timing
from memory.errors import StorageError
from memory.messages import Text
from tests.conversation.stories.flaky import fail
from tests.conversation.stories.house import (
    ANN,
    BOB,
    ELSEWHERE,
    KNOCK,
    PLACE,
    Door,
    living,
)
from tests.conversation.stories.worker import DIGESTS
from tests.fakes import ScriptedModel, after, asks, fails, hangs, says, thinks

pytestmark = pytest.mark.inline


async def test_a_question_is_answered_where_it_was_asked(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello", ", Ann.")) as house:
        accepted = await house.say("Hi")
        await house.quiet()

        assert accepted.how == "waiting"
        assert house.shown() == ["Hi", "> Hello, Ann."]
        assert house.outcomes() == [("done", "answered")]
        assert not house.platform.statuses


async def test_a_message_that_is_told_twice_is_answered_once(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello.")) as house:
        inbound = house.platform.say(PLACE, ANN, "Hi")
        first = await house.worker.intake.accept(inbound)
        second = await house.worker.intake.accept(inbound)
        await house.quiet()

        assert (first.how, second.how) == ("waiting", "repeated")
        assert house.shown() == ["Hi", "> Hello."]


async def test_who_was_not_rung_for_is_when_the_message_comes_again(tmp_path: Path) -> None:
    """Who wrote it down was cut off between commit and ring."""
    async with living(tmp_path, says("Hello."), timing=Timing(sweep=3_600_000)) as house:
        house.worker.database.after["Intake._write_down"] = fail
        inbound = house.platform.say(PLACE, ANN, "Hi")
        with pytest.raises(StorageError):
            await house.tell(inbound)
        await house.wait(60)
        assert house.shown() == ["Hi"]

        assert (await house.tell(inbound)).how == "repeated"
        await house.wait(60)
        assert house.shown() == ["Hi", "> Hello."]


async def test_two_people_are_answered_in_the_order_in_which_they_spoke(tmp_path: Path) -> None:
    script = [says("To Ann."), says("To Bob."), says("To Ann again.")]
    async with living(tmp_path, *script, works=False) as house:
        await house.say("one", ANN)
        await house.say("two", BOB)
        await house.say("three", ANN)
        await house.restart()
        await house.quiet()

        assert house.shown()[3:] == ["> To Ann.", "> To Bob.", "> To Ann again."]
        assert [last_words(request) for request in house.model.requests] == ["one", "two", "three"]


async def test_two_places_are_answered_side_by_side(tmp_path: Path) -> None:
    script = [after(60, says("Slowly.")), says("At once.")]
    async with living(tmp_path, *script) as house:
        await house.say("here")
        await house.asked(1)
        await house.say("there", place=ELSEWHERE)
        await house.until(lambda: house.shown(ELSEWHERE) == ["there", "> At once."])

        assert ("running", None) in house.outcomes()
        await house.quiet()


async def test_only_so_many_turns_run_at_once(tmp_path: Path) -> None:
    """R15: the others wait for their slot, and none is lost."""
    script = [thinks(60, "One."), says("Two.")]
    async with living(tmp_path, *script, limits=Limits(running_turns=1)) as house:
        await house.say("one")
        await house.say("two", place=ELSEWHERE)
        await house.asked(1)

        assert len(house.model.requests) == 1
        await house.quiet()
        assert house.shown(ELSEWHERE) == ["two", "> Two."]


async def test_what_was_said_before_is_remembered(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello, Ann."), says("Ann.")) as house:
        await house.say("I am Ann.")
        await house.quiet()
        await house.restart()
        await house.say("Who am I?")
        await house.quiet()

        texts = [message.text for message in house.model.requests[1].messages[:2]]
        assert texts == ["[From ann]\n\nI am Ann.", "Hello, Ann."]


async def test_a_tool_is_used_and_its_result_is_told_to_the_model(tmp_path: Path) -> None:
    door = Door()
    door.opened.set()
    script = [asks(KNOCK, text="I knock."), says("They are in.")]
    async with living(tmp_path, *script, tools=[door.tool()]) as house:
        await house.say("Are they in?")
        await house.quiet()

        assert house.shown() == ["Are they in?", "> I knock.\n\nThey are in."]
        assert house.model.requests[1].messages[-1].results[0].text == '"come in"'


async def test_a_failing_model_is_told_in_a_sentence_that_is_remembered(tmp_path: Path) -> None:
    async with living(tmp_path, fails(), says("Better.")) as house:
        await house.say("Well?")
        await house.quiet()
        await house.say("And now?")
        await house.quiet()

        sentence = house.shown()[1]
        assert "language model failed" in sentence
        assert house.model.requests[1].messages[1].text == sentence.removeprefix("> ")
        assert house.outcomes() == [("done", "api_error"), ("done", "answered")]


async def test_what_was_shown_stays_when_the_model_fails(tmp_path: Path) -> None:
    async with living(tmp_path, fails("Half an ans")) as house:
        await house.say("Well?")
        await house.quiet()

        assert house.shown()[1].startswith("> Half an ans\n\nThe language model failed")


async def test_the_last_step_answers_without_tools(tmp_path: Path) -> None:
    door = Door()
    door.opened.set()
    script = [asks(KNOCK), says("So far.")]
    limits = Limits(steps=2)
    async with living(tmp_path, *script, tools=[door.tool()], limits=limits) as house:
        await house.say("Are they in?")
        await house.quiet()

        assert house.shown() == ["Are they in?", "> So far."]
        assert house.model.requests[1].tool_choice == "none"
        assert house.outcomes() == [("done", "step_limit")]


async def test_an_answer_that_takes_too_long_ends_with_a_sentence(tmp_path: Path) -> None:
    async with living(tmp_path, hangs("Let me see.")) as house:
        await house.say("Well?")
        await house.quiet()

        assert house.shown()[1].startswith("> Let me see.\n\nThis took longer")
        assert house.outcomes() == [("done", "time_limit")]


async def test_a_question_that_waited_too_long_is_told_so(tmp_path: Path) -> None:
    async with living(tmp_path, works=False) as house:
        await house.say("Anybody?")
        await house.wait(16 * 60)
        await house.restart()
        await house.quiet()

        assert house.shown()[1].startswith("> This waited too long")
        assert house.outcomes() == [("done", "expired")]


async def test_who_has_asked_again_is_answered_to_the_old_question_too(tmp_path: Path) -> None:
    async with living(tmp_path, says("Here."), works=False) as house:
        await house.say("Anybody?")
        await house.wait(16 * 60)
        await house.say("Hello?")
        await house.restart()
        await house.quiet()

        assert house.shown() == ["Anybody?", "Hello?", "> Here."]


async def test_a_defect_ends_a_turn_with_a_sentence_and_no_secret(tmp_path: Path) -> None:
    async with living(tmp_path, model=BrokenModel()) as house:
        await house.say("Well?")
        await house.quiet()

        assert house.shown()[1].startswith("> I was interrupted")
        assert "secret" not in "".join(house.shown())
        assert house.outcomes() == [("done", "interrupted")]
        assert house.failed == []


class BrokenModel(ScriptedModel):
    async def stream(self, _request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        yield "Let me"
        raise RuntimeError("secret")


async def test_a_question_that_is_too_long_is_cut_and_that_is_said(tmp_path: Path) -> None:
    async with living(tmp_path, says("Long.")) as house:
        accepted = await house.say("x" * 20_005)
        await house.quiet()

        assert "5 characters" in accepted.notice
        text = last_words(house.model.requests[0])
        assert text.startswith("x" * 20_000)
        assert text.endswith("5 characters, was left out.]")


async def test_what_was_said_before_a_forget_is_acknowledged_and_not_stored(
    tmp_path: Path,
) -> None:
    """R1"""
    async with living(tmp_path) as house:
        inbound = house.platform.say(PLACE, ANN, "Hi")
        await house.forget()
        accepted = await house.worker.intake.accept(inbound)

        assert (accepted.how, accepted.conversation) == ("forgotten", None)
        assert DIGESTS.place(PLACE) == house.rows("SELECT key FROM forgotten")[0]["key"]
        assert house.rows("SELECT * FROM messages") == []


async def test_a_message_that_cannot_be_written_down_is_not_acknowledged(tmp_path: Path) -> None:
    async with living(tmp_path) as house:
        house.worker.database.away = True
        with pytest.raises(Exception, match="away"):
            await house.say("Hi")


async def test_a_message_that_is_not_written_down_in_time_is_not_acknowledged(
    tmp_path: Path,
) -> None:
    async with living(tmp_path) as house:
        house.worker.database.before["Intake._write_down"] = house.sleep_well
        with pytest.raises(TimeoutError):
            await house.say("Hi")


async def test_a_lost_ring_is_made_good_by_the_sweep(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello.")) as house:
        await house.say_unheard("Hi")
        await house.quiet()

        assert house.shown() == ["Hi", "> Hello."]


async def test_a_database_that_is_away_for_a_while_ends_nothing(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello.")) as house:
        await house.say_unheard("Hi")
        house.worker.database.away = True
        await house.wait(60)
        house.worker.database.away = False
        await house.quiet()

        assert house.shown() == ["Hi", "> Hello."]


async def test_a_failure_before_a_turn_began_is_reported_and_made_good(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello.")) as house:
        house.worker.database.before["Runs.begin"] = fail
        accepted = await house.say("Hi")
        await house.quiet()

        assert [where for where, _ in house.failed] == [accepted.conversation]
        assert house.shown() == ["Hi", "> Hello."]


async def test_after_work_that_fails_touches_no_answer(tmp_path: Path) -> None:
    async with living(tmp_path, says("Hello.")) as house:
        house.worker.database.before["AfterWork._move_cut"] = fail
        await house.say("Hi")
        await house.quiet()

        assert house.shown() == ["Hi", "> Hello."]
        assert house.failed == []


def last_words(request: ModelRequest) -> str:
    """What the person said last: the last text part of the last user message."""
    last = request.messages[-1].parts[-1]
    assert isinstance(last, Text)
    return last.text
