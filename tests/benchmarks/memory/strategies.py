"""What others do: send everything, cut at each turn, send the last few turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.model import ModelRequest, ToolSpec
from memory.messages import Message, ToolCall, ToolResult, assistant, tool, user
from memory.window import BUDGET, full_size
from tests.benchmarks.memory.figures import Figures
from tests.benchmarks.memory.script import Exchange

LAST = 5

Turn = tuple[Message, ...]
Choice = Callable[[Sequence[Turn]], Sequence[Turn]]


def everything(past: Sequence[Turn]) -> Sequence[Turn]:
    return past


def moving_cut(past: Sequence[Turn]) -> Sequence[Turn]:
    """As many of the newest turns as the budget holds, at each turn anew."""
    left, kept = BUDGET, 0
    for turn in reversed(past):
        left -= full_size(turn)
        if left < 0:
            break
        kept += 1
    return past[len(past) - kept :]


def last_turns(past: Sequence[Turn]) -> Sequence[Turn]:
    return past[-LAST:]


STRATEGIES: dict[str, Choice] = {
    "send everything": everything,
    "a cut that moves each turn": moving_cut,
    f"the last {LAST} turns": last_turns,
}


def play_strategy(
    choose: Choice, script: Sequence[Exchange], system: str, tools: tuple[ToolSpec, ...]
) -> Figures:
    """The same conversation with the same system prompt and tools."""
    figures, past = Figures(), list[Turn]()
    for number, exchange in enumerate(script, 1):
        figures.begin()
        turn = _turn(number, exchange)
        history = [message for kept in choose(past) for message in kept]
        requests = [turn[:1]] if len(turn) == 2 else [turn[:1], turn[:3]]
        sent = [ModelRequest(system, (*history, *now), tools) for now in requests]
        texts = [figures.note(request) for request in sent]
        figures.judge(exchange, sent[0], texts[0])
        past.append(turn)
    return figures


def _turn(number: int, exchange: Exchange) -> Turn:
    question, answer = user(exchange.said), assistant(exchange.answer)
    if not exchange.result:
        return question, answer
    call = ToolCall(f"call_{number}", exchange.tool_name, exchange.arguments)
    return (
        question,
        assistant("", call),
        tool(ToolResult(call.id, call.name, exchange.result)),
        answer,
    )
