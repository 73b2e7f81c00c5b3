"""Whatever a model says and a tool does, a turn ends with text and a history that can be sent."""

import asyncio

from hypothesis import strategies as st

from bot.agent import Ending
from bot.errors import ModelError
from bot.settings import Limits
from bot.tools import Tool
from memory.messages import Image, Message, Text, ToolCall
from tests.agent_stage import LOOK, Stage
from tests.fakes import ScriptedModel, Step
from tests.properties import for_all

WILD = st.text(max_size=20) | st.sampled_from(["", " ", "\0", "\ud800", "c1", "look", "fail"])
ARGUMENTS = WILD | st.sampled_from(['{"order_id": 1042}', '{"order_id": "x"}', "{}", "[1]"])
CALLS = st.builds(ToolCall, WILD, st.sampled_from(["look", "fail", "", "no such"]), ARGUMENTS)
STEPS = st.builds(
    Step,
    pieces=st.lists(WILD, max_size=3).map(tuple),
    calls=st.lists(CALLS, max_size=4).map(tuple),
    finish=st.sampled_from(["stop", "stop", "length", "refused"]),
    error=st.none() | st.just(ModelError("no", retryable=True)),
    breaks_off=st.sampled_from([False] * 9 + [True]),
)


async def fail(order_id: int) -> None:
    """Fail."""
    raise ValueError(order_id)


def answered(steps: list[Step]) -> tuple[Stage, Ending]:
    stage = Stage(
        ScriptedModel(*steps),
        (LOOK, Tool.of(fail, risk="write")),
        limits=Limits(steps=len(steps)),
    )
    return stage, asyncio.run(stage.answer())


@for_all(st.lists(STEPS, min_size=1, max_size=5))
def test_every_turn_ends_with_text_and_a_history_that_can_be_sent(steps: list[Step]) -> None:
    stage, ending = answered(steps)

    assert ending.message.text.strip()
    assert ending.message.calls == ()
    assert stage.model.complaints == []  # it looked at every request as a provider would


@for_all(st.lists(STEPS, min_size=1, max_size=5))
def test_a_turn_can_be_taken_over_after_every_commit(steps: list[Step]) -> None:
    stage, _ = answered(steps)

    for stored in range(len(stage.recorded)):
        later = Stage(ScriptedModel(Step(("Done.",))), (LOOK,))
        later.progress.steps += stage.recorded[:stored]
        asyncio.run(later.answer())
        assert later.model.complaints == []


@for_all(st.lists(STEPS, min_size=1, max_size=5))
def test_each_call_has_one_result(steps: list[Step]) -> None:
    stage, _ = answered(steps)

    calls = [call.id for step in stage.recorded for call in step.calls]
    results = [result.call_id for step in stage.recorded for result in step.results]
    assert sorted(calls) == sorted(results)
    assert len(set(calls)) == len(calls)


@for_all(st.lists(WILD, max_size=4))
def test_what_was_shown_last_is_what_is_stored(pieces: list[str]) -> None:
    stage, ending = answered([Step(tuple(pieces))])

    if stage.shown and ending.outcome == "step_limit":
        assert stage.shown[-1] == ending.message.text


def test_parts_that_are_no_assistants_are_left_out() -> None:
    odd = Message("user", (Text("Yes."), Image("file", "image/png")))

    _, ending = answered([Step(message=odd)])

    assert ending.message == Message("assistant", (Text("Yes."),))
