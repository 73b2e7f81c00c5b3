"""Steps of another provider, told as text."""

from __future__ import annotations

from bot.retell import retell
from memory.messages import Message, ToolCall, ToolResult, assistant, tool, user

QUESTION = user("And 1042?")


def call(call_id: str, arguments: str = '{"id": 1042}') -> ToolCall:
    return ToolCall(call_id, "look_up", arguments)


def result(call_id: str, text: str = '{"paid": true}') -> Message:
    return tool(ToolResult(call_id, "look_up", text))


def own(call_id: str) -> Message:
    return Message("assistant", (call(call_id),), {"mine": 1})


def is_own(step: Message) -> bool:
    return "mine" in step.provider_data


def test_own_steps_stay_as_they_are() -> None:
    messages = (QUESTION, own("a"), result("a"))

    assert retell(messages, is_own) == messages


def test_steps_of_another_become_text_below_the_question() -> None:
    step = assistant("One\nmoment.", call("a"), call("b", "{broken\n"))
    told = retell((QUESTION, step, result("b", '"no"'), result("a")), is_own)

    assert told[0] == QUESTION
    assert [message.role for message in told] == ["user", "user"]
    assert told[1].text.splitlines()[1:] == [
        "You said: One moment.",
        'You called look_up({"id": 1042}) → {"paid": true}',
        'You called look_up({broken) → "no"',
    ]


def test_only_what_is_up_to_the_last_foreign_step_becomes_text() -> None:
    first, second, third = own("a"), assistant("", call("b")), own("c")
    steps = (first, result("a"), second, result("b"), third, result("c"))

    told = retell((QUESTION, *steps), is_own)

    assert told[2:] == (third, result("c"))
    assert told[1].text.count("You called") == 2


def test_earlier_turns_stay_as_they_are() -> None:
    earlier = (user("Hi."), assistant("", call("z")), result("z"), assistant("Yes."))

    assert retell((*earlier, QUESTION), is_own) == (*earlier, QUESTION)


def test_no_message_is_no_step() -> None:
    assert retell((), is_own) == ()
