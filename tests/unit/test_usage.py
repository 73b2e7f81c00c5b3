"""Tokens: added, taken away, and guessed where no provider tells them."""

import pytest

from bot.model import ModelRequest, ToolSpec, Usage, guess_usage
from memory.messages import Message, ToolCall, ToolResult, assistant, tool, user
from memory.text import estimate_tokens

ONE = Usage(5, 4, 3, 2)
WORD = "tokens"


def test_what_was_added_can_be_taken_away() -> None:
    both = ONE + Usage(50, 40, 30, 20)

    assert (both - ONE).tokens == 80
    assert both - ONE + ONE == both


@pytest.mark.parametrize(
    "message",
    [
        user(WORD),
        assistant("", ToolCall("c1", "look", WORD)),
        tool(ToolResult("c1", "look", WORD)),
    ],
)
def test_all_that_was_sent_counts(message: Message) -> None:
    guessed = guess_usage(ModelRequest(WORD, (message, message)), "")

    assert guessed == Usage(input_tokens=3 * estimate_tokens(WORD))


def test_tools_and_what_had_come_count_too() -> None:
    spec = ToolSpec("look", WORD, {"type": "object"})
    guessed = guess_usage(ModelRequest("", (), (spec,)), WORD * 3)

    assert guessed.input_tokens > estimate_tokens(WORD)
    assert guessed.output_tokens == estimate_tokens(WORD * 3)
