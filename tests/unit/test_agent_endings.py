"""How a turn ends when there is no plain answer."""

import asyncio
from collections.abc import AsyncIterator
from typing import Literal

import pytest

from bot import wording
from bot.agent import Ending
from bot.errors import ModelError
from bot.model import ModelRequest, ModelResponse
from bot.settings import Limits
from bot.tools import Tool
from memory.errors import Superseded
from memory.messages import Message, assistant
from tests.agent_stage import TURN, Stage, call, played
from tests.fakes import ScriptedModel, Step, asks, fails, hangs, says
from tests.faults import virtual

Kind = Literal["failed", "busy", "too_long", "blocked", "account"]


def one_step(model: ScriptedModel) -> Stage:
    return Stage(model, limits=Limits(steps=1))


def in_virtual_time(*steps: Step, tools: tuple[Tool, ...] = ()) -> tuple[Stage, Ending, float]:
    """A turn, and the seconds that it took."""

    async def main(loop: virtual.VirtualLoop) -> tuple[Stage, Ending, float]:
        stage, ending = await played(*steps, stage=lambda model: Stage(model, tools))
        return stage, ending, loop.time()

    return virtual.run(main)


async def wait_for_ever() -> None:
    """Wait."""
    await asyncio.Event().wait()


async def test_calls_at_the_last_step_are_dropped() -> None:
    stage, ending = await played(asks(call(), text="I would look."), stage=one_step)

    assert ending == Ending("step_limit", assistant("I would look."))
    assert stage.recorded == []


async def test_only_calls_at_the_last_step_leave_a_sentence() -> None:
    _, ending = await played(asks(call()), stage=one_step)

    assert ending == Ending("step_limit", assistant(wording.ending("step_limit", TURN)))


@pytest.mark.parametrize("text", ["", " \n "])
async def test_an_empty_answer_becomes_a_sentence(text: str) -> None:
    stage, ending = await played(says(text))

    assert ending == Ending("empty", assistant(wording.ending("empty", TURN)))
    assert stage.shown == []


async def test_an_empty_answer_after_a_step_does_not_repeat_the_steps_text() -> None:
    _, ending = await played(asks(call(), text="Let me see."), says())

    assert ending == Ending("empty", assistant(wording.ending("empty", TURN)))


async def test_a_refusal_has_its_sentence_after_what_was_said() -> None:
    _, silent = await played(says(finish="refused"))
    _, spoken = await played(says("First you", finish="refused"))

    sentence = wording.ending("refused", TURN)
    assert silent == Ending("refused", assistant(sentence))
    assert spoken == Ending("refused", assistant(f"First you\n\n{sentence}"))


async def test_what_a_refusing_model_calls_is_not_run() -> None:
    stage, ending = await played(Step(calls=(call("act", ""),), finish="refused"))

    assert ending.outcome == "refused"
    assert not stage.progress.acted


async def test_an_answer_that_was_cut_off_is_kept_and_marked() -> None:
    _, ending = await played(says("A long", " answ", finish="length"))

    assert ending == Ending("answered", assistant(f"A long answ\n\n{wording.CUT_MARK}"))


@pytest.mark.parametrize("kind", ["failed", "busy", "too_long", "blocked", "account"])
async def test_a_failing_model_has_a_sentence_for_each_kind(kind: Kind) -> None:
    error = ModelError("secret detail", retryable=False, kind=kind)

    _, ending = await played(fails(error=error))

    assert ending == Ending("api_error", assistant(wording.ending("api_error", TURN, kind)))


async def test_what_was_shown_before_a_failure_is_kept() -> None:
    stage, ending = await played(asks(call(), text="Let me see."), fails("It is"))

    sentence = wording.ending("api_error", TURN)
    assert ending.message.text == f"It is\n\n{sentence}"
    assert stage.progress.shown == "Let me see.\n\nIt is"
    assert str(stage.events[-1]) == "[step 2] no answer: api_error"


async def test_a_failure_is_logged_for_the_operator(caplog: pytest.LogCaptureFixture) -> None:
    await played(fails(error=ModelError("no such model", retryable=False)))

    assert [record.getMessage() for record in caplog.records] == ["the model failed: no such model"]


