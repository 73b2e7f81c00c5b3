"""The server on the loopback refuses what the real one refuses."""

from collections.abc import Iterator

import pytest

from memory.messages import ToolCall, ToolResult, assistant, tool, user
from tests.servers.openai.rules import Json, Refused, check

pytestmark = pytest.mark.slow

SYSTEM: Json = {"role": "system", "content": "Be kind."}
QUESTION: Json = {"role": "user", "content": "Hello?"}
FUNCTION: Json = {"name": "look_up", "arguments": "{}"}
CALL: Json = {"id": "call_1", "type": "function", "function": FUNCTION}
ASKS: Json = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT: Json = {"role": "tool", "tool_call_id": "call_1", "content": "{}"}
ANSWER: Json = {"role": "assistant", "content": "Hi."}
TOOL: Json = {"type": "function", "function": {"name": "look_up", "parameters": {}}}


def body(*messages: Json, **more: object) -> Json:
    return {"model": "gpt-test", "stream": True, "messages": list(messages), **more}


def asks(**changed: object) -> Json:
    """An assistant message whose one call is changed."""
    return {**ASKS, "tool_calls": [{**CALL, **changed}]}


def refused_bodies() -> Iterator[tuple[str, Json]]:
    yield "no messages", body()
    yield "an unknown field", body(QUESTION, top_k=4)
    yield "an unknown field of a message", body({**QUESTION, "id": "m1"})
    yield "an unknown role", body({"role": "human", "content": "Hello?"})
    yield "no content for a user", body({"role": "user", "content": None})
    yield "no content without calls", body(QUESTION, {"role": "assistant", "content": None})
    yield "an empty list of calls", body(QUESTION, {**ANSWER, "tool_calls": []})
    yield "an orphan result", body(QUESTION, RESULT)
    yield "a result after an answer", body(QUESTION, ASKS, RESULT, ANSWER, RESULT)
    yield "an unanswered call at the end", body(QUESTION, ASKS)
    yield "an unanswered call in between", body(QUESTION, ASKS, QUESTION)
    yield "a result for another call", body(QUESTION, ASKS, {**RESULT, "tool_call_id": "call_2"})
    yield "two results for one call", body(QUESTION, ASKS, RESULT, RESULT)
    yield "two calls with one id", body(QUESTION, {**ASKS, "tool_calls": [CALL, CALL]}, RESULT)
    yield "an id that is too long", body(QUESTION, asks(id="x" * 41))
    yield "a name with a dot", body(QUESTION, asks(function={**FUNCTION, "name": "a.b"}), RESULT)
    yield "no name", body(QUESTION, asks(function={**FUNCTION, "name": ""}), RESULT)
    yield "broken arguments", body(QUESTION, asks(function={**FUNCTION, "arguments": "{"}), RESULT)
    yield "a list as arguments", body(QUESTION, asks(function={**FUNCTION, "arguments": "[]"}))
    yield "an empty list of tools", body(QUESTION, tools=[])
    yield "a choice without tools", body(QUESTION, tool_choice="none")


REFUSED = dict(refused_bodies())


@pytest.mark.parametrize("what", REFUSED)
def test_the_server_refuses(what: str) -> None:
    with pytest.raises(Refused):
        check(REFUSED[what])


def test_the_server_takes_a_whole_history_and_knows_its_neutral_form() -> None:
    taken = check(body(SYSTEM, QUESTION, ASKS, RESULT, ANSWER, QUESTION, tools=[TOOL]))

    assert taken.system == "Be kind."
    assert taken.messages == (
        user("Hello?"),
        assistant("", ToolCall("call_1", "look_up", "{}")),
        tool(ToolResult("call_1", "look_up", "{}")),
        assistant("Hi."),
        user("Hello?"),
    )
    assert [spec.name for spec in taken.tools] == ["look_up"]
