"""The tool loop, when all goes well and the model does what it should."""

import asyncio
from dataclasses import replace

from bot.calls import call_key
from bot.model import ToolSpec
from bot.settings import Limits
from bot.tools import Tool
from memory.messages import Message, ToolResult, assistant, tool
from tests.agent_stage import ACT, LOOK, QUESTION, TURN, Stage, call, played
from tests.fakes import USAGE, FakeClock, ScriptedModel, asks, says

LOOKED = '{"order_id":1042,"key":"' + call_key(TURN, 1, 0) + '"}'


async def test_an_answer_without_tools_is_the_models_own_message() -> None:
    own = Message("assistant", assistant("Hello.").parts, {"scripted": {"id": 7}})

    stage, ending = await played(replace(says("Hello."), message=own))

    assert (ending.outcome, ending.message) == ("answered", own)
    assert stage.recorded == []


async def test_the_model_gets_the_request_as_it_was_made() -> None:
    stage, _ = await played(says("Hello."))

    [request] = stage.model.requests
    assert (request.system, request.messages) == ("Be brief.", (QUESTION,))
    assert (request.tools, request.tool_choice) == ((LOOK.spec, ACT.spec), "auto")


async def test_the_text_so_far_is_shown_whole() -> None:
    stage, _ = await played(says("One", " two", " three."))

    assert stage.shown == ["One", "One two", "One two three."]


async def test_the_texts_of_steps_are_shown_with_an_empty_line_between() -> None:
    stage, ending = await played(asks(call(), text="Let me see."), says("It is", " there."))

    assert stage.shown == ["Let me see.", "Let me see.\n\nIt is", "Let me see.\n\nIt is there."]
    assert ending.message.text == "It is there."


async def test_a_call_is_committed_before_it_runs_and_its_result_after() -> None:
    happened: list[str] = []

    async def note() -> None:
        """Note."""
        happened.append("runs")

    model = ScriptedModel(asks(call("note", "")), says("Done."))
    stage = Stage(model, (Tool.of(note, risk="read"),))
    stage.on_record = lambda step: happened.append(step.role)
    await stage.answer()

    assert happened == ["assistant", "runs", "tool"]


async def test_the_next_request_carries_calls_and_results() -> None:
    stage, _ = await played(asks(call(), text="Let me see."), says("There."))

    result = tool(ToolResult("c1", "look", LOOKED))
    steps = (assistant("Let me see.", call()), result)
    assert stage.model.requests[1].messages == (QUESTION, *steps)
    assert tuple(stage.recorded) == tuple(stage.progress.steps) == steps


async def test_tools_run_side_by_side_and_results_come_as_they_finish() -> None:
    second_ran = asyncio.Event()

    async def first() -> None:
        """Wait."""
        await second_ran.wait()

    async def second() -> None:
        """Go."""
        second_ran.set()

    model = ScriptedModel(asks(call("first", "", id="a"), call("second", "", id="b")), says("Ok."))
    stage = Stage(model, (Tool.of(first, risk="read"), Tool.of(second, risk="read")))
    await stage.answer()

    assert [step.results[0].call_id for step in stage.progress.steps[1:]] == ["b", "a"]


async def test_a_tool_learns_who_asks_and_until_when() -> None:
    seen: list[object] = []
    spec = ToolSpec("spy", "Spy.", {"type": "object"})

    async def invoke(*given: object) -> None:
        seen.extend(given)

    model = ScriptedModel(asks(call("spy", "{}")), says("Ok."))
    await Stage(model, (Tool(spec, invoke, "read"),)).answer()

    context, arguments = seen
    assert str(context).startswith(
        "ToolContext(person='terminal:ann', customer='demo', conversation='cccccccc"
    )
    assert call_key(TURN, 1, 0) in str(context)
    assert arguments == "{}"


def test_a_call_key_is_short_and_of_one_call_only() -> None:
    keys = [call_key(t, o, i) for t in ("a", "b") for o in (1, 11) for i in (0, 1)]

    assert len(set(keys)) == 8
    assert {len(key) for key in keys} == {32}


async def test_time_tokens_and_the_model_are_counted() -> None:
    clock = FakeClock()

    async def work() -> None:
        """Work."""
        clock.advance(40)

    model = ScriptedModel(asks(call("work", "")), says("Ok."))
    stage = Stage(model, (Tool.of(work, risk="write"),), clock=clock)
    await stage.answer()

    progress = stage.progress
    assert (progress.usage, progress.model) == (USAGE + USAGE, "scripted-1")
    assert (progress.model_ms, progress.tool_ms, progress.first_text_ms) == (0, 40, 40)


async def test_only_a_tool_that_is_not_read_counts_as_an_act() -> None:
    looked, _ = await played(asks(call()), says("Ok."))
    acted, _ = await played(asks(call("act", "")), says("Ok."))

    assert not looked.progress.acted
    assert acted.progress.acted


async def test_the_listener_hears_each_step_once() -> None:
    stage, _ = await played(asks(call()), says("There."))

    assert [str(event) for event in stage.events] == [
        "[step 1] answered by scripted-1",
        '[step 1] model → look({"order_id": 1042}) (0 ms)',
        f"[step 1] look → {LOOKED} (0 ms)",
        "[step 2] model → 6 characters (0 ms)",
    ]


async def test_a_long_result_is_short_in_the_trace() -> None:
    async def much() -> str:
        """Much."""
        return "x" * 1000

    model = ScriptedModel(asks(call("much", "")), says("Ok."))
    stage = Stage(model, (Tool.of(much, risk="read"),))
    await stage.answer()

    assert stage.events[2].what == 'much → "' + "x" * 299 + "…"


async def test_a_third_call_with_the_same_arguments_is_not_run() -> None:
    arguments = ('{"a": 1, "order_id": 2}', '{"order_id":2,"a":1}', ' {"a":1,"order_id": 2}')
    ran: list[int] = []

    async def look(a: int, order_id: int) -> int:
        """Look."""
        ran.append(a)
        return order_id

    steps = [asks(call("look", text, id=f"c{i}")) for i, text in enumerate(arguments)]
    stage = Stage(ScriptedModel(*steps, says("Ok.")), (Tool.of(look, risk="read"),))
    await stage.answer()

    assert ran == [1, 1]
    assert stage.results()[2] == (
        '{"error": "called with the same arguments before; use the earlier result"}'
    )


async def test_a_third_call_in_one_step_is_not_run_either() -> None:
    stage, _ = await played(asks(*(call("act", "", id=i) for i in "abc")), says("Ok."))

    assert sum("same arguments" in text for text in stage.results()) == 1
    [late] = [r for step in stage.recorded for r in step.results if "same arguments" in r.text]
    assert late.call_id == "c"


async def test_the_step_limit_lets_the_model_say_what_it_has() -> None:
    steps = [asks(call(arguments=f'{{"order_id": {i}}}', id=f"c{i}")) for i in range(2)]
    stage, ending = await played(
        *steps, says("So far."), stage=lambda model: Stage(model, limits=Limits(steps=3))
    )

    choices = [request.tool_choice for request in stage.model.requests]
    assert choices == ["auto", "auto", "none"]
    assert stage.model.requests[2].tools == (LOOK.spec, ACT.spec)
    assert (ending.outcome, ending.message) == ("step_limit", assistant("So far."))


async def test_without_tools_there_is_no_choice_to_take_away() -> None:
    stage, ending = await played(
        says("Ok."), stage=lambda model: Stage(model, (), limits=Limits(steps=1))
    )

    assert stage.model.requests[0].tool_choice == "auto"
    assert ending.outcome == "step_limit"
