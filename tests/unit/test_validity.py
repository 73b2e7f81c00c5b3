"""The checker of requests refuses what providers refuse."""

import pytest

from bot.model import ModelRequest, ToolSpec
from memory.messages import Image, Message, Text, ToolCall, ToolResult, assistant, tool, user
from tests.validity import problems

QUESTION = user("Where is my order?")
CALL = ToolCall("c1", "get_order", "{}")
RESULT = ToolResult("c1", "get_order", "{}")
STEP = (assistant("", CALL), tool(RESULT))
SPEC = ToolSpec("get_order", "Look an order up.", {"type": "object"})


@pytest.mark.parametrize(
    "messages",
    [
        (QUESTION,),
        (QUESTION, *STEP),
        (QUESTION, QUESTION),
        (QUESTION, *STEP, assistant("There."), Message("user", (Image("F1", "image/png"),))),
    ],
)
def test_a_sound_request_has_no_problems(messages: tuple[Message, ...]) -> None:
    assert problems(ModelRequest("", messages, (SPEC,), "none")) == []


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ((), "There is no message."),
        ((assistant("Hi."), QUESTION), "It begins with a message of role assistant."),
        ((QUESTION, assistant("Hi.")), "It ends with an assistant message."),
        ((QUESTION, Message("user", ())), "Message 1 is empty."),
        ((QUESTION, user(" \n")), "Message 1 is empty."),
        ((Message("user", (RESULT,)),), "Message 0 has a part that the role user cannot have."),
        ((user("\ud800"),), "Message 0 has half a character, which is not sent as UTF-8."),
        ((QUESTION, STEP[0], QUESTION), "The call 'c1' has no result directly after it."),
        ((QUESTION, STEP[0]), "The call 'c1' has no result directly after it."),
        ((QUESTION, *STEP, tool(RESULT)), "Message 3 answers 'c1', which nobody waits for."),
        ((QUESTION, tool(RESULT)), "Message 1 answers 'c1', which nobody waits for."),
        ((QUESTION, *STEP, *STEP), "2 calls have the id 'c1'."),
        (
            (QUESTION, assistant("", ToolCall("", "f", "{}")), tool(ToolResult("", "f", "{}"))),
            "A call has no id.",
        ),
    ],
)
def test_what_a_provider_refuses_is_named(messages: tuple[Message, ...], problem: str) -> None:
    assert problem in problems(ModelRequest("", messages, (SPEC,)))


def test_a_message_with_text_beside_a_blank_is_not_empty() -> None:
    assert problems(ModelRequest("", (Message("user", (Text(""), Text("Hi."))),))) == []


def test_the_tools_stay_when_none_may_be_called() -> None:
    request = ModelRequest("", (QUESTION,), (), "none")

    assert problems(request) == ["Tool choice is none, but the tools are gone."]


def test_two_tools_of_one_name_are_named() -> None:
    request = ModelRequest("", (QUESTION,), (SPEC, SPEC))

    assert problems(request) == ["2 tools are named 'get_order'."]
