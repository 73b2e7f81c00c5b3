"""The tool loop: ask the model, run the tools that it asks for, until it answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field, replace

from bot import wording
from bot.calls import call_key, canonical, same_call, tidy
from bot.errors import ModelError
from bot.model import Model, ModelRequest, ModelResponse, ToolChoice, Usage, closing, guess_usage
from bot.settings import Limits, Timing
from bot.tools import Toolbox, ToolContext
from bot.trace import Event, Listener
from memory.messages import Message, ToolCall, ToolResult, assistant, tool
from memory.text import clean

Place = tuple[int, int]  # the ordinal of an assistant message in its turn, the index of a call

_log = logging.getLogger(__name__)

_USE_EARLIER = '{"error": "called with the same arguments before; use the earlier result"}'
_UNKNOWN = '{"error": "unknown whether this was done before the restart; check before repeating"}'


@dataclass(slots=True)
class Progress:
    """How far a turn has come; its owner reads it when the turn is cut short.

    `steps` are stored, `text` is what the model has said since. `acted`: a tool that is not `read`
    was started.
    """

    steps: list[Message] = field(default_factory=list)
    text: str = ""
    first_text_ms: int | None = None
    model_ms: int = 0
    tool_ms: int = 0
    usage: Usage = field(default_factory=Usage)
    noted: Usage = field(default_factory=Usage)  # what of it is stored
    model: str = ""
    acted: bool = False

    @property
    def spoken(self) -> list[Message]:
        return [message for message in self.steps if message.role == "assistant"]

    @property
    def shown(self) -> str:
        """The whole text so far: that of every step, separated by an empty line."""
        texts = (*(message.text for message in self.spoken), self.text)
        return "\n\n".join(text for text in texts if text.strip())


@dataclass(frozen=True, slots=True)
class Assignment:
    """One turn to answer.

    `record` commits a step; `guard` is called directly before each tool that is not `read`. What
    they raise ends the turn and comes out of `Agent.answer` as it is.
    """

    turn: str
    request: ModelRequest
    person: str
    customer: str | None
    conversation: str
    record: Callable[[Message], Awaitable[None]]
    show: Callable[[str], Awaitable[None]]
    guard: Callable[[], None]
    listener: Listener


@dataclass(frozen=True, slots=True)
class Ending:
    """How a turn ended. `message` is the one that is still to be stored; it always has text."""

    outcome: wording.Outcome
    message: Message


@dataclass(frozen=True, slots=True)
class Agent:
    """Answers turns. `clock` is in milliseconds and only measures."""

    model: Model
    toolbox: Toolbox
    limits: Limits
    timing: Timing
    clock: Callable[[], int]

    async def answer(self, assignment: Assignment, progress: Progress) -> Ending:
        """Go on after `progress.steps` until there is an answer, or a sentence in its place."""
        deadline = asyncio.get_running_loop().time() + self.timing.turn / 1000
        work = _Work(self, assignment, progress, deadline, self.clock())
        limit = asyncio.timeout_at(deadline)
        try:
            async with limit:
                return await work.until_it_ends()
        except TimeoutError:
            if not limit.expired():
                raise
            return work.end_without_answer("time_limit")
        except ModelError as error:
            _log.warning("the model failed: %s", error, extra={"action": "model_failed"})
            return work.end_without_answer("api_error", error.kind)


@dataclass(slots=True)
class _Work:
    """One turn on its way."""

    agent: Agent
    assignment: Assignment
    progress: Progress
    deadline: float
    started: int
    order: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def until_it_ends(self) -> Ending:
        await self._take_up()
        while True:
            ordinal = len(self.progress.spoken) + 1
            is_last = ordinal >= self.agent.limits.steps
            response = await self._ask(ordinal, is_last=is_last)
            calls = response.message.calls
            if is_last or not calls or response.finish == "refused":
                return self._end(response, is_last=is_last)
            await self._commit(response.message)
            await self._run_all({(ordinal, index): call for index, call in enumerate(calls)})

    def end_without_answer(self, outcome: wording.Outcome, kind: str = "failed") -> Ending:
        """A sentence, after what was said already."""
        self._tell(len(self.progress.spoken) + 1, f"no answer: {outcome}")
        said = [self.progress.text] if self.progress.text.strip() else []
        sentence = wording.ending(outcome, self.assignment.turn, kind)
        return Ending(outcome, assistant("\n\n".join([*said, sentence])))

    def _end(self, response: ModelResponse, *, is_last: bool) -> Ending:
        message = response.message
        outcome: wording.Outcome = "step_limit" if is_last else "answered"
        if response.finish == "refused":
            return self.end_without_answer("refused")
        if not message.text:
            return self.end_without_answer("step_limit" if is_last else "empty")
        if response.finish == "length":
            return Ending(outcome, assistant(f"{message.text}\n\n{wording.CUT_MARK}"))
        return Ending(outcome, assistant(message.text) if message.calls else message)

    async def _ask(self, ordinal: int, *, is_last: bool) -> ModelResponse:
        given = self.assignment.request
        messages = (*given.messages, *self.progress.steps)
        choice: ToolChoice = "none" if is_last and given.tools else "auto"
        request = replace(given, messages=messages, tool_choice=choice)
        began = self.agent.clock()
        try:
            response = await self._listen(request)
        except BaseException as error:
            # A call that we break off is paid for all the same, and so is one that said something.
            if self.progress.text or not isinstance(error, ModelError):
                self.progress.usage += guess_usage(request, self.progress.text)
            raise
        finally:
            milliseconds = self.agent.clock() - began
            self.progress.model_ms += milliseconds
        self.progress.usage += response.usage
        self._note_model(ordinal, response.model or self.agent.model.name)
        taken = {call.id for message in messages for call in message.calls}
        message = tidy(response.message, self.assignment.turn, ordinal, taken)
        await self._show(message.text)
        self._tell_asked(ordinal, message, milliseconds)
        return replace(response, message=message)

    async def _listen(self, request: ModelRequest) -> ModelResponse:
        self.progress.text = ""
        async with closing(self.agent.model.stream(request)) as stream:
            async for piece in stream:
                if isinstance(piece, ModelResponse):
                    return piece
                await self._show(self.progress.text + clean(piece))
        raise ModelError("the stream ended without a response", retryable=True)

    async def _show(self, text: str) -> None:
        """Show the running step's text after that of the steps before it."""
        if text == self.progress.text:
            return
        self.progress.text = text
        if text.strip():
            if self.progress.first_text_ms is None:
                self.progress.first_text_ms = self.agent.clock() - self.started
            await self.assignment.show(self.progress.shown)

    async def _take_up(self) -> None:
        """After a take-over: finish the calls of the last step that have no result."""
        told = {result.call_id for message in self.progress.steps for result in message.results}
        calls = self._calls()
        is_read = self.agent.toolbox.is_read
        self.progress.acted = any(not is_read(call.name) for call in calls.values())
        await self._run_all(
            {place: call for place, call in calls.items() if call.id not in told}, again=True
        )

    def _calls(self) -> dict[Place, ToolCall]:
        spoken = enumerate(self.progress.spoken, 1)
        return {(o, i): call for o, message in spoken for i, call in enumerate(message.calls)}

    async def _run_all(self, calls: dict[Place, ToolCall], *, again: bool = False) -> None:
        """Run calls side by side; each result is committed as it comes."""
        began = self.agent.clock()
        try:
            async with asyncio.TaskGroup() as group:
                for place, call in calls.items():
                    group.create_task(self._run(place, call, again=again))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        finally:
            self.progress.tool_ms += self.agent.clock() - began

    async def _run(self, place: Place, call: ToolCall, *, again: bool) -> None:
        began = self.agent.clock()
        earlier = [other for where, other in self._calls().items() if where < place]
        if sum(same_call(call, other) for other in earlier) >= self.agent.limits.repeats:
            result = ToolResult(call.id, call.name, _USE_EARLIER, is_error=True)
        elif again and not self.agent.toolbox.may_repeat(call.name):
            result = ToolResult(call.id, call.name, _UNKNOWN, is_error=True)
        else:
            result = await self._run_now(place, call)
        await self._commit(tool(result))
        self._tell(place[0], f"{call.name} → {_short(result.text)}", self.agent.clock() - began)

    async def _run_now(self, place: Place, call: ToolCall) -> ToolResult:
        if not self.agent.toolbox.is_read(call.name):
            self.assignment.guard()
            self.progress.acted = True
        turn = self.assignment
        context = ToolContext(
            person=turn.person,
            customer=turn.customer,
            conversation=turn.conversation,
            call_key=call_key(turn.turn, *place),
            deadline=self.deadline,
            turn=turn.turn,
        )
        return await self.agent.toolbox.run(call, context)

    async def _commit(self, step: Message) -> None:
        """Store a step. Steps are noted in the order in which they were stored."""

        async def work() -> None:
            async with self.order:
                await self.assignment.record(step)
                self.progress.steps.append(step)
                self.progress.text = ""

        await _finish(work(), self.agent.timing.margin / 1000)

    def _note_model(self, step: int, name: str) -> None:
        if name not in {self.progress.model, self.agent.model.name}:
            self._tell(step, f"answered by {name}")
        self.progress.model = name

    def _tell_asked(self, step: int, message: Message, milliseconds: int) -> None:
        if not message.calls:
            self._tell(step, f"model → {len(message.text):,} characters", milliseconds)
        for call in message.calls:
            what = f"model → {call.name}({_short(canonical(call.arguments))})"
            self._tell(step, what, milliseconds)

    def _tell(self, step: int, what: str, milliseconds: int | None = None) -> None:
        self.assignment.listener(Event(step, what, milliseconds))


async def _finish(work: Coroutine[None, None, None], grace_seconds: float) -> None:
    """Do `work` to its end even when we are cancelled, for so long at most.

    A commit that was sent may hold: then `Progress` must know it, and a result that has arrived
    is stored before the turn stops.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task], timeout=grace_seconds)
        raise
    finally:
        task.cancel()


def _short(text: str) -> str:
    return text if len(text) <= 300 else f"{text[:300]}…"  # noqa: PLR2004 - a line of the trace
