"""A request that was too long, made shorter."""

from __future__ import annotations

from dataclasses import replace

from bot.context import ContextBuilder
from bot.model import ModelRequest
from bot.retell import retell
from bot.tighten import tighten
from memory.messages import Message, ToolCall, ToolResult, assistant, tool, user
from memory.window import StoredTurn, full_size
from tests.histories import called, whole_histories
from tests.properties import for_all
from tests.validity import problems


def turn(number: int, size: int) -> tuple[Message, ...]:
    return user(f"Question {number}?"), assistant(str(number) * size)


def looked(text: str) -> tuple[Message, ...]:
    call = ToolCall("c1", "look_up", "{}")
    return user("And now?"), assistant("", call), tool(ToolResult("c1", "look_up", text))


def tightened(*messages: Message) -> tuple[Message, ...]:
    return tighten(ModelRequest("Be brief.", messages)).messages


def test_the_newest_turns_within_a_third_stay() -> None:
    turns = [turn(number, 100) for number in range(9)]

    kept = tightened(*(each for one in turns for each in one), user("And now?"))

    assert kept == (*turns[6], *turns[7], *turns[8], user("And now?"))


def test_a_turn_that_is_too_long_goes_and_what_is_before_it() -> None:
    kept = tightened(*turn(1, 10), *turn(2, 500), user("And"), user("now?"))

    assert kept == (user("And"), user("now?"))


def test_long_results_are_cut_in_the_middle_also_of_the_running_turn() -> None:
    *_, result = tightened(*looked("x" * 5_000))

    assert len(result.results[0].text) == 1_000


def test_what_is_short_already_stays() -> None:
    messages = looked("{}")

    assert tightened(*messages) == messages


def running(history: list[StoredTurn]) -> ModelRequest:
    """What is sent in a turn that has called a tool already."""
    contexts = ContextBuilder("Be brief.", budget=100_000, recent_turns=9)
    request = contexts.compose(history, (user("And now?"),), 0).request
    return replace(request, messages=(*request.messages, *called("x" * 5_000, "running")))


@for_all(whole_histories())
def test_a_tightened_request_is_one_that_a_provider_takes(history: list[StoredTurn]) -> None:
    request = running(history)
    assert problems(request) == []

    assert problems(tighten(request)) == []
    assert full_size(tighten(request).messages) < full_size(request.messages)


@for_all(whole_histories())
def test_a_retold_request_is_one_that_a_provider_takes(history: list[StoredTurn]) -> None:
    request = running(history)
    told = replace(request, messages=retell(request.messages, lambda _step: False))

    assert problems(told) == []
    assert told.messages[:-1] == request.messages[:-2]
