"""Another worker goes on with a turn, and a stop that meets a commit."""

import asyncio
from collections.abc import Callable

import pytest

from bot.agent import Progress
from bot.calls import call_key
from bot.settings import Limits
from bot.tools import Risk, Tool, ToolContext
from memory.errors import Superseded
from memory.messages import Message, ToolCall, ToolResult, assistant, tool
from tests.agent_stage import QUESTION, TURN, Stage, call
from tests.fakes import ScriptedModel, asks, hangs, says
from tests.faults import virtual

UNKNOWN = '{"error": "unknown whether this was done before the restart; check before repeating"}'


def taken_over(*calls: ToolCall, risk: Risk, idempotent: bool = False) -> Stage:
    """A turn that was stopped after the commit of these calls of `work`."""

    async def work(context: ToolContext) -> str:
        """Work."""
        return context.call_key

    tools = (Tool.of(work, risk=risk, idempotent=idempotent),)
    progress = Progress([assistant("Let me see.", *calls)])
    return Stage(ScriptedModel(says("Done.")), tools, progress=progress)


@pytest.mark.parametrize(("risk", "idempotent"), [("read", False), ("write", True)])
async def test_a_call_that_may_be_repeated_runs_again_with_its_key(
    risk: Risk, *, idempotent: bool
) -> None:
    stage = taken_over(call("work", "{}"), risk=risk, idempotent=idempotent)

    ending = await stage.answer()

    assert stage.results() == [f'"{call_key(TURN, 1, 0)}"']
    assert ending.message == assistant("Done.")


@pytest.mark.parametrize("risk", ["write", "danger"])
async def test_nobody_knows_whether_any_other_call_was_done(risk: Risk) -> None:
    stage = taken_over(call("work", "{}"), risk=risk)

    await stage.answer()

    assert stage.results() == [UNKNOWN]
    assert stage.progress.acted


async def test_a_tool_that_is_gone_may_have_acted() -> None:
    stage = taken_over(call("gone", "{}"), risk="read")

    await stage.answer()

    assert stage.results() == [UNKNOWN]
    assert stage.progress.acted


async def test_only_the_call_without_a_result_is_run() -> None:
    stage = taken_over(call("work", "{}", id="a"), call("work", "{}", id="b"), risk="read")
    done = tool(ToolResult("a", "work", '"done"'))
    stage.progress.steps.append(done)

    await stage.answer()

    assert stage.recorded == [tool(ToolResult("b", "work", f'"{call_key(TURN, 1, 1)}"'))]
    stored = (
        assistant("Let me see.", call("work", "{}", id="a"), call("work", "{}", id="b")),
        done,
    )
    assert stage.model.requests[0].messages == (QUESTION, *stored, *stage.recorded)


async def test_what_was_said_before_is_shown_again() -> None:
    stage = taken_over(call("work", "{}"), risk="read")

    await stage.answer()

    assert stage.shown == ["Let me see.\n\nDone."]


async def test_steps_before_the_take_over_count() -> None:
    stage = taken_over(call("work", "{}"), risk="read")
    stage.limits = Limits(steps=2)

    ending = await stage.answer()

    assert stage.model.requests[0].tool_choice == "none"
    assert ending.outcome == "step_limit"


async def test_calls_before_the_take_over_count_as_repeats() -> None:
    stage = taken_over(*(call("work", "{}", id=i) for i in "abc"), risk="read")
    stage.progress.steps.append(
        tool(ToolResult("a", "work", '"1"'), ToolResult("b", "work", '"2"'))
    )

    await stage.answer()

    assert "same arguments" in stage.results()[0]


def stopped_in_a_commit(
    seconds: float, ends: Callable[[Message], None] = lambda _step: None
) -> tuple[Stage, float]:
    """A turn that is stopped while its first commit is on its way, and how long it took."""

    class Slow(Stage):
        async def _record(self, step: Message) -> None:
            await asyncio.sleep(seconds)
            ends(step)
            await super()._record(step)

    async def main(loop: virtual.VirtualLoop) -> tuple[Stage, float]:
        stage = Slow(ScriptedModel(asks(call(), text="Let me see."), hangs()))
        task = asyncio.create_task(stage.answer())
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return stage, loop.time()

    return virtual.run(main)


def test_a_stop_waits_for_a_commit_that_was_sent() -> None:
    stage, seconds = stopped_in_a_commit(3)

    assert stage.recorded == stage.progress.steps == [assistant("Let me see.", call())]
    assert (stage.progress.text, seconds) == ("", 3)


def test_a_stop_does_not_wait_for_ever_for_a_commit() -> None:
    stage, seconds = stopped_in_a_commit(1000)

    assert stage.progress.steps == []
    assert (stage.progress.text, seconds) == ("Let me see.", 6)


def test_a_stop_stays_a_stop_when_the_commit_fails() -> None:
    def fail(_step: Message) -> None:
        raise Superseded("taken")

    stage, _ = stopped_in_a_commit(3, fail)

    assert stage.progress.steps == []


async def test_a_result_that_has_arrived_is_stored_before_the_turn_stops() -> None:
    arrived, go_on = asyncio.Event(), asyncio.Event()

    class Slow(Stage):
        async def _record(self, step: Message) -> None:
            if step.role == "tool":
                arrived.set()
                await go_on.wait()
            await super()._record(step)

    stage = Slow(ScriptedModel(asks(call())))
    task = asyncio.create_task(stage.answer())
    await arrived.wait()
    task.cancel()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert [step.role for step in stage.recorded] == ["assistant", "tool"]
    assert stage.progress.steps == stage.recorded


def test_results_are_noted_in_the_order_in_which_they_were_stored() -> None:
    class SlowToAnswer(Stage):
        async def _record(self, step: Message) -> None:
            await super()._record(step)
            await asyncio.sleep(1 / len(self.recorded))

    async def main(_loop: virtual.VirtualLoop) -> Stage:
        calls = (call(id="a"), call(id="b"))
        stage = SlowToAnswer(ScriptedModel(asks(*calls), says("Done.")))
        await stage.answer()
        return stage

    stage = virtual.run(main)

    assert stage.progress.steps == stage.recorded
