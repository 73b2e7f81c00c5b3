"""A stage for the agent: one turn whose steps, texts and events are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bot.agent import Agent, Assignment, Ending, Progress
from bot.model import ModelRequest
from bot.settings import Limits, Timing
from bot.tools import Tool, Toolbox, ToolContext
from bot.trace import Event
from memory.messages import Message, ToolCall, user
from tests.fakes import FakeClock, ScriptedModel, Step

TURN = "0123456789abcdef0123456789abcdef"
QUESTION = user("What is in my order?")


async def look(context: ToolContext, order_id: int) -> dict[str, object]:
    """Look at an order."""
    return {"order_id": order_id, "key": context.call_key}


async def act(context: ToolContext) -> str:
    """Do something."""
    return context.call_key


LOOK = Tool.of(look, risk="read")
ACT = Tool.of(act, risk="write", idempotent=True)


def call(name: str = "look", arguments: str = '{"order_id": 1042}', *, id: str = "c1") -> ToolCall:  # noqa: A002 - a call has an id
    return ToolCall(id, name, arguments)


@dataclass
class Stage:
    """`on_record`, `on_show` and `guard` may raise: then that is what recording, showing does."""

    model: ScriptedModel
    tools: tuple[Tool, ...] = (LOOK, ACT)
    limits: Limits = field(default_factory=Limits)
    timing: Timing = field(default_factory=Timing)
    clock: FakeClock = field(default_factory=FakeClock)
    progress: Progress = field(default_factory=Progress)
    on_record: Callable[[Message], None] = lambda _step: None
    on_show: Callable[[str], None] = lambda _text: None
    guard: Callable[[], None] = lambda: None
    recorded: list[Message] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    async def answer(self) -> Ending:
        toolbox = Toolbox(self.tools, self.timing, self.limits)
        agent = Agent(self.model, toolbox, self.limits, self.timing, self.clock)
        request = ModelRequest("Be brief.", (QUESTION,), toolbox.specs)
        return await agent.answer(self._assignment(request), self.progress)

    def _assignment(self, request: ModelRequest) -> Assignment:
        return Assignment(
            turn=TURN,
            request=request,
            person="terminal:ann",
            customer="demo",
            conversation="c" * 32,
            record=self._record,
            show=self._show,
            guard=self.guard,
            listener=self.events.append,
        )

    async def _record(self, step: Message) -> None:
        self.on_record(step)
        self.recorded.append(step)

    async def _show(self, text: str) -> None:
        self.on_show(text)
        self.shown.append(text)

    def results(self) -> list[str]:
        return [result.text for step in self.recorded for result in step.results]


async def played(
    *steps: Step, stage: Callable[[ScriptedModel], Stage] = Stage
) -> tuple[Stage, Ending]:
    """Answer one turn with a model that follows these steps, all of them."""
    it = stage(ScriptedModel(*steps))
    ending = await it.answer()
    await it.model.close()
    return it, ending
