"""The server on the loopback refuses what Responses refuses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memory.messages import Text, ToolCall, ToolResult, assistant, tool, user
from tests.servers.openai import events
from tests.servers.openai.items import Given, check
from tests.servers.openai.rules import Json, Refused

pytestmark = pytest.mark.slow

QUESTION: Json = {"role": "user", "content": "Hello?"}
ANSWER: Json = {"role": "assistant", "content": "Hi."}
CALL: Json = {"type": "function_call", "call_id": "call_1", "name": "look_up", "arguments": "{}"}
RESULT: Json = {"type": "function_call_output", "call_id": "call_1", "output": "{}"}
TOOL: Json = {"type": "function", "name": "look_up", "parameters": {}, "strict": False}

THOUGHT, OWN = events.reasoning(), events.call("call_1", "look_up")
SPOKEN = events.message("Hi.", phase="final_answer")


def body(*items: Json, **more: object) -> Json:
    return {"model": "gpt-test", "stream": True, "store": False, "input": list(items), **more}


def given() -> Given:
    """A server that gave out these items."""
    known = Given()
    known.note([THOUGHT, OWN])
    known.note([SPOKEN])
    return known


def refused_bodies() -> Iterator[tuple[str, Json]]:
    yield "no input", body()
    yield "an answer that it would store", body(QUESTION, store=True)
    yield "an unknown field", body(QUESTION, messages=[])
    yield "an unknown field of an item", body({**QUESTION, "name": "Ann"})
    yield "a field of another provider", body(QUESTION, {**ANSWER, "thoughtSignature": "x"})
    yield "no content", body({"role": "user", "content": None})
    yield "an orphan result", body(QUESTION, RESULT)
    yield "an unanswered call at the end", body(QUESTION, CALL)
    yield "an unanswered call in between", body(QUESTION, CALL, QUESTION)
    yield "two results for one call", body(QUESTION, CALL, RESULT, RESULT)
    yield "a history that ends with the model", body(QUESTION, ANSWER)
    yield "a name with a dot", body(QUESTION, {**CALL, "name": "a.b"}, RESULT)
    yield "a choice without tools", body(QUESTION, tool_choice="none")
    yield "nested tools", body(QUESTION, tools=[{"type": "function", "function": TOOL}])
    yield "an unknown item of its own", body(QUESTION, events.reasoning(), CALL, RESULT)
    yield "a changed item", body(QUESTION, {**THOUGHT, "encrypted_content": "x"}, OWN, RESULT)
    yield "a message without its phase", body(QUESTION, {**SPOKEN, "phase": None}, QUESTION)
    yield "a call without its reasoning", body(QUESTION, OWN, RESULT)
    yield "reasoning without its call", body(QUESTION, THOUGHT, CALL, RESULT)
    yield "reasoning at the end", body(QUESTION, THOUGHT)


REFUSED = dict(refused_bodies())


@pytest.mark.parametrize("what", REFUSED)
def test_the_server_refuses(what: str) -> None:
    with pytest.raises(Refused):
        check(REFUSED[what], given())


def test_the_server_takes_its_own_items_and_knows_their_neutral_form() -> None:
    taken = check(
        body(QUESTION, THOUGHT, OWN, RESULT, SPOKEN, QUESTION, instructions="Be.", tools=[TOOL]),
        given(),
    )

    assert taken.system == "Be."
    assert taken.messages == (
        user("Hello?"),
        assistant("", ToolCall("call_1", "look_up", "{}")),
        tool(ToolResult("call_1", "look_up", "{}")),
        assistant("Hi."),
        user("Hello?"),
    )
    assert [spec.name for spec in taken.tools] == ["look_up"]


def test_what_a_client_retells_needs_no_ids() -> None:
    taken = check(body(QUESTION, ANSWER, CALL, RESULT), Given())

    assert taken.messages[1].parts == (Text("Hi."), ToolCall("call_1", "look_up", "{}"))