async def test_a_stream_without_an_end_is_a_failure() -> None:
    _, ending = await played(Step(("It is",), breaks_off=True))

    sentence = wording.ending("api_error", TURN)
    assert ending == Ending("api_error", assistant(f"It is\n\n{sentence}"))


def test_the_time_limit_keeps_what_was_said() -> None:
    stage, ending, seconds = in_virtual_time(hangs("It is"))

    assert ending == Ending(
        "time_limit", assistant(f"It is\n\n{wording.ending('time_limit', TURN)}")
    )
    assert (seconds, stage.model.open_streams) == (180, 0)


def test_a_hanging_tool_costs_its_own_time_only() -> None:
    wait = Tool.of(wait_for_ever, risk="read")

    stage, ending, seconds = in_virtual_time(
        asks(call("wait_for_ever", "")), says("It hangs."), tools=(wait,)
    )

    assert (ending.outcome, seconds) == ("answered", 20)
    assert "longer than 20 seconds" in stage.results()[0]


def test_the_time_limit_ends_a_turn_of_hanging_tools() -> None:
    async def hang(n: int) -> None:
        """Hang."""
        await asyncio.Event().wait()
        assert n < 0

    steps = [asks(call("hang", f'{{"n": {n}}}', id=f"c{n}")) for n in range(7)]
    tools = (Tool.of(hang, risk="read"),)

    stage, ending, seconds = in_virtual_time(*steps, hangs(), tools=tools)

    assert (ending.outcome, seconds, len(stage.results())) == ("time_limit", 180, 7)


async def test_a_time_out_of_the_store_is_not_our_time_limit() -> None:
    def record(_step: Message) -> None:
        raise TimeoutError

    stage = Stage(ScriptedModel(asks(call())), on_record=record)

    with pytest.raises(TimeoutError):
        await stage.answer()


async def test_the_late_writer_gets_superseded_as_it_is() -> None:
    def record(step: Message) -> None:
        if step.role == "tool":
            raise Superseded("taken")

    stage = Stage(ScriptedModel(asks(call())), on_record=record)

    with pytest.raises(Superseded):
        await stage.answer()
    assert stage.progress.steps == [assistant("", call())]


async def test_the_guard_stops_a_tool_that_acts_and_no_other() -> None:
    def guard() -> None:
        raise Superseded("late")

    stage = Stage(ScriptedModel(asks(call()), asks(call("act", "", id="c2"))), guard=guard)

    with pytest.raises(Superseded):
        await stage.answer()
    assert not stage.progress.acted
    assert [step.role for step in stage.recorded] == ["assistant", "tool", "assistant"]


async def test_a_stream_is_closed_when_showing_fails() -> None:
    def show(_text: str) -> None:
        raise Superseded("erased")

    stage = Stage(ScriptedModel(says("Hello.")), on_show=show)

    with pytest.raises(Superseded):
        await stage.answer()
    assert stage.model.open_streams == 0


async def test_a_stream_that_is_no_generator_needs_no_closing() -> None:
    class Iterated(ScriptedModel):
        def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
            return Wrapped(super().stream(request))

    class Wrapped(AsyncIterator[str | ModelResponse]):
        def __init__(self, pieces: AsyncIterator[str | ModelResponse]) -> None:
            self._pieces = pieces

        async def __anext__(self) -> str | ModelResponse:
            return await anext(self._pieces)

    ending = await Stage(Iterated(says("Hello."))).answer()

    assert ending.message.text == "Hello."


async def test_a_stop_leaves_the_text_and_the_steps_so_far() -> None:
    said = asyncio.Event()
    steps = (asks(call(), text="Let me see."), hangs("It is"))
    stage = Stage(
        ScriptedModel(*steps), on_show=lambda text: said.set() if "It is" in text else None
    )
    task = asyncio.create_task(stage.answer())
    await said.wait()

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert stage.progress.text == "It is"
    assert stage.progress.steps == stage.recorded
    assert stage.model.open_streams == 0
